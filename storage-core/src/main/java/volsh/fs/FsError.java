package volsh.fs;

/**
 * Why a file system operation is refused. Each becomes one errno at the FUSE edge and one exit code at the command
 * edge.
 */
public enum FsError {
    NOT_PERMITTED("operation not permitted"),
    NO_ENTRY("no such file or directory"),
    IO("input/output error"),
    BAD_HANDLE("bad file handle"),
    ACCESS("permission denied"),
    BUSY("resource busy"),
    EXISTS("file exists"),
    CROSS_DEVICE("crosses a boundary that rename and link cannot cross"),
    NOT_DIRECTORY("not a directory"),
    IS_DIRECTORY("is a directory"),
    INVALID("invalid argument"),
    FILE_TOO_BIG("file too large"),
    NO_SPACE("no space left"),
    READ_ONLY("read-only file system"),
    TOO_MANY_LINKS("too many links"),
    NAME_TOO_LONG("file name too long"),
    NOT_EMPTY("directory not empty"),
    SYMLINK_LOOP("too many levels of symbolic links"),
    NO_DATA("no such attribute"),
    NOT_SUPPORTED("operation not supported"),
    RANGE("result too large for the buffer"),
    QUOTA("quota exceeded"),
    NO_MORE("no data or hole beyond this offset"),
    WOULD_BLOCK("resource temporarily unavailable"),
    DEADLOCK("would deadlock"),
    NO_LOCKS("no locks available"),
    INTERRUPTED("interrupted"),
    STALE("stale handle: this session was fenced"),
    TIMED_OUT("timed out");

    private final String text;

    FsError(String text) {
        this.text = text;
    }

    /** The reason as text. */
    public String text() {
        return text;
    }
}
