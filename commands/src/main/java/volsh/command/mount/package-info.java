/** Commands that mount volumes, and inspect and end mounts. */
@NullMarked
package volsh.command.mount;

import org.jspecify.annotations.NullMarked;
