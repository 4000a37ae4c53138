/**
 * Completion for the prompt and for bash, zsh and fish, read off the command tree. It is pure: it never runs a command,
 * and live names come from {@linkplain volsh.command.complete.CompletionSource sources} that answer quickly or not at
 * all.
 */
@NullMarked
package volsh.command.complete;

import org.jspecify.annotations.NullMarked;
