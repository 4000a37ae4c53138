package volsh.script;

import java.util.List;
import volsh.command.failure.ExitCode;
import volsh.command.failure.Problem;

/**
 * A command that failed, as scripts catch it: {@code catch (Unavailable e)}, {@code e.code}, {@code e.retryable}. There
 * is a class for each kind of failure that a script may want to tell from others.
 */
public class VolshException extends RuntimeException {
    /** The kinds, for the imports of scripts. */
    static final List<Class<?>> KINDS = List.of(Usage.class, NotFound.class, Conflict.class, Busy.class,
            Unavailable.class, Integrity.class, NoSpace.class, Permission.class, Partial.class, Expectation.class,
            Timeout.class);

    private final transient Problem problem;
    private final transient Object value;

    private VolshException(Problem problem, Object value, Throwable cause) {
        super(problem.message(), cause);
        this.problem = problem;
        this.value = value;
    }

    static VolshException of(Problem problem, Throwable cause) {
        return of(problem, null, cause);
    }

    /** {@code value} is the partial result of the command. */
    static VolshException of(Problem problem, Object value, Throwable cause) {
        return switch (problem.exit()) {
            case USAGE -> new Usage(problem, value, cause);
            case NOT_FOUND -> new NotFound(problem, value, cause);
            case CONFLICT -> new Conflict(problem, value, cause);
            case BUSY -> new Busy(problem, value, cause);
            case UNAVAILABLE -> new Unavailable(problem, value, cause);
            case INTEGRITY -> new Integrity(problem, value, cause);
            case NO_SPACE -> new NoSpace(problem, value, cause);
            case PERMISSION -> new Permission(problem, value, cause);
            case PARTIAL -> new Partial(problem, value, cause);
            case EXPECTATION -> new Expectation(problem, value, cause);
            case TIMEOUT -> new Timeout(problem, value, cause);
            case OK, FAILED, PENDING, NOT_EXECUTABLE, UNKNOWN_COMMAND, HANGUP, CANCELLED, BROKEN_PIPE,
                    TERMINATED ->
                    new VolshException(problem, value, cause);
        };
    }

    Problem problem() {
        return problem;
    }

    /** The exit code of the process if this is not caught. */
    public int getStatus() {
        return problem.status();
    }

    /** As {@link #getStatus}. */
    public int getExit() {
        return problem.status();
    }

    /** The stable name of this very failure, such as {@code VOL-0003}. */
    public String getCode() {
        return problem.code();
    }

    /** The stable name of its kind, such as {@code not-found}. */
    public String getKind() {
        return problem.exit().kind();
    }

    public boolean isRetryable() {
        return problem.exit().retryable();
    }

    /** The partial result of the command; null if there is none. */
    public Object getValue() {
        return value;
    }

    public List<String> getDetails() {
        return problem.details();
    }

    public List<String> getHints() {
        return problem.hints();
    }

    ExitCode exit() {
        return problem.exit();
    }

    /** The line or the arguments are invalid. */
    public static final class Usage extends VolshException {
        private Usage(Problem problem, Object value, Throwable cause) {
            super(problem, value, cause);
        }
    }

    public static final class NotFound extends VolshException {
        private NotFound(Problem problem, Object value, Throwable cause) {
            super(problem, value, cause);
        }
    }

    public static final class Conflict extends VolshException {
        private Conflict(Problem problem, Object value, Throwable cause) {
            super(problem, value, cause);
        }
    }

    public static final class Busy extends VolshException {
        private Busy(Problem problem, Object value, Throwable cause) {
            super(problem, value, cause);
        }
    }

    /** A store, the network or the metadata is unreachable; a retry may succeed. */
    public static final class Unavailable extends VolshException {
        private Unavailable(Problem problem, Object value, Throwable cause) {
            super(problem, value, cause);
        }
    }

    public static final class Integrity extends VolshException {
        private Integrity(Problem problem, Object value, Throwable cause) {
            super(problem, value, cause);
        }
    }

    public static final class NoSpace extends VolshException {
        private NoSpace(Problem problem, Object value, Throwable cause) {
            super(problem, value, cause);
        }
    }

    public static final class Permission extends VolshException {
        private Permission(Problem problem, Object value, Throwable cause) {
            super(problem, value, cause);
        }
    }

    /** Some items succeeded, some failed. */
    public static final class Partial extends VolshException {
        private Partial(Problem problem, Object value, Throwable cause) {
            super(problem, value, cause);
        }
    }

    public static final class Expectation extends VolshException {
        private Expectation(Problem problem, Object value, Throwable cause) {
            super(problem, value, cause);
        }
    }

    public static final class Timeout extends VolshException {
        private Timeout(Problem problem, Object value, Throwable cause) {
            super(problem, value, cause);
        }
    }
}
