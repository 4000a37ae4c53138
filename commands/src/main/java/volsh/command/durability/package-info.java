/** Commands that show the durability of files, and wait for it. */
@NullMarked
package volsh.command.durability;

import org.jspecify.annotations.NullMarked;
