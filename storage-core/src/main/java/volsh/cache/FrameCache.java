package volsh.cache;

import java.util.List;

/** Keeps frames that were read lately. It may forget any frame that nobody leases, and is never the only copy. Thread-safe. */
public interface FrameCache extends AutoCloseable {
    /** Asks for a frame of {@code length} raw bytes, of which {@code wanted} are to be read now. */
    Answer ask(FrameKey key, int length, int wanted);

    /** Is it here, or coming? Not a use of it. */
    boolean has(FrameKey key);

    /** So much of a frame that is not here was read without it, or without a cache: a miss, and nothing is to come. */
    void passed(FrameKey key, int length, int wanted);

    /** Asks for a frame that will be read soon. Not a use of it: no hit and no miss. */
    Answer askAhead(FrameKey key, int length);

    /** Forgets the frames of a block that is deleted, but for those in use. */
    void drop(long block);

    /** False if it never keeps anything. */
    boolean isOn();

    CacheUsage usage();

    /** How its data is read; empty if it never keeps anything. */
    default List<Epochs> epochs() {
        return List.of();
    }

    @Override
    void close();
}
