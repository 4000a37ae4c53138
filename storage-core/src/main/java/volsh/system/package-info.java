/**
 * The machine below: what the kernel says of memory, disks and mounts in /proc, and the few of its settings that matter to
 * training. Every reader takes the directory that is /proc, so that tests can bring their own. Of volumes it only knows how a mount of ours looks.
 */
@NullMarked
package volsh.system;

import org.jspecify.annotations.NullMarked;
