package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import volsh.cache.DiskTier;
import volsh.codec.FrameIndex;

/** Some frames of a block as they are stored: which came from the disk tier, and which are worth keeping there. Not thread-safe. */
final class StoredFrames {
    private final DiskTier tier;
    private final StoredBlock block;
    private final int first;
    private final ByteBuffer stored;
    private final ByteBuffer[] frames;
    private final boolean[] proved;
    private boolean[] fromTier;
    private boolean distrusted;

    /** The frames lie back to back in {@code stored}. */
    StoredFrames(DiskTier tier, StoredBlock block, int first, int count, ByteBuffer stored) {
        this.tier = tier;
        this.block = block;
        this.first = first;
        this.stored = stored;
        this.frames = cut(block.index(), first, count, stored, block.index().storedOffset(first));
        this.proved = new boolean[count];
        this.fromTier = new boolean[count];
    }

    /** Cuts frames out of {@code stored}, which begins at {@code base} of the block. */
    static ByteBuffer[] cut(FrameIndex index, int first, int count, ByteBuffer stored, int base) {
        var frames = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            frames[i] = stored.slice(stored.position() + index.storedOffset(first + i) - base, index.storedLength(first + i));
        }
        return frames;
    }

    /** Gets bytes of the block from the store. */
    interface Store {
        void fetch(int offset, ByteBuffer target) throws IOException;
    }

    /** Fills all frames: from the tier what it has, and each run of the others with one get. */
    void fill(Store store) throws IOException {
        fromTier = distrusted ? new boolean[frames.length] : tier.read(block.id(), first, frames);
        for (int i = 0; i < frames.length; i++) {
            if (!fromTier[i]) {
                int run = i;
                while (run + 1 < frames.length && !fromTier[run + 1]) {
                    run++;
                }
                fetch(store, i, run);
                i = run;
            }
        }
    }

    private void fetch(Store store, int from, int to) throws IOException {
        var index = block.index();
        int start = index.storedOffset(first + from);
        int length = index.storedOffset(first + to) + index.storedLength(first + to) - start;
        store.fetch(start, stored.slice(stored.position() + start - index.storedOffset(first), length));
    }

    /** What came from the tier is not to be trusted; false if nothing did. The next fill is from the store alone. */
    boolean distrust() {
        boolean any = false;
        for (boolean one : fromTier) {
            any |= one;
        }
        if (any) {
            distrusted = true;
            Arrays.fill(proved, false);
            tier.drop(block.id());
        }
        return any;
    }

    /** These frames were decoded, so they are what was once written. */
    void proved(int from, int to) {
        Arrays.fill(proved, from - first, to - first + 1, true);
    }

    /** Offers to the tier what it does not have. */
    void keep() {
        var worth = new ByteBuffer[frames.length];
        boolean any = false;
        for (int i = 0; i < frames.length; i++) {
            boolean kept = proved[i] && !fromTier[i];
            worth[i] = kept ? frames[i] : null;
            any |= kept;
        }
        if (any) {
            tier.offer(block.id(), block.index().frameCount(), first, worth);
        }
    }
}
