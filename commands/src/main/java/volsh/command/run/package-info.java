/**
 * From words to an exit code: {@link volsh.command.run.CommandTree} knows every command,
 * {@link volsh.command.run.CommandRunner} parses a line, asks for confirmation or shows the plan, runs the command,
 * renders what it returns and tells what went wrong.
 */
@NullMarked
package volsh.command.run;

import org.jspecify.annotations.NullMarked;
