package volsh.cache.disk;

/** Whether frames were kept. */
public enum RetainedFrames {
    /** They are in the cache. */
    YES,
    /** All other blocks are pinned or were read more recently. */
    NO_ROOM,
    /** The disk fails, or there is none. */
    NO_DISK
}
