package volsh.cache;

import java.util.List;

/** Keeps recently read frames. May forget any frame that is not leased, and is never the only copy. Thread-safe. */
public interface FrameCache extends AutoCloseable {
    /** Asks for a frame of {@code length} raw bytes, of which {@code wanted} are to be read now. */
    Answer ask(FrameKey key, int length, int wanted);

    /** Whether the frame is in the cache or being loaded. Does not count as a use. */
    boolean has(FrameKey key);

    /** Counts a miss: {@code wanted} bytes of a frame were read without loading it into the cache. */
    void passed(FrameKey key, int length, int wanted);

    /** Asks for a frame that will be read soon. Does not count as a use: no hit and no miss. */
    Answer askAhead(FrameKey key, int length);

    /** Forgets a frame that its reader has passed and does not need again, unless it is in use. */
    void leave(FrameKey key);

    /** Forgets the frames of a deleted block, except those in use. */
    void drop(long block);

    /** Whether it keeps anything at all. */
    boolean isOn();

    CacheUsage usage();

    /** How its data is read; empty if it never keeps anything. */
    default List<Epochs> epochs() {
        return List.of();
    }

    @Override
    void close();
}
