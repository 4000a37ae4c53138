package volsh.chunk;

import java.util.concurrent.atomic.AtomicLongArray;
import volsh.cache.FrameKey;

/**
 * Decides when small reads of a frame justify loading all of it into memory: when they add up to a quarter of it. At
 * most four times the bytes asked for are therefore read in vain. Remembers a few thousand frames; of two frames with
 * the same slot either may be forgotten. Thread-safe.
 */
final class SmallReads {
    static final int LENGTH_MAX = 16 << 10;
    private static final int PLACES = 1 << 14;
    private static final int PART = 4;
    private static final int BITS = 20;   // for the bytes; the other bits identify the frame
    private static final long BYTES = (1L << BITS) - 1;

    private final AtomicLongArray read = new AtomicLongArray(PLACES);

    /** Counts a read of {@code wanted} bytes of a frame of {@code length}; returns whether to load the whole frame. */
    boolean wantsAll(FrameKey key, int length, int wanted) {
        long mixed = key.mixed();
        int place = (int) (mixed >>> Long.SIZE - Integer.numberOfTrailingZeros(PLACES));
        long before = read.get(place);
        long tag = mixed << BITS;
        long sum = ((before & ~BYTES) == tag ? before & BYTES : 0) + wanted;
        boolean all = sum >= Math.min(length / PART, BYTES);
        read.lazySet(place, tag | (all ? 0 : sum));
        return all;
    }
}
