package volsh.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;

/** Compresses bytes outside of blocks with zstd. The caller keeps the lengths and a checksum. */
public final class ZstdBytes {
    private static final int LEVEL = 3;

    private ZstdBytes() {}

    public static byte[] pack(byte[] raw) {
        return Zstd.compress(raw, LEVEL);
    }

    /** @throws CorruptBlockException unless it unpacks to exactly {@code rawLength} bytes */
    public static byte[] unpack(byte[] packed, int rawLength) throws CorruptBlockException {
        byte[] raw = new byte[rawLength];
        try {
            long length = Zstd.decompress(raw, packed);
            if (length != rawLength) {
                throw new CorruptBlockException("decompresses to %d bytes instead of %d".formatted(length, rawLength));
            }
        } catch (ZstdException damaged) {
            throw new CorruptBlockException("does not decompress: " + damaged.getMessage());
        }
        return raw;
    }
}
