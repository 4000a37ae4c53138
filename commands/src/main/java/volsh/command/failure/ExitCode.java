package volsh.command.failure;

import java.util.Locale;

/** The exit codes of commands. Documented and stable; scripts retry only {@link #retryable()} codes. */
public enum ExitCode {
    OK(0, "success, or nothing to do"),
    FAILED(1, "the operation failed"),
    USAGE(2, "the command line is invalid, or a confirmation is missing"),
    NOT_FOUND(3, "a named object does not exist"),
    CONFLICT(4, "the object exists with other properties, or another host took it over"),
    BUSY(5, "the object is in use or locked"),
    UNAVAILABLE(6, "a store, the network or the metadata is unreachable; retry later"),
    INTEGRITY(7, "stored data is damaged or missing"),
    NO_SPACE(8, "no space left, or a quota is exceeded"),
    PERMISSION(9, "permission denied"),
    PARTIAL(10, "some items succeeded, some failed"),
    EXPECTATION(11, "a result misses an expectation or a baseline"),
    PENDING(20, "changes are pending (--dry-run --exit-code)"),
    TIMEOUT(124, "the operation timed out; retry later"),
    NOT_EXECUTABLE(126, "the script cannot run"),
    UNKNOWN_COMMAND(127, "no such command"),
    HANGUP(129, "ended by SIGHUP"),
    CANCELLED(130, "cancelled by Ctrl-C (SIGINT)"),
    BROKEN_PIPE(141, "the reader of the output closed the pipe"),
    TERMINATED(143, "ended by SIGTERM");

    private final int status;
    private final String meaning;

    ExitCode(int status, String meaning) {
        this.status = status;
        this.meaning = meaning;
    }

    /** The code with this number; {@link #FAILED} for an unknown number. */
    public static ExitCode of(int status) {
        for (ExitCode code : values()) {
            if (code.status == status) {
                return code;
            }
        }
        return FAILED;
    }

    /** The number the process ends with. */
    public int status() {
        return status;
    }

    /** What it means, in plain words. */
    public String meaning() {
        return meaning;
    }

    /** Its stable name for programs: {@code not-found}. */
    public String kind() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether the same command may succeed later without any change. */
    public boolean retryable() {
        return this == UNAVAILABLE || this == TIMEOUT;
    }
}
