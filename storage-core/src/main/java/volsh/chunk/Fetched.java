package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import volsh.codec.CorruptBlockException;

/**
 * Stored frames from {@code first} on, fetched from the disk tier and the store, and {@code room} bytes of memory
 * behind them. They begin at {@code shift} of their slab: large fetches have the same alignment to pages as on the
 * disk, so that it can read them without a copy. No byte leaves unchecked. Close it: others wait for its memory.
 */
final class Fetched implements AutoCloseable {
    private final BlockReader reader;
    private final StoredBlock block;
    private final int first;
    private final Slab slab;
    private final int shift;
    private final int length;
    private final int room;
    private final @Nullable StoredFrames frames;   // null without a disk tier

    Fetched(BlockReader reader, StoredBlock block, int first, int last, Slab slab, int shift, int room) {
        this.reader = reader;
        this.block = block;
        this.first = first;
        this.slab = slab;
        this.shift = shift;
        this.length = block.storedLength(first, last);
        this.room = room;
        var tier = reader.tier();
        this.frames = tier.isOn() ? new StoredFrames(tier, block, first, last - first + 1, stored(0, length)) : null;
    }

    /** A view of {@code [from, to)} of the stored frames. */
    private ByteBuffer stored(int from, int to) {
        return slab.view(shift + from, shift + to);
    }

    void fill() throws IOException {
        if (frames == null) {
            get(block.index().storedOffset(first), stored(0, length));
        } else {
            frames.fill(this::get);
        }
    }

    private void get(int offset, ByteBuffer target) throws IOException {
        reader.recovery().get(block, offset, target);
    }

    /** Whether the store was asked for some of it. */
    boolean cameFromStore() {
        return frames == null || !frames.areAllFromTier();
    }

    /** Checks and decodes one frame. */
    void decode(int frame, ByteBuffer target) throws IOException {
        int from = block.index().rawOffset(frame);
        decode(from, from + block.index().rawLength(frame), target);
    }

    /** Checks and decodes raw bytes {@code [from, to)} of the block. */
    void decode(int from, int to, ByteBuffer target) throws IOException {
        checked(from, to, () ->
                reader.codec().decode(block.identity(), block.index(), first, stored(0, length), from, to, target));
    }

    /**
     * Checks raw bytes {@code [from, to)}, which are stored uncompressed, and adds them to the loan, which closes this.
     */
    void lend(int from, int to, FrameLoan loan, Runnable end) throws IOException {
        var index = block.index();
        int begin = index.frameAt(from);
        int base = index.storedOffset(first);
        checked(from, to, () -> reader.codec().check(block.identity(), index, begin, index.frameAt(to - 1),
                stored(index.storedOffset(begin) - base, length)));
        for (int at = from; at < to; ) {
            int frame = index.frameAt(at);
            int next = Math.min(to, index.rawOffset(frame) + index.rawLength(frame));
            int start = index.storedAt(at) - base;
            loan.add(stored(start, start + next - at).asReadOnlyBuffer());
            at = next;
        }
        loan.atEnd(() -> {
            close();
            end.run();
        });
    }

    private void checked(int from, int to, ReadRecovery.Check check) throws IOException {
        int begin = block.index().frameAt(from);
        int end = block.index().frameAt(to - 1);
        try {
            checkOrDistrust(check);
        } catch (CorruptBlockException damaged) {
            reader.recovery().recover(block, damaged, () -> getAgain(begin, end), check);
        }
        if (frames != null) {
            frames.proved(begin, end);
        }
    }

    /** Checks; if the check fails on bytes of the disk tier, fetches all from the store and checks again. */
    private void checkOrDistrust(ReadRecovery.Check check) throws IOException {
        long began = System.nanoTime();
        try {
            check.run();
            reader.decoded(System.nanoTime() - began);
        } catch (CorruptBlockException damaged) {
            if (frames == null || !frames.distrust()) {
                throw damaged;
            }
            fill();
            check.run();
        }
    }

    private void getAgain(int begin, int end) throws IOException {
        int start = block.index().storedOffset(begin);
        int at = start - block.index().storedOffset(first);
        get(start, stored(at, at + block.storedLength(begin, end)));
    }

    ByteBuffer room() {
        return stored(length, length + room);
    }

    @Override
    public void close() {
        try (slab) {
            if (frames != null) {
                frames.keep();
            }
        }
    }
}
