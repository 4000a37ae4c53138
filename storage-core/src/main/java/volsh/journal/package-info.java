/**
 * Writeback: blocks are staged in a journal on a local disk, which is all that a writer waits for, and are stored in
 * the background. A staged block survives power loss; it is read from the journal until it is stored; the next process
 * takes over what a killed process left. Knows nothing of files or of what a block contains.
 */
@NullMarked
package volsh.journal;

import org.jspecify.annotations.NullMarked;
