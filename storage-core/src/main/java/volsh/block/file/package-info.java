/** A block store in a directory: one file per block, complete or absent, and durable once put. */
@NullMarked
package volsh.block.file;

import org.jspecify.annotations.NullMarked;
