package volsh.command.quota;

import volsh.command.failure.CommandFailure;
import volsh.unit.ByteSize;

/** Refuses quotas that cannot be meant: {@code --quota 10} is ten bytes. */
public final class TinyQuota {
    private static final long LEAST = 4 * ByteSize.KIB;

    private TinyQuota() {}

    /** A volume cannot be limited to less than one of its blocks. */
    public static void refuse(ByteSize quota, ByteSize blockSize) {
        if (quota.bytes() < blockSize.bytes()) {
            throw tiny(quota, "less than one block of the volume (%s)".formatted(blockSize));
        }
    }

    /** A directory or an owner may be limited to a few small files. */
    static void refuse(ByteSize quota) {
        if (quota.bytes() < LEAST) {
            throw tiny(quota, "which holds no file worth mentioning");
        }
    }

    private static CommandFailure tiny(ByteSize quota, String why) {
        boolean bytes = quota.bytes() < ByteSize.KIB;
        return CommandFailure.usage("a quota of %s is %s".formatted(bytes ? quota.bytes() + " bytes" : quota, why))
                .hint(bytes ? "write a unit, such as %dGiB".formatted(Math.max(1, quota.bytes()))
                        : "write a larger size");
    }
}
