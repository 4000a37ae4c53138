/**
 * The machine below: the kernel's information about memory, disks and mounts in /proc, and the few of its settings that
 * matter to training. Every reader takes the /proc directory as a parameter, for tests. Of volumes it only knows what a
 * volsh mount looks like.
 */
@NullMarked
package volsh.system;

import org.jspecify.annotations.NullMarked;
