package volsh.command.failure;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A failure that a command understands and explains:
 * <pre>{@code
 * throw CommandFailure.of(ExitCode.BUSY, "VOL-0412", "cannot destroy volume '" + name + "': mounted on 2 hosts")
 *         .detail("gpu-07  /mnt/train  3h")
 *         .hint("volsh umount --all " + name);
 * }</pre>
 */
public final class CommandFailure extends RuntimeException {
    private final transient Problem problem;

    private CommandFailure(Problem problem, @Nullable Throwable cause) {
        super(problem.message(), cause);
        this.problem = problem;
    }

    public static CommandFailure of(ExitCode exit, String code, @Nullable String message) {
        return new CommandFailure(Problem.of(exit, code, Objects.requireNonNullElse(message, "unknown error")), null);
    }

    /** A failure that was diagnosed already. */
    public static CommandFailure of(Problem problem) {
        return new CommandFailure(problem, null);
    }

    /** The command line is wrong. */
    public static CommandFailure usage(@Nullable String message) {
        return of(ExitCode.USAGE, "CLI-0002", message);
    }

    /** The same, ending the process with another number than its exit code has. */
    public CommandFailure ending(int status) {
        return new CommandFailure(problem.ending(status), getCause());
    }

    /** A fact that helps, on a line of its own. */
    public CommandFailure detail(String line) {
        return new CommandFailure(problem.detail(line), getCause());
    }

    /** A command that can be pasted. */
    public CommandFailure hint(String command) {
        return new CommandFailure(problem.hint(command), getCause());
    }

    /** What led to it; its messages become the {@code cause:} lines. */
    public CommandFailure causedBy(@Nullable Throwable cause) {
        return new CommandFailure(problem, cause);
    }

    @Override
    public String getMessage() {
        return problem.message();
    }

    public Problem problem() {
        return problem;
    }

    public ExitCode exit() {
        return problem.exit();
    }
}
