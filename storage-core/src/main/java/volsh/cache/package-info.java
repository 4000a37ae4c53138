/**
 * Recently read and written data, nearer than the store. Decoded frames are in memory, within a budget: a {@link
 * volsh.cache.FrameCache} leases them, has every missing frame loaded once, however many threads ask, and evicts those
 * that are least likely to be read again. Below it a {@link volsh.cache.disk.DiskTier} keeps stored frames in files on
 * local disks, by the same policy. Knows nothing of volumes, codecs or stores: the caller loads missing frames.
 */
@NullMarked
package volsh.cache;

import org.jspecify.annotations.NullMarked;
