/** The commands {@code job …}: background work in processes of its own. */
@NullMarked
package volsh.command.job;

import org.jspecify.annotations.NullMarked;
