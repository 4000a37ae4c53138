package volsh.chunk;

import java.util.concurrent.atomic.AtomicLongArray;
import volsh.cache.FrameKey;

/**
 * Decides when small reads of a frame have become so many that all of it is worth having in memory: once they came to a quarter of it, and
 * then it takes another quarter. So what is read in vain is at most four times what was asked for. Remembers a few thousand frames; which of two
 * that meet in one place is forgotten does not matter. Thread-safe.
 */
final class SmallReads {
    static final int LENGTH_MAX = 16 << 10;
    private static final int PLACES = 1 << 14;
    private static final int PART = 4;
    private static final int BITS = 20;   // for the bytes; the others say which frame it is
    private static final long BYTES = (1L << BITS) - 1;

    private final AtomicLongArray read = new AtomicLongArray(PLACES);

    /** A read of {@code wanted} bytes of a frame of {@code length} comes: is it to bring all of it? */
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
