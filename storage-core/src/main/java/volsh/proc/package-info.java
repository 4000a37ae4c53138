/** Files that the kernel makes up while they are read: /proc and /sys. Everything that asks the kernel this way reads them here. */
@NullMarked
package volsh.proc;

import org.jspecify.annotations.NullMarked;
