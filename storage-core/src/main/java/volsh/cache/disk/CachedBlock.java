package volsh.cache.disk;

/** A block of which something is in a cache directory. Who writes or deletes its file holds its monitor. */
final class CachedBlock {
    /** The place of a block that stands aside because it is pinned. */
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

    /** When it was last asked for. */
    long touched() {
        return touched;
    }

    void touch(long now) {
        touched = now;
        if (unread) {
            unread = false;
        }
    }

    /** It was loaded ahead of its reader, who comes soon. */
    void loadedAhead(long now) {
        touched = now;
        unread = true;
    }

    /** Loaded ahead of its reader, who has not come yet. */
    boolean isUnread() {
        return unread;
    }

    /** When its file was made, in milliseconds; of one that was here before, when it was last written to; 0 until that is known. */
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

    /** Where it stands among those that may be evicted, or {@link #PINNED}. */
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
