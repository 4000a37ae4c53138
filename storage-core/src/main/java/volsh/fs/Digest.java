package volsh.fs;

import java.util.Arrays;
import java.util.HexFormat;

/** The digest of some bytes within one volume: the first 16 bytes of SHA-256 over a key of the volume and the bytes. */
public final class Digest {
    public static final int BYTES = 16;

    private final byte[] bytes;

    public Digest(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a digest has %d bytes: %d".formatted(BYTES, bytes.length));
        }
        this.bytes = bytes.clone();
    }

    public byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Digest that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
