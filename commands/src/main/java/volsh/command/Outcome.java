package volsh.command;

import org.jspecify.annotations.Nullable;
import volsh.command.failure.ExitCode;

/**
 * A value together with an exit code other than 0, such as a report in which some items failed.
 *
 * @param status the number the process ends with; a script may choose one that {@link ExitCode} does not know
 */
public record Outcome<T>(@Nullable T value, ExitCode exit, int status) {
    public Outcome(@Nullable T value, ExitCode exit) {
        this(value, exit, exit.status());
    }

    /** No value; the process ends with this number. */
    public static Outcome<Void> ended(int status) {
        return new Outcome<>(null, ExitCode.of(status), status);
    }
}
