package volsh.codec;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import org.jspecify.annotations.Nullable;

/**
 * The tools of one thread for frames: a checksum, compressor state, and memory for a frame. Made once, used often.
 */
final class Workbench implements AutoCloseable {
    private static final int UNUSED = -1;
    private static final int SAMPLE_LENGTH = 16 << 10;

    private final FrameChecksum checksum;
    private final FrameEncryption encryption;
    private @Nullable FrameCipher cipher;   // made for the first encrypted frame
    private ByteBuffer opened = ByteBuffer.allocateDirect(0);
    private @Nullable ZstdCompressCtx zstdCompressor;
    private int zstdLevel = UNUSED;
    private @Nullable ZstdDecompressCtx zstdDecompressor;
    private ByteBuffer room = ByteBuffer.allocateDirect(0);
    private @Nullable PlaneFrames planes;   // made for the first such frame
    private FrameMethod written = FrameMethod.RAW;

    Workbench(FrameChecksum checksum, FrameEncryption encryption) {
        this.checksum = checksum;
        this.encryption = encryption;
    }

    /**
     * Writes {@code raw} as a frame at 0 of {@code stored}, which has room for the worst case; returns the payload's
     * length. A frame that compression does not shrink by a sixteenth is written raw: reading it is then free. With
     * encryption it also has to shrink by more than that adds: so an encrypted payload never has the length of its raw
     * frame, which tells {@link FrameIndex#isRaw} plain raw frames apart.
     */
    int encode(
            BlockIdentity identity,
            int frame,
            int rawOffset,
            Compression compression,
            ByteBuffer raw,
            ByteBuffer stored) {
        int rawLength = raw.limit();
        int payloadLength = compress(compression, raw, stored);
        boolean worthIt = isWorthIt(payloadLength, rawLength);
        if (!worthIt) {
            stored.put(FrameHeader.LENGTH, raw, 0, rawLength);
            payloadLength = rawLength;
        }
        boolean encrypted = encryption.isOn();
        int plain = payloadLength;
        payloadLength += overhead();
        FrameHeader.write(stored, payloadLength, rawLength, worthIt ? written : FrameMethod.RAW, encrypted);
        if (encrypted) {
            cipher().encrypt(identity, frame, rawOffset, stored, plain);
        }
        int sum = checksum.of(identity, frame, rawOffset, stored, payloadLength);
        stored.putInt(FrameHeader.CHECKSUM_AT, sum);
        return payloadLength;
    }

    /** Makes a frame of the bytes in the place of its payload, behind which there is room for encryption. */
    void seal(BlockIdentity identity, int frame, int rawOffset, ByteBuffer stored) {
        int plain = stored.limit() - FrameHeader.LENGTH - overhead();
        FrameHeader.write(stored, plain + overhead(), plain, FrameMethod.RAW, encryption.isOn());
        if (encryption.isOn()) {
            cipher().encrypt(identity, frame, rawOffset, stored, plain);
        }
        stored.putInt(FrameHeader.CHECKSUM_AT, checksum.of(identity, frame, rawOffset, stored, plain + overhead()));
    }

    private boolean isWorthIt(int payloadLength, int rawLength) {
        return payloadLength <= rawLength - (rawLength >> 4) - 1 - overhead();
    }

    /** By how much encryption lengthens a payload. */
    int overhead() {
        return encryption.isOn() ? FrameCipher.OVERHEAD : 0;
    }

    /**
     * Whether a sample from the middle of a frame does not shrink: after a frame that did not, the next seldom does.
     */
    boolean looksFutile(Compression compression, ByteBuffer raw, ByteBuffer stored) {
        if (raw.limit() < 2 * SAMPLE_LENGTH) {
            return false;
        }
        ByteBuffer sample = raw.slice((raw.limit() - SAMPLE_LENGTH) / 2, SAMPLE_LENGTH);
        return !isWorthIt(compress(compression, sample, stored), SAMPLE_LENGTH);
    }

    /** The payload's length; how it was written is in {@link #written}. */
    private int compress(Compression compression, ByteBuffer raw, ByteBuffer stored) {
        int room = stored.limit() - FrameHeader.LENGTH;
        written = FrameMethod.of(compression);
        if (compression instanceof Compression.None) {   // without linking the switch first
            return raw.limit();
        }
        return switch (compression) {
            case Compression.None() -> raw.limit();
            case Compression.Lz4() -> Lz4.COMPRESSOR.compress(raw, 0, raw.limit(), stored, FrameHeader.LENGTH, room);
            case Compression.Zstd(int level) ->
                zstdCompressor(level).compressDirectByteBuffer(stored, FrameHeader.LENGTH, room, raw, 0, raw.limit());
            case Compression.Planes(int level) -> {
                int width = planes().width(raw);
                if (width == 1) {
                    written = FrameMethod.ZSTD;
                    yield zstdCompressor(level).compressDirectByteBuffer(stored, FrameHeader.LENGTH, room, raw, 0,
                            raw.limit());
                }
                yield planes().pack(zstdCompressor(level), raw, width, stored, FrameHeader.LENGTH);
            }
        };
    }

