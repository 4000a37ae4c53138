package volsh.cache.disk;

/** What became of frames that were to be kept. */
public enum RetainedFrames {
    /** They are here. */
    YES,
    /** Everything here is pinned, or was asked for more lately. */
    NO_ROOM,
    /** The disk is in trouble, or there is none. */
    NO_DISK
}
