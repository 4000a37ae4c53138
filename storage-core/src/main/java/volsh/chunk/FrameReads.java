package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import volsh.cache.Answer;
import volsh.cache.FrameCache;
import volsh.cache.FrameKey;

/**
 * Reads raw bytes of blocks through the cache. Every read of a file ends here, once per block that holds some of its
 * bytes; what happens above (unwritten bytes, extents) is in {@link FileRead}.
 *
 * <p><b>Frames.</b> A block is stored as frames of at most 128 KiB of raw bytes, each compressed and checksummed by
 * itself. The frame is the unit of everything below: of the memory cache, of the disk tier, of checking. The metadata
 * row of a block holds the index of its frames, so it is known which stored bytes hold which raw bytes.
 *
 * <p><b>Runs.</b> The cache is asked for every frame of the range ({@link Answer}): it is here, another thread is
 * loading it, this thread has to load it, or there is no room for it. Missing frames that lie at most 512 KiB apart are
 * fetched with one get ({@link StoredBlock#lastOfRun}), because a second request to a distant store takes longer than
 * those bytes. This thread loads all frames of its own before it waits for frames of others ({@link FrameSet}): two
 * readers can therefore not wait for each other. Frames without room are decoded straight into the caller's buffer.
 *
 * <p><b>Leases.</b> A leased frame is not evicted. Leases last until the bytes are copied to the caller, or, if they
 * are lent ({@link #lend}), until the mount has sent them to the kernel. Memory for stored frames comes from the slabs
 * of {@link BlockIo}; {@link Fetched} holds one while it fetches and decodes, and readers wait when all are taken.
 *
 * <p><b>What is fetched when.</b>
 * <ul>
 * <li>A read fetches the frames that it needs, from the disk tier those that are there, the others from the store.
 *     Frames from the store are offered to the tier once their checksums matched.
 * <li>A read of at most 16 KiB in a frame that is stored uncompressed in the disk tier reads only these bytes from the
 *     disk ({@link SmallReads}), until such reads came to a quarter of the frame.
 * <li>{@link Readahead} has frames loaded ahead of a sequential reader ({@link #prefetch}). Frames that were
 *     not read yet take at most a third of the memory cache; beyond that nothing is loaded ahead.
 * <li>{@link WholeBlocks} fetches the rest of a block in the background when small reads keep missing in it.
 * </ul>
 *
 * <p><b>Recovery.</b> No byte leaves before its frame has passed its checksum. Wrong bytes from the disk tier are
 * dropped there and fetched from the store; wrong, missing or short bytes from the store are fetched again and mended
 * from another copy if there is one. Which failure is retried where is the table of {@link ReadRecovery}.
 */
final class FrameReads {
    private final BlockReader blocks;
    private final FrameCache cache;
    private final WholeBlocks whole;
    private final SmallReads small = new SmallReads();

    /** {@code ahead} runs tasks in the background. */
    FrameReads(BlockReader blocks, FrameCache cache, ChunkSettings settings, Executor ahead) {
        this.blocks = blocks;
        this.cache = cache;
        this.whole = new WholeBlocks(blocks, settings, ahead, this::loadWhole);
    }

    WholeBlocks whole() {
        return whole;
    }

    /** Fills the target with the raw bytes of the block from {@code offset} on. */
    void read(StoredBlock block, int offset, ByteBuffer target) throws IOException {
        if (readPiece(block, offset, target)) {
            return;
        }
        if (!cache.isOn()) {
            int length = target.remaining();
            blocks.read(block, offset, target);
            missed(block, offset, offset + length);
            return;
        }
        block.check(offset, target.remaining());
        try (var frames = ask(block, offset, offset + target.remaining())) {
            int length = target.remaining();
            load(frames, block, length);
            frames.copyTo(target);
        }
    }

    /** Counts frames that were read without the cache as misses. */
    private void missed(StoredBlock block, int from, int to) {
        for (int i = block.index().frameAt(from); to > from && i <= block.index().frameAt(to - 1); i++) {
            cache.passed(new FrameKey(block.id(), i), block.index().rawLength(i), block.index().rawLength(i));
        }
    }

    private boolean readPiece(StoredBlock block, int offset, ByteBuffer target) throws IOException {
        int wanted = target.remaining();
        if (wanted > SmallReads.LENGTH_MAX || !blocks.tier().isOn()) {
            return false;
        }
        block.check(offset, wanted);
        if (!isPiece(block, offset, offset + wanted)
                || small.wantsAll(key(block, offset), rawLength(block, offset), wanted)
                || !blocks.readPiece(block, offset, target)) {
            return false;
        }
        cache.passed(key(block, offset), rawLength(block, offset), wanted);
        whole.found(block);
        return true;
    }

