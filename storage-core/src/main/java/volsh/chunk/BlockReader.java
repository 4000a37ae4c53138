package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import volsh.cache.disk.DiskTier;
import volsh.codec.BlockCodec;
import volsh.codec.BlockIdentity;
import volsh.codec.CorruptBlockException;
import volsh.codec.FrameIndex;
import volsh.fs.BlockRow;
import volsh.fs.ImportedBlock;

/**
 * Reads stored blocks of one volume as raw bytes. Stored frames come from the disk tier if it has them, else from the
 * store, and are offered to the tier once their checksums matched. {@link ReadRecovery} handles damaged and missing
 * blocks. Thread-safe.
 */
final class BlockReader {
    private static final int PAGE = 4096;
    /** Smaller fetches are not aligned to pages. */
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

    /** The block that a metadata row describes. */
    StoredBlock describe(BlockRow row) throws IOException {
        var identity = new BlockIdentity(volume, row.id());
        return ImportedBlock.is(row.id())
                ? new StoredBlock(identity, codec.framedIndex(Math.toIntExact(row.rawSize())), 0, ImportedBlock.of(row))
                : new StoredBlock(identity, FrameIndex.parse(row.index()), row.layout());
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
     * Fetches and checks raw bytes {@code [from, to)} of the block and adds them to the loan; false if they have to be
     * decoded, or too many bytes are lent already.
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
        if (lent.addAndGet(bytes) > slabs.budget() / 2) {   // the other half is for reads that copy and decode
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

    /** Fetches the stored bytes of some frames. Close it: others wait for its memory. */
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

    /** The offset within a page at which the frame begins on the disk it comes from. */
    private int skew(StoredBlock block, int frame) {
        int skew = tier.skew(block.id(), frame);
        return skew < 0 ? block.index().storedOffset(frame) % PAGE : skew;
    }

    /**
     * Reads raw bytes from {@code offset} on without the rest of their frame, if the frame is stored uncompressed and
     * the disk tier, which has checksums of small parts, has it. False if they have to be read in another way.
     */
    boolean readPiece(StoredBlock block, int offset, ByteBuffer target) {
        var index = block.index();
        int frame = index.frameAt(offset);
        int from = index.storedAt(offset) - index.storedOffset(frame);
        return tier.readPiece(block.id(), frame, index.storedLength(frame), from, target);
    }

    /** Fetches the stored frames {@code first} to {@code last} from the store alone, and checks them. */
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

    /**
     * Fetches the frames of a block that the disk tier lacks, with one get, for the tier; returns the stored bytes
     * fetched.
     */
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
            var wanted = new @Nullable ByteBuffer[frames.length];
            for (int i = 0; i < frames.length; i++) {
                wanted[i] = here[first + i] ? null : frames[i];
            }
            tier.offer(block.id(), index.frameCount(), first, wanted);
            return length;
        }
    }

    void decoded(long nanos) {
        decodeNanos.add(nanos);
    }

    /** Time spent checking and decoding, summed over all threads. */
    long decodeNanos() {
        return decodeNanos.sum();
    }
}
