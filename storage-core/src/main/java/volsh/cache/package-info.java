/**
 * Decoded frames in memory, within a budget of bytes: a {@link volsh.cache.FrameCache} leases them, has every missing frame
 * loaded once however many ask for it, and forgets those that are least likely to be asked for again. Knows nothing of files,
 * codecs or stores: who asks for a frame that is missing loads it.
 */
package volsh.cache;