    /** Checks {@code stored}, which should be the frame, header and all; returns how its payload was written. */
    FrameMethod check(FrameEntry frame, ByteBuffer stored) throws CorruptBlockException {
        if (stored.limit() != frame.storedLength()) {
            throw frame.corrupt("has %d bytes instead of %d", stored.limit(), frame.storedLength());
        }
        FrameHeader header = FrameHeader.read(stored);
        int sum = checksum.of(frame.identity(), frame.number(), frame.rawOffset(), stored, frame.payloadLength());
        if (header.checksum() != sum) {
            throw frame.corrupt("checksum mismatch");
        }
        if (header.payloadLength() != frame.payloadLength() || header.rawLength() != frame.rawLength()) {
            throw frame.corrupt("frame and index disagree on its lengths");
        }
        if (header.hasUnknownFlags() || !FrameMethod.isKnown(header.method())) {
            throw frame.corrupt("unknown codec %d or flags %x", header.method(), header.flags());
        }
        if (!encryption.admits(header.isEncrypted())) {
            throw frame.corrupt(header.isEncrypted() ? "is encrypted, unlike its volume"
                    : "is not encrypted, unlike its volume");
        }
        return FrameMethod.of(header.method());
    }

    /**
     * Unpacks the payload of a checked frame to {@code at} of {@code target}: exactly its raw length, or not at all.
     */
    void unpack(FrameMethod method, FrameEntry frame, ByteBuffer stored, ByteBuffer target, int at)
            throws CorruptBlockException {
        int unpacked;
        try {
            if (!FrameHeader.isEncrypted(stored)) {
                unpacked = unpack(method, stored, frame.payloadLength(), target, at, frame.rawLength());
            } else if (method == FrameMethod.RAW) {
                unpacked = cipher().decrypt(frame, stored, target, at);
            } else {
                var plain = opened(frame.payloadLength() + FrameHeader.LENGTH);
                int payload = cipher().decrypt(frame, stored, plain, FrameHeader.LENGTH);
                unpacked = unpack(method, plain, payload, target, at, frame.rawLength());
            }
        } catch (LZ4Exception | ZstdException damaged) {
            throw frame.corrupt("does not decompress: %s", damaged.getMessage());
        }
        if (unpacked != frame.rawLength()) {
            throw frame.corrupt("decompresses to %d bytes instead of %d", unpacked, frame.rawLength());
        }
    }

    private int unpack(FrameMethod method, ByteBuffer stored, int payload, ByteBuffer target, int at, int rawLength) {
        return switch (method) {
            case RAW -> {
                target.put(at, stored, FrameHeader.LENGTH, Math.min(payload, rawLength));
                yield payload;
            }
            case LZ4 -> Lz4.DECOMPRESSOR.decompress(stored, FrameHeader.LENGTH, payload, target, at, rawLength);
            case ZSTD -> zstdDecompressor()
                    .decompressDirectByteBuffer(target, at, rawLength, stored, FrameHeader.LENGTH, payload);
            case PLANES -> planes().unpack(zstdDecompressor(), stored, FrameHeader.LENGTH, payload, target, at,
                    rawLength);
        };
    }

    /** Memory for one raw frame. The same memory each time. */
    ByteBuffer room(int length) {
        if (room.capacity() < length) {
            room = ByteBuffer.allocateDirect(Math.max(length, BlockCodec.FRAME_LENGTH));
        }
        return room;
    }

    private FrameCipher cipher() {
        if (cipher == null) {
            cipher = new FrameCipher(encryption.key().orElseThrow());
        }
        return cipher;
    }

    /** Memory for a decrypted frame. The same memory each time. */
    private ByteBuffer opened(int length) {
        if (opened.capacity() < length) {
            opened = ByteBuffer.allocateDirect(Math.max(length, BlockCodec.FRAME_LENGTH));
        }
        return opened;
    }

    private PlaneFrames planes() {
        if (planes == null) {
            planes = new PlaneFrames();
        }
        return planes;
    }

    private ZstdCompressCtx zstdCompressor(int level) {
        if (zstdCompressor == null) {
            zstdCompressor = new ZstdCompressCtx();
        }
        if (zstdLevel != level) {
            zstdCompressor.setLevel(level);
            zstdLevel = level;
        }
        return zstdCompressor;
    }

    private ZstdDecompressCtx zstdDecompressor() {
        if (zstdDecompressor == null) {
            zstdDecompressor = new ZstdDecompressCtx();
        }
        return zstdDecompressor;
    }

    @Override
    public void close() {
        if (zstdCompressor != null) {
            zstdCompressor.close();
        }
        if (zstdDecompressor != null) {
            zstdDecompressor.close();
        }
    }

    /** Loaded with the first lz4 frame, because it unpacks a native library. */
    private static final class Lz4 {
        static final LZ4Compressor COMPRESSOR = LZ4Factory.fastestInstance().fastCompressor();
        static final LZ4SafeDecompressor DECOMPRESSOR = LZ4Factory.fastestInstance().safeDecompressor();
    }
}
