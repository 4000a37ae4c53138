package volsh.cache.disk;

/** A block with frames in a cache directory. Its file is written and deleted under its monitor. */
final class CachedBlock {
    /** The place of a block that is pinned and therefore not among those that may be evicted. */
    static final int PINNED = -1;

    private final long id;
    private volatile long touched;
    private volatile long size;
    private volatile boolean unread;
    private volatile long born;
    private int place = PINNED;
    private boolean gone;

    CachedBlock(long id, long now) {
        this.id = id;
        this.touched = now;
    }

    long id() {
        return id;
    }

    /** When it was last read. */
    long touched() {
        return touched;
    }

    void touch(long now) {
        touched = now;
        if (unread) {
            unread = false;
        }
    }

    /** Marks it as loaded ahead of its reader. */
    void loadedAhead(long now) {
        touched = now;
        unread = true;
    }

    /** Whether it was loaded ahead and not read yet. */
    boolean isUnread() {
        return unread;
    }

    /**
     * When its file was made, in milliseconds; for a file of an earlier process, when it was last written; 0 until that
     * is known.
     */
    long born() {
        return born;
    }

    void bornAt(long millis) {
        born = millis;
    }

    /** Bytes of its file; 0 if there is none yet. */
    long size() {
        return size;
    }

    void resize(long bytes) {
        size = bytes;
    }

    /** Its position among the blocks that may be evicted, or {@link #PINNED}. */
    int place() {
        return place;
    }

    void placeAt(int index) {
        place = index;
    }

    boolean isGone() {
        return gone;
    }

    void leave() {
        gone = true;
    }
}
