package volsh.engine;

import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A key of the metadata: 1 to 1,024 bytes, ordered as unsigned bytes. The array is never changed after construction.
 */
public final class MetaKey implements Comparable<MetaKey> {
    /** No key is longer. */
    public static final int LENGTH_MAX = 1024;

    private final byte[] bytes;

    private MetaKey(byte[] bytes) {
        if (bytes.length == 0 || bytes.length > LENGTH_MAX) {
            throw new IllegalArgumentException("invalid metadata key: it must have 1 to %d bytes, not %d"
                    .formatted(LENGTH_MAX, bytes.length));
        }
        this.bytes = bytes;
    }

    /** Takes ownership of the array: the caller must not change it any more. */
    public static MetaKey of(byte... bytes) {
        return new MetaKey(bytes);
    }

    /** The key's bytes; not to be changed. */
    public byte[] bytes() {
        return bytes;
    }

    /** The smallest key greater than this one. */
    public MetaKey next() {
        return new MetaKey(Arrays.copyOf(bytes, bytes.length + 1));
    }

    /** The smallest key greater than every key that starts with this one. */
    public MetaKey afterPrefix() {
        int last = bytes.length - 1;
        while (last >= 0 && bytes[last] == (byte) 0xff) {
            last--;
        }
        if (last < 0) {
            throw new IllegalArgumentException("no key is greater than a prefix of 0xff bytes");
        }
        byte[] end = Arrays.copyOf(bytes, last + 1);
        end[last]++;
        return new MetaKey(end);
    }

    public boolean startsWith(MetaKey prefix) {
        return bytes.length >= prefix.bytes.length
                && Arrays.equals(bytes, 0, prefix.bytes.length, prefix.bytes, 0, prefix.bytes.length);
    }

    @Override
    public int compareTo(MetaKey other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MetaKey key && Arrays.equals(bytes, key.bytes);
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
