package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import volsh.cache.disk.DiskTier;
import volsh.codec.BlockCodec;
import volsh.codec.BlockIdentity;
import volsh.codec.CorruptBlockException;
import volsh.codec.FrameIndex;
import volsh.fs.BlockRow;

/**
 * Stored blocks to raw bytes, for one volume. Stored frames come from the disk tier if it has them, else from the
 * store; and go to the tier once they proved to be right. What the store gives and is not right is a matter of
 * {@link ReadRecovery}. Thread-safe.
 */
final class BlockReader {
    private static final int PAGE = 4096;
    /** Where less is fetched, it does not matter where it lies in memory. */
    private static final int ALIGNED_MIN = 1 << 20;

    private final UUID volume;
    private final DiskTier tier;
    private final BlockCodec codec;
    private final Slabs slabs;
    private final ReadRecovery recovery;
    private final LongAdder decodeNanos = new LongAdder();
    private final AtomicLong lent = new AtomicLong();

    BlockReader(UUID volume, DiskTier tier, BlockCodec codec, Slabs slabs, ReadRecovery recovery) {
        this.volume = volume;
        this.tier = tier;
        this.codec = codec;
        this.slabs = slabs;
        this.recovery = recovery;
    }

    DiskTier tier() {
        return tier;
    }

    BlockCodec codec() {
        return codec;
    }

    ReadRecovery recovery() {
        return recovery;
    }

    /** What the metadata's row says of a block. */
    StoredBlock describe(BlockRow row) throws IOException {
        return new StoredBlock(new BlockIdentity(volume, row.id()), FrameIndex.parse(row.index()), row.layout());
    }

    /** Fills the target with the raw bytes of the block from {@code offset} on, checked against their checksums. */
    void read(StoredBlock block, int offset, ByteBuffer target) throws IOException {
        block.check(offset, target.remaining());
        int to = offset + target.remaining();
        int first = block.index().frameAt(offset);
        int room = target.isDirect() ? 0 : target.remaining();
        try (var fetched = fetch(block, first, block.index().frameAt(to - 1), room)) {
            if (target.isDirect()) {
                fetched.decode(offset, to, target);
            } else {
                var bounce = fetched.room();
                fetched.decode(offset, to, bounce);
                target.put(bounce.flip());
            }
        }
    }

    /**
     * Adds raw bytes {@code [from, to)} of the block, as they were fetched and checked, to the loan; false if they have
     * to be decoded, or too much is lent already.
     */
    boolean lend(StoredBlock block, int from, int to, FrameLoan loan) throws IOException {
        block.check(from, to - from);
        int first = block.index().frameAt(from);
        int last = block.index().frameAt(to - 1);
        if (!block.index().isRaw(first, last)) {
            return false;
        }
        int bytes = Slabs.capacity(block.storedLength(first, last) + PAGE);
        Runnable end = () -> lent.addAndGet(-bytes);
        if (lent.addAndGet(bytes) > slabs.budget() / 2) {   // the other half is for those who only pass through
            end.run();
            return false;
        }
        Fetched fetched = null;
        try {
            fetched = fetch(block, first, last);
            fetched.lend(from, to, loan, end);
            return true;
        } catch (IOException | RuntimeException | Error failed) {
            if (fetched != null) {
                fetched.close();
            }
            end.run();
            throw failed;
        }
    }

    /** Gets the stored bytes of some frames. Close it: they take memory that others wait for. */
    Fetched fetch(StoredBlock block, int first, int last) throws IOException {
        return fetch(block, first, last, 0);
    }

    private Fetched fetch(StoredBlock block, int first, int last, int room) throws IOException {
        int length = block.storedLength(first, last);
        int shift = length < ALIGNED_MIN ? 0 : skew(block, first);
        var slab = slabs.take(shift + length + (room == 0 ? 0 : Slabs.capacity(room)));
        try {
            var fetched = new Fetched(this, block, first, last, slab, shift, room);
            fetched.fill();
            return fetched;
        } catch (IOException | RuntimeException | Error failed) {
            slab.close();
            throw failed;
        }
    }

    /** Where in a page a frame begins on the disk that it will come from. */
    private int skew(StoredBlock block, int frame) {
        int skew = tier.skew(block.id(), frame);
        return skew < 0 ? block.index().storedOffset(frame) % PAGE : skew;
    }

    /**
     * Fills the target with raw bytes of the block from {@code offset} on if they are a small part of a frame that
     * holds them as they are, and it is in the disk tier, which checks them by themselves. False if they are to be read
     * in another way.
     */
    boolean readPiece(StoredBlock block, int offset, ByteBuffer target) {
        var index = block.index();
        int frame = index.frameAt(offset);
        int from = index.storedAt(offset) - index.storedOffset(frame);
        return tier.readPiece(block.id(), frame, index.storedLength(frame), from, target);
    }

    /** Fills the target with stored frames, {@code first} to {@code last}, from the store alone, and checks them. */
    void fetchChecked(StoredBlock block, int first, int last, ByteBuffer target) throws IOException {
        int start = block.index().storedOffset(first);
        ReadRecovery.Check check = () -> codec.check(block.identity(), block.index(), first, last, target);
        recovery.get(block, start, target);
        try {
            check.run();
        } catch (CorruptBlockException damaged) {
            recovery.recover(block, damaged, () -> recovery.get(block, start, target.rewind()), check);
        }
    }

    /** Has the disk tier keep what it lacks of a block, with one get; returns the stored bytes that came. */
    long complete(StoredBlock block) throws IOException {
        var index = block.index();
        var here = tier.upkeep().has(block.id(), 0, index.frameCount());
        int first = 0;
        int last = here.length - 1;
        while (first <= last && here[first]) {
            first++;
        }
        while (last > first && here[last]) {
            last--;
        }
        if (first > last) {
            return 0;
        }
        int length = block.storedLength(first, last);
        try (var slab = slabs.take(length)) {
            var stored = slab.view(length);
            fetchChecked(block, first, last, stored);
            var frames = StoredFrames.cut(index, first, last - first + 1, slab.view(length), index.storedOffset(first));
            for (int i = 0; i < frames.length; i++) {
                frames[i] = here[first + i] ? null : frames[i];
            }
            tier.offer(block.id(), index.frameCount(), first, frames);
            return length;
        }
    }

    void decoded(long nanos) {
        decodeNanos.add(nanos);
    }

    /** What checking and decoding took, added up over all threads. */
    long decodeNanos() {
        return decodeNanos.sum();
    }
}
