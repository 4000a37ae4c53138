/**
 * Stored frames in files of local disks: a cache directory, what is pinned in it, and several of them as one tier.
 */
@NullMarked
package volsh.cache.disk;

import org.jspecify.annotations.NullMarked;
