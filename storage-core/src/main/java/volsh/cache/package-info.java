/**
 * What was read and written lately, nearer than the store. Decoded frames in memory, within a budget of bytes: a
 * {@link volsh.cache.FrameCache} leases them, has every missing frame loaded once however many ask for it, and forgets those that are
 * least likely to be asked for again. Below it a {@link volsh.cache.disk.DiskTier} keeps frames as they are stored, in files of local
 * disks, by the same policy. Knows nothing of volumes, codecs or stores: who asks for a frame that is missing loads it.
 */
@NullMarked
package volsh.cache;

import org.jspecify.annotations.NullMarked;
