package volsh.quota;

import java.nio.ByteBuffer;
import volsh.engine.MetaKey;

/**
 * The limits of an account: bytes as files show them, and inodes; {@link #NONE} for no limit. {@code directory} is the
 * root of a project.
 */
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
            throw new IllegalStateException("unsupported quota row format " + format + ": this volsh supports "
                    + FORMAT);
        }
        return new QuotaRule(QuotaKeys.account(key), in.getLong(), in.getLong(), in.getLong());
    }
}
