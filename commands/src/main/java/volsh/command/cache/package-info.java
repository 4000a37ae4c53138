/**
 * The commands that look at, check and empty cache directories, also while mounts use them. Knows nothing of how frames
 * are kept.
 */
@NullMarked
package volsh.command.cache;

import org.jspecify.annotations.NullMarked;
