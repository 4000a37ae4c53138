/**
 * The prompt: JLine's line editor over the language of lines. What is typed is coloured and completed without running
 * anything; Ctrl-C stops the command that runs and never the shell.
 */
@NullMarked
package volsh.prompt;

import org.jspecify.annotations.NullMarked;
