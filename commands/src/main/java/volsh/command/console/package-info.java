/**
 * The two output streams of a command. Standard output carries data only ({@link volsh.command.console.Output});
 * messages for the user go to standard error through {@link volsh.command.console.Messages}, which shares the line
 * with {@link volsh.command.console.Progress}.
 */
@NullMarked
package volsh.command.console;

import org.jspecify.annotations.NullMarked;
