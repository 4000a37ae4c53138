package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import volsh.cache.disk.DiskTierRequests;
import volsh.cache.disk.KeepRequest;
import volsh.cache.disk.RetainedFrames;
import volsh.fs.BlockRow;

/**
 * Brings stored frames of blocks from the store into the disk tier before anybody reads them: what is missing of a block with one get
 * for each run of frames, checked, and written before the call returns. Has memory of its own, so that nobody who reads or writes
 * files waits for it. Thread-safe; close it when all calls have returned.
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

    /** What a call has done, in stored bytes of frames: those that were there, came, and could not be kept. */
    public record Loaded(long present, long fetched, long refused, RetainedFrames kept) {
        static final Loaded NOTHING = new Loaded(0, 0, 0, RetainedFrames.YES);

        private Loaded plus(Loaded other) {
            return new Loaded(present + other.present, fetched + other.fetched, refused + other.refused, kept == RetainedFrames.YES ? other.kept : kept);
        }
    }

    /** Is asked before bytes are fetched: may wait, to spare a network, or refuse. */
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

    /** Has these frames of the block in the tier. @throws volsh.codec.CorruptBlockException if the store has not what was written */
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
            var kept = upkeep.keep(block.id(), index.frameCount(), first, block.storedLengths(first, last - first + 1), stored, claim);
            return new Loaded(0, kept == RetainedFrames.YES ? length : 0, kept == RetainedFrames.YES ? 0 : length, kept);
        }
    }

    @Override
    public void close() {
        slabs.close();
    }
}
