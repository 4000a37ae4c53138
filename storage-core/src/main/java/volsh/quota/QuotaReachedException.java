package volsh.quota;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import volsh.unit.ByteSize;

/**
 * A change does not fit into a quota: of which volume, directory or owner, the limit, and what is used of it. The cause
 * of every {@link volsh.fs.FsError#QUOTA}, so that its message can name the limit and the command to look at it.
 */
public final class QuotaReachedException extends IOException {
    private static final int TIMES = 2;
    private static final int LONGEST_CHAIN = 100;

    private final transient QuotaRule rule;
    private final transient Charge used;
    private final transient Charge reserved;
    private final transient Charge need;
    private final transient QuotaSubject subject;

    QuotaReachedException(QuotaRule rule, Charge used, Charge reserved, Charge need) {
        this(rule, used, reserved, need, new QuotaSubject("", rule.account(), ""));
    }

    private QuotaReachedException(QuotaRule rule, Charge used, Charge reserved, Charge need, QuotaSubject subject) {
        super(null, null);
        this.rule = rule;
        this.used = used;
        this.reserved = reserved;
        this.need = need;
        this.subject = subject;
    }

    /** The quota behind a failure, if its volume and directory are known; null if there is none. */
    public static @Nullable QuotaReachedException behind(Throwable failure) {
        var cause = failure;
        for (int depth = 0; cause != null && depth < LONGEST_CHAIN; depth++, cause = cause.getCause()) {
            if (cause instanceof QuotaReachedException reached && reached.subject.isNamed()) {
                return reached;
            }
        }
        return null;
    }

    /** The same with the name of the volume, and for the quota of a directory with its path; empty if unknown. */
    public QuotaReachedException named(String volume, String directory) {
        return new QuotaReachedException(rule, used, reserved, need,
                new QuotaSubject(volume, rule.account(), directory));
    }

    public QuotaRule rule() {
        return rule;
    }

    /** {@code volume 'a' may hold 200MiB and holds 198MiB: 4MiB more do not fit}. */
    @Override
    public String getMessage() {
        boolean bytes = used.bytes() + reserved.bytes() + need.bytes() > rule.bytes();
        return bytes
                ? "%s may hold %s and holds %s%s%s".formatted(subject, new ByteSize(rule.bytes()),
                        new ByteSize(Math.max(0, used.bytes())), reserved.bytes() == 0 ? ""
                                : ", other writers have reserved %s".formatted(new ByteSize(reserved.bytes())),
                        need.bytes() == 0 ? "" : ": %s more do not fit".formatted(new ByteSize(need.bytes())))
                : "%s may hold %d inodes and holds %d%s: %d more do not fit".formatted(subject, rule.inodes(),
                        used.inodes(), reserved.inodes() == 0 ? ""
                                : ", other writers have reserved %d".formatted(reserved.inodes()), need.inodes());
    }

    /** The command that shows the quota. */
    public String show() {
        return "volsh quota show " + subject.words();
    }

    /** The command that makes it twice as large, or as large as the change needs. */
    public String raise() {
        var bytes = rule.bytes() == QuotaRule.NONE ? ""
                : " " + new ByteSize(rounded(raised(rule.bytes(),
                        used.bytes() + reserved.bytes() + need.bytes()))).exact();
        var inodes = rule.inodes() == QuotaRule.NONE ? ""
                : " --inodes " + raised(rule.inodes(), used.inodes() + reserved.inodes() + need.inodes());
        return "volsh quota set " + subject.words() + bytes + inodes;
    }

    /** Up to a whole number of MiB, as people write sizes. */
    private static long rounded(long bytes) {
        return bytes > Long.MAX_VALUE - ByteSize.MIB ? bytes : (bytes + ByteSize.MIB - 1) / ByteSize.MIB * ByteSize.MIB;
    }

    private static long raised(long limit, long wanted) {
        return wanted <= limit ? limit : Math.max(limit > Long.MAX_VALUE / TIMES ? limit : limit * TIMES, wanted);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
