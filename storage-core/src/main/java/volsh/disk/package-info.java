/**
 * The local disk as a seam: exactly what the file store, the journal and the disk cache may use of it. The tests' disk
 * keeps synced and unsynced state apart and can tear, fail and fill up. Knows nothing.
 */
@NullMarked
package volsh.disk;

import org.jspecify.annotations.NullMarked;
