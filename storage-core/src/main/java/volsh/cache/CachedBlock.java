package volsh.cache;

/** A block of which something is in a cache directory. Who writes or deletes its file holds its monitor. */
final class CachedBlock {
    private final long id;
    private volatile long touched;
    private volatile long size;
    private int place;
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
    }

    /** Bytes of its file; 0 if there is none yet. */
    long size() {
        return size;
    }

    void resize(long bytes) {
        size = bytes;
    }

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
