package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import volsh.cache.disk.DiskTier;
import volsh.codec.FrameIndex;

/** Stored frames of a block: which came from the disk tier, and which are to be offered to it. Not thread-safe. */
final class StoredFrames {
    private final DiskTier tier;
    private final StoredBlock block;
    private final int first;
    private final ByteBuffer stored;
    private final ByteBuffer[] frames;
    private final boolean[] proved;
    private boolean[] fromTier;
    private boolean[] inTier;   // these, and frames of the tier that were fetched with others
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
        this.inTier = new boolean[count];
    }

    /** Cuts frames out of {@code stored}, which begins at {@code base} of the block. */
    static ByteBuffer[] cut(FrameIndex index, int first, int count, ByteBuffer stored, int base) {
        var frames = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            frames[i] = stored.slice(stored.position() + index.storedOffset(first + i) - base,
                    index.storedLength(first + i));
        }
        return frames;
    }

    /** Gets bytes of the block from the store. */
    interface Store {
        void fetch(int offset, ByteBuffer target) throws IOException;
    }

    /**
     * Fills all frames: from the tier those it has, the others with a get for each run of them, in parallel. Frames
     * between two close runs are fetched with them, as another request would cost more.
     */
    void fill(Store store) throws IOException {
        fromTier = distrusted ? new boolean[frames.length]
                : tier.read(block.id(), first, block.storedLengths(first, frames.length), stored.duplicate());
        inTier = fromTier.clone();
        var others = new ArrayList<FutureTask<Void>>();
        try {
            for (int i = firstMissing(0); i < frames.length; ) {
                int from = i;
                int most = first + frames.length - 1;
                int to = block.lastOfRun(first + from, most, frame -> !fromTier[frame - first]) - first;
                Arrays.fill(fromTier, from, to + 1, false);   // frames in between are fetched, too
                i = firstMissing(to + 1);
                if (i < frames.length) {
                    others.add(fetchBeside(store, from, to));
                } else {
                    fetch(store, from, to);
                }
            }
        } finally {
            FileRead.awaitAll(others);   // the caller may use the memory only when no task writes to it
        }
    }

    private int firstMissing(int from) {
        int i = from;
        while (i < frames.length && fromTier[i]) {
            i++;
        }
        return i;
    }

    /** Whether all frames came from the tier. */
    boolean areAllFromTier() {
        return firstMissing(0) == frames.length;
    }

    private FutureTask<Void> fetchBeside(Store store, int from, int to) {
        var task = new FutureTask<Void>(() -> {
            fetch(store, from, to);
            return null;
        });
        Thread.ofVirtual().name("run").start(task);
        return task;
    }

    private void fetch(Store store, int from, int to) throws IOException {
        var index = block.index();
        int start = index.storedOffset(first + from);
        int length = block.storedLength(first + from, first + to);
        store.fetch(start, stored.slice(stored.position() + start - index.storedOffset(first), length));
    }

    /**
     * Stops trusting the tier for this block, and drops it there; false if no frame came from it. The next fill is from
     * the store alone.
     */
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

    /** These frames were decoded, so their bytes are right. */
    void proved(int from, int to) {
        Arrays.fill(proved, from - first, to - first + 1, true);
    }

    /** Offers right frames to the tier that it does not have. */
    void keep() {
        var worth = new @Nullable ByteBuffer[frames.length];
        boolean any = false;
        for (int i = 0; i < frames.length; i++) {
            boolean kept = proved[i] && !inTier[i];
            worth[i] = kept ? frames[i] : null;
            any |= kept;
        }
        if (any) {
            tier.offer(block.id(), block.index().frameCount(), first, worth);
        }
    }
}
