package volsh.quota;

import java.nio.ByteBuffer;
import volsh.engine.MetaKey;

/** How much an account may have at most: bytes as files show them, and inodes; {@link #NONE} where there is no limit. {@code directory} is what a project begins with. */
public record QuotaRule(Account account, long bytes, long inodes, long directory) {
    public static final long NONE = Long.MAX_VALUE;

    private static final int FORMAT = 1;

    public QuotaRule {
        if (bytes < 0 || inodes < 0) {
            throw new IllegalArgumentException("a quota cannot be negative");
        }
    }

    public byte[] toBytes() {
        return ByteBuffer.allocate(25).put((byte) FORMAT).putLong(bytes).putLong(inodes).putLong(directory).array();
    }

    public static QuotaRule parse(MetaKey key, byte[] row) {
        var in = ByteBuffer.wrap(row);
        int format = in.get();
        if (format != FORMAT) {
            throw new IllegalStateException("quota row of format " + format + ", this volsh knows " + FORMAT);
        }
        return new QuotaRule(QuotaKeys.account(key), in.getLong(), in.getLong(), in.getLong());
    }
}
