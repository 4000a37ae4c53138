/** The journals of a volume that is open for writing: its own, and those that dead processes left. */
@NullMarked
package volsh.writeback;

import org.jspecify.annotations.NullMarked;
