/** Commands that save, find, verify, restore and prune checkpoints of training runs. */
@NullMarked
package volsh.command.checkpoint;

import org.jspecify.annotations.NullMarked;
