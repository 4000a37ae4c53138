/**
 * The two streams a command talks to. Standard output carries data only ({@link volsh.command.console.Output});
 * everything meant for the person who waits goes to standard error through {@link volsh.command.console.Messages},
 * which shares the line with {@link volsh.command.console.Progress}.
 */
@NullMarked
package volsh.command.console;

import org.jspecify.annotations.NullMarked;
