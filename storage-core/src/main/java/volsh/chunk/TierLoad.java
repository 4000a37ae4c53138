package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import volsh.cache.disk.DiskTierRequests;
import volsh.cache.disk.KeepRequest;
import volsh.cache.disk.RetainedFrames;
import volsh.fs.BlockRow;

/**
 * Loads stored frames from the store into the disk tier before they are read: missing frames of a block with one get
 * per run, checked, and written before the call returns. Has memory of its own, so that no read or write of files waits
 * for it. Thread-safe; close it when all calls have returned.
 */
public final class TierLoad implements AutoCloseable {
    private final BlockReader blocks;
    private final DiskTierRequests upkeep;
    private final Slabs slabs;

    TierLoad(BlockReader blocks, long memory) {
        this.blocks = blocks;
        this.upkeep = blocks.tier().upkeep();
        this.slabs = new Slabs(memory);
    }

    /** What a call did, in stored bytes of frames: present before, fetched, and refused by the tier. */
    public record Loaded(long present, long fetched, long refused, RetainedFrames kept) {
        static final Loaded NOTHING = new Loaded(0, 0, 0, RetainedFrames.YES);

        private Loaded plus(Loaded other) {
            return new Loaded(present + other.present, fetched + other.fetched, refused + other.refused,
                    kept == RetainedFrames.YES ? other.kept : kept);
        }
    }

    /** Is called before bytes are fetched: may wait, to limit the rate, or refuse. */
    public interface Permit {
        void toFetch(long bytes) throws IOException;
    }

    /** The frames that hold raw bytes {@code [from, to)} of the block. */
    public BitSet frames(BlockRow row, long from, long to) throws IOException {
        var block = blocks.describe(row);
        var frames = new BitSet();
        block.check(Math.toIntExact(from), Math.toIntExact(to - from));
        frames.set(block.index().frameAt(from), block.index().frameAt(to - 1) + 1);
        return frames;
    }

    public int frameCount(BlockRow row) throws IOException {
        return blocks.describe(row).index().frameCount();
    }

    /**
     * Loads these frames of the block into the tier.
     *
     * @throws volsh.codec.CorruptBlockException if the store has damaged bytes
     */
    public Loaded load(BlockRow row, BitSet frames, KeepRequest claim, Permit permit) throws IOException {
        var block = blocks.describe(row);
        var here = upkeep.has(block.id(), 0, block.index().frameCount());
        var loaded = Loaded.NOTHING;
        for (int i = frames.nextSetBit(0); i >= 0; i = frames.nextSetBit(i + 1)) {
            if (here[i]) {
                loaded = loaded.plus(new Loaded(block.index().storedLength(i), 0, 0, RetainedFrames.YES));
                continue;
            }
            int last = i;
            while (frames.get(last + 1) && !here[last + 1]) {
                last++;
            }
            loaded = loaded.plus(fetch(block, i, last, claim, permit));
            i = last;
        }
        return loaded;
    }

    private Loaded fetch(StoredBlock block, int first, int last, KeepRequest claim, Permit permit) throws IOException {
        var index = block.index();
        int length = block.storedLength(first, last);
        permit.toFetch(length);
        try (var slab = slabs.take(length)) {
            var stored = slab.view(length);
            blocks.fetchChecked(block, first, last, stored);
            var kept = upkeep.keep(block.id(), index.frameCount(), first, block.storedLengths(first, last - first + 1),
                    stored, claim);
            return new Loaded(0, kept == RetainedFrames.YES ? length : 0, kept == RetainedFrames.YES ? 0 : length,
                    kept);
        }
    }

    @Override
    public void close() {
        slabs.close();
    }
}
