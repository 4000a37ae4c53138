/** Small blocks that share objects of the store: writing, finding, compacting and giving them back. */
@NullMarked
package volsh.pack;

import org.jspecify.annotations.NullMarked;
