/**
 * What a failure looks like from outside. A command throws a {@link volsh.command.failure.CommandFailure}; every other
 * exception becomes a {@link volsh.command.failure.Problem} in one place, {@link volsh.command.failure.Diagnosis}, with
 * an {@link volsh.command.failure.ExitCode} that scripts can rely on. No class names, no "null", no stack without
 * {@code --debug}.
 */
@NullMarked
package volsh.command.failure;

import org.jspecify.annotations.NullMarked;