    /** Whether these bytes can be read without the rest of their frame. */
    private boolean isPiece(StoredBlock block, int from, int to) {
        int frame = block.index().frameAt(from);
        return to - from <= SmallReads.LENGTH_MAX && blocks.tier().isOn() && frame == block.index().frameAt(to - 1)
                && block.index().isRaw(frame, frame) && !cache.has(new FrameKey(block.id(), frame));
    }

    private static FrameKey key(StoredBlock block, int offset) {
        return new FrameKey(block.id(), block.index().frameAt(offset));
    }

    private static int rawLength(StoredBlock block, int offset) {
        return block.index().rawLength(block.index().frameAt(offset));
    }

    /** Whether {@link #lend} may succeed for these bytes. */
    boolean mayLend(StoredBlock block, int from, int to) throws IOException {
        block.check(from, to - from);
        if (isPiece(block, from, to)) {
            return false;
        }
        return cache.isOn() || block.index().isRaw(block.index().frameAt(from), block.index().frameAt(to - 1));
    }

    /** Adds {@code [from, to)} of the block to the loan; false if the bytes have to be copied. */
    boolean lend(StoredBlock block, int from, int to, FrameLoan loan) throws IOException {
        if (!cache.isOn()) {
            boolean lent = blocks.lend(block, from, to, loan);
            if (lent) {
                missed(block, from, to);
            }
            return lent;
        }
        block.check(from, to - from);
        if (loan.addAgain(block.id(), from, to)) {
            return true;
        }
        try (var frames = ask(block, from, to)) {
            load(frames, block, to - from);
            return frames.lendTo(loan);
        }
    }

    private void load(FrameSet frames, StoredBlock block, int length) throws IOException {
        frames.load();
        if (frames.cameFromStore()) {
            whole.missed(block, length);
        } else if (frames.cameFromTier()) {
            whole.found(block);
        }
    }

    /** Adds a block of one frame, which was just stored and will be read soon, to the cache. */
    void keep(StoredBlock block, ByteBuffer raw) {
        if (cache.isOn() && block.index().frameCount() == 1
                && cache.askAhead(new FrameKey(block.id(), 0), raw.remaining())
                instanceof Answer.Missing(Answer.Room room)) {
            try (room) {
                room.target().put(raw.duplicate());
                room.filledHere().close();
            }
        }
    }

    private FrameSet ask(StoredBlock block, int from, int to) {
        var frames = new FrameSet(blocks, block, from, to);
        for (int i = frames.first(); i <= frames.last(); i++) {
            frames.set(i, cache.ask(new FrameKey(block.id(), i), block.index().rawLength(i), frames.wanted(i)));
        }
        return frames;
    }

    /** Loads the missing frames of {@code [from, to)} ahead of their reader; returns the bytes that did not fit. */
    long prefetch(StoredBlock block, int from, int to) throws IOException {
        whole.streams(block);
        return ahead(block, from, to).refused();
    }

    /** The next read of the block is to fetch what it asks for, and not the rest of the block. */
    void alone(StoredBlock block) {
        whole.streams(block);
    }

    /** Forgets the frames that {@code [from, to)} has as a whole. */
    void leave(StoredBlock block, int from, int to) {
        var index = block.index();
        int start = 0;
        for (int i = 0; i < index.frameCount() && start + index.rawLength(i) <= to; i++) {
            if (start >= from) {
                cache.leave(new FrameKey(block.id(), i));
            }
            start += index.rawLength(i);
        }
    }

    private record Ahead(long refused, long came) {}

    private long loadWhole(StoredBlock block) throws IOException {
        return ahead(block, 0, block.index().rawSize()).came();
    }

    private Ahead ahead(StoredBlock block, int from, int to) throws IOException {
        try (var frames = new FrameSet(blocks, block, from, to)) {
            long refused = 0;
            long coming = 0;
            for (int i = frames.first(); i <= frames.last(); i++) {
                var answer = cache.askAhead(new FrameKey(block.id(), i), block.index().rawLength(i));
                frames.set(i, answer instanceof Answer.Coming ? null : answer);
                refused += answer instanceof Answer.Unwanted ? frames.wanted(i) : 0;
                coming += answer instanceof Answer.Missing ? block.index().storedLength(i) : 0;
            }
            frames.load();
            return new Ahead(refused, coming);
        }
    }
}
