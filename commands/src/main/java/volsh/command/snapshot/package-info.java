/** Commands for snapshots, history, undelete, and clones that share data. */
@NullMarked
package volsh.command.snapshot;

import org.jspecify.annotations.NullMarked;
