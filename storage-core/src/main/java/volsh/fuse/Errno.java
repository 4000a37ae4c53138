package volsh.fuse;

import volsh.fs.FsError;

/** The one place where file system errors become Linux error numbers. */
public final class Errno {
    public static final int EIO = 5;
    public static final int EINTR = 4;
    public static final int ENOSYS = 38;

    private Errno() {}

    // No default: a new FsError must not compile until it has an errno.
    public static int of(FsError error) {
        return switch (error) {
            case NOT_PERMITTED -> 1;
            case NO_ENTRY -> 2;
            case INTERRUPTED -> EINTR;
            case IO -> EIO;
            case BAD_HANDLE -> 9;
            case NO_MORE -> 6;
            case WOULD_BLOCK -> 11;
            case ACCESS -> 13;
            case BUSY -> 16;
            case EXISTS -> 17;
            case CROSS_DEVICE -> 18;
            case NOT_DIRECTORY -> 20;
            case IS_DIRECTORY -> 21;
            case INVALID -> 22;
            case FILE_TOO_BIG -> 27;
            case NO_SPACE -> 28;
            case READ_ONLY -> 30;
            case TOO_MANY_LINKS -> 31;
            case RANGE -> 34;
            case DEADLOCK -> 35;
            case NAME_TOO_LONG -> 36;
            case NO_LOCKS -> 37;
            case NOT_EMPTY -> 39;
            case SYMLINK_LOOP -> 40;
            case NO_DATA -> 61;
            case NOT_SUPPORTED -> 95;
            case TIMED_OUT -> 110;
            case STALE -> 116;
            case QUOTA -> 122;
        };
    }
}
