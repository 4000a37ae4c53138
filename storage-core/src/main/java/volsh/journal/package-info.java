/**
 * Writeback: blocks are staged in a journal on a local disk, which is all that a writer waits for, and go to their store
 * in the background. A staged block survives power loss; it is read from the journal until it is stored; what a killed
 * process left is taken over by the next one. Knows nothing of files or of what a block holds.
 */
@NullMarked
package volsh.journal;

import org.jspecify.annotations.NullMarked;
