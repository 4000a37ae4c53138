/** Reading of files that the kernel generates on the fly: /proc and /sys. */
@NullMarked
package volsh.proc;

import org.jspecify.annotations.NullMarked;
