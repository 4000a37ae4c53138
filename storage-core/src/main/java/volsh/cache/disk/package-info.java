/** Stored frames in files on local disks: a cache directory, its pins, and several directories as one tier. */
@NullMarked
package volsh.cache.disk;

import org.jspecify.annotations.NullMarked;
