/** A block store in a directory: one file per block, there whole or not at all, and there after power loss once put. */
@NullMarked
package volsh.block.file;

import org.jspecify.annotations.NullMarked;
