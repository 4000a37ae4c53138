/** Limits on what volumes and directories may hold: set, list, show, remove. */
@NullMarked
package volsh.command.quota;

import org.jspecify.annotations.NullMarked;
