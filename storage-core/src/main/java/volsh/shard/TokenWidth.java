package volsh.shard;

import java.util.Locale;

/** How many bits a token id has. Little endian, unsigned. */
public enum TokenWidth {
    U16(2), U32(4);

    private final int bytes;

    TokenWidth(int bytes) {
        this.bytes = bytes;
    }

    public int bytes() {
        return bytes;
    }

    /** The largest id. */
    public long max() {
        return (1L << 8 * bytes) - 1;
    }

    /** What fields of such ids are called: {@code u16}. */
    public String field() {
        return name().toLowerCase(Locale.ROOT);
    }
}
