package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.NoSuchBlockException;
import volsh.cache.DiskTier;
import volsh.codec.BlockCodec;
import volsh.codec.BlockIdentity;
import volsh.codec.Compression;
import volsh.codec.CorruptBlockException;
import volsh.codec.EncodedBlock;
import volsh.codec.FrameIndex;
import volsh.fs.BlockRow;
import volsh.place.LostBlockException;
import volsh.place.Placement;

/**
 * Raw bytes to stored blocks and back, for one volume. Encodes and reads through memory of its own, so a flush can always go on.
 * Stored frames come from the disk tier if it has them, else from the store; and go to the tier once they proved to be right.
 * What the store gives and is not right is got once more before a reader hears of it: it may have been damaged on its way.
 */
public final class BlockIo implements AutoCloseable {
    private static final int PAGE = 4096;
    /** Where less is fetched, it does not matter where it lies in memory. */
    private static final int ALIGNED_MIN = 1 << 20;
    /** As many as stay in the processor's cache until they are encoded. */
    private static final int FRAMES_AT_ONCE = 4;

    private static final int ATTEMPTS = 3;

    private final UUID volume;
    private final BlockStore store;
    private final BlockStore lasting;
    private final Supplier<Compression> compression;
    private final DiskTier tier;
    private final BlockCodec codec = new BlockCodec();
    private final Slabs assembly;
    private final Slabs slabs;
    private final LongAdder rereads = new LongAdder();
    private final LongAdder decodeNanos = new LongAdder();
    private final AtomicLong lent = new AtomicLong();
    private final Placement placement;

    /** {@code memory} bytes are for blocks on their way to and from the store; {@code compression} is asked for each new block. */
    public BlockIo(UUID volume, BlockStore store, Supplier<Compression> compression, long memory) {
        this(volume, store, store, compression, memory, DiskTier.NONE);
    }

    /** With a disk tier, which it closes. {@code lasting} is the same store without a journal before it. */
    public BlockIo(UUID volume, BlockStore store, BlockStore lasting, Supplier<Compression> compression, long memory, DiskTier tier) {
        this(volume, store, lasting, compression, memory, tier, Placement.SINGLE);
    }

    /** With somebody who decides where blocks go. */
    public BlockIo(UUID volume, BlockStore store, BlockStore lasting, Supplier<Compression> compression, long memory, DiskTier tier,
            Placement placement) {
        this.placement = placement;
        this.volume = volume;
        this.store = store;
        this.lasting = lasting;
        this.compression = compression;
        this.tier = tier;
        this.assembly = new Slabs(memory / 4);
        this.slabs = new Slabs(memory - memory / 4);
    }

    /** Encodes and stores a block; it survives power loss once this returns. A frame starts at each of {@code frameStarts}. */
    BlockRow write(long id, Whose whose, ByteBuffer raw, int[] frameStarts) throws IOException {
        return write(id, whose, raw, frameStarts, store);
    }

    /** The same, and it is in the store itself once this returns, not in a journal before it. */
    BlockRow writeLasting(long id, Whose whose, ByteBuffer raw, int[] frameStarts) throws IOException {
        return write(id, whose, raw, frameStarts, lasting);
    }

    /**
     * Whose bytes a block holds: the inode its row names, if it is one's alone; the file or directory whose layout it gets; and the
     * offset in the file at which it begins.
     */
    record Whose(long owner, long like, long offset) {
        static Whose file(long ino, long offset) {
            return new Whose(ino, ino, offset);
        }
    }

    private BlockRow write(long id, Whose whose, ByteBuffer raw, int[] frameStarts, BlockStore target) throws IOException {
        int room = BlockCodec.maxStoredSize(raw.remaining(), frameStarts.length);
        try (var slab = slabs.take(room)) {
            return put(id, whose, codec.encode(new BlockIdentity(volume, id), compression.get(), raw, frameStarts, slab.view(room)), target);
        }
    }

    private BlockRow put(long id, Whose whose, EncodedBlock block, BlockStore target) throws IOException {
        int layout = placement.choose(id, whose.like(), whose.offset(), block.stored().remaining());
        target.put(BlockKey.of(id), block.stored());
        var index = block.index();
        if (tier.isOn()) {
            tier.offer(id, index.frameCount(), 0, StoredFrames.cut(index, 0, index.frameCount(), block.stored(), 0));
        }
        return new BlockRow(id, index.rawSize(), index.storedSize(), layout, whose.owner(), index.toBytes());
    }

    /** Where the bytes of a new block come from. */
    interface Source {
        /** Fills the target with the next bytes; false if the block is not to be made after all. */
        boolean fill(ByteBuffer target) throws IOException;
    }

    /**
     * Encodes and stores a block of {@code length} bytes as they come, a few frames at a time; it survives power loss once this
     * returns. Empty, with nothing stored, if the source does not want it.
     */
    Optional<BlockRow> write(long id, Whose whose, int length, Source source) throws IOException {
        int room = BlockCodec.maxStoredSize(length);
        int step = Math.min(length, FRAMES_AT_ONCE * BlockCodec.FRAME_LENGTH);
        try (var some = assembly.take(step);
                var slab = slabs.take(room);
                var draft = codec.draft(new BlockIdentity(volume, id), compression.get(), length, slab.view(room))) {
            for (int at = 0; at < length; at += step) {
                var raw = some.view(Math.min(step, length - at));
                if (!source.fill(raw)) {
                    return Optional.empty();
                }
                for (int from = 0, next = draft.next(); from < raw.limit(); from += next, next = draft.next()) {
                    draft.add(raw.slice(from, next));
                }
            }
            return Optional.of(put(id, whose, draft.finish(), store));
        }
    }

    /** What the metadata's row says of a block. */
    StoredBlock describe(BlockRow row) throws IOException {
        placement.know(row.id(), row.layout(), row.storedSize());
        return new StoredBlock(new BlockIdentity(volume, row.id()), FrameIndex.parse(row.index()));
    }

    /** @throws CorruptBlockException if the block has no such bytes */
    void check(StoredBlock block, int offset, int length) throws CorruptBlockException {
        if (offset + length > block.index().rawSize()) {
            throw new CorruptBlockException(
                    block.identity(), "%d bytes wanted of %d".formatted(offset + length, block.index().rawSize()));
        }
    }

    /** Fills the target with the raw bytes of the block from {@code offset} on, checked against their checksums. */
    void read(StoredBlock block, int offset, ByteBuffer target) throws IOException {
        check(block, offset, target.remaining());
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
     * Adds raw bytes {@code [from, to)} of the block, as they were fetched and checked, to the loan; false if they have to be decoded,
     * or too much is lent already.
     */
    boolean lend(StoredBlock block, int from, int to, FrameLoan loan) throws IOException {
        check(block, from, to - from);
        var index = block.index();
        int first = index.frameAt(from);
        int last = index.frameAt(to - 1);
        if (!index.isRaw(first, last)) {
            return false;
        }
        int bytes = Slabs.capacity(index.storedOffset(last) + index.storedLength(last) - index.storedOffset(first) + PAGE);
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
        var index = block.index();
        int length = index.storedOffset(last) + index.storedLength(last) - index.storedOffset(first);
        int shift = length < ALIGNED_MIN ? 0 : skew(block, first);
        var slab = slabs.take(shift + length + (room == 0 ? 0 : Slabs.capacity(room)));
        try {
            var fetched = new Fetched(block, first, last - first + 1, slab, shift, length, room);
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
     * Fills the target with raw bytes of the block from {@code offset} on if they are a small part of a frame that holds them as they are, and it
     * is in the disk tier, which checks them by themselves. False if they are to be read in another way.
     */
    boolean readPiece(StoredBlock block, int offset, ByteBuffer target) {
        var index = block.index();
        int frame = index.frameAt(offset);
        int from = index.storedAt(offset) - index.storedOffset(frame);
        return tier.readPiece(block.id(), frame, index.storedLength(frame), from, target);
    }

    /**
     * Stored frames from {@code first} on, and {@code room} bytes of memory behind them. They begin at {@code shift} of their
     * slab: many bytes lie in its pages as they lie in those of the block, so that a disk can put them there without a copy.
     */
    final class Fetched implements AutoCloseable {
        private final StoredBlock block;
        private final int first;
        private final Slab slab;
        private final int shift;
        private final int length;
        private final int room;
        private final StoredFrames frames;

        private Fetched(StoredBlock block, int first, int count, Slab slab, int shift, int length, int room) {
            this.block = block;
            this.first = first;
            this.slab = slab;
            this.shift = shift;
            this.length = length;
            this.room = room;
            this.frames = tier.isOn() ? new StoredFrames(tier, block, first, count, stored(0, length)) : null;
        }

        /** A view of {@code [from, to)} of the stored frames. */
        private ByteBuffer stored(int from, int to) {
            return slab.view(shift + from, shift + to);
        }

        private void fill() throws IOException {
            if (frames == null) {
                fetch(block.identity(), block.index().storedOffset(first), stored(0, length));
            } else {
                frames.fill((offset, target) -> fetch(block.identity(), offset, target));
            }
        }

        /** Did any of it come from the store? */
        boolean cameFromStore() {
            return frames == null || !frames.areAllFromTier();
        }

        /** Checks and decodes one frame. */
        void decode(int frame, ByteBuffer target) throws IOException {
            int from = block.index().rawOffset(frame);
            decode(from, from + block.index().rawLength(frame), target);
        }

        /** Checks and decodes raw bytes {@code [from, to)} of the block; what is not right is got once more. */
        void decode(int from, int to, ByteBuffer target) throws IOException {
            checked(from, to, () -> codec.decode(block.identity(), block.index(), first, stored(0, length), from, to, target));
        }

        /** Checks raw bytes {@code [from, to)}, whose frames hold them as they are, and adds them to the loan, which closes this. */
        private void lend(int from, int to, FrameLoan loan, Runnable end) throws IOException {
            var index = block.index();
            int begin = index.frameAt(from);
            int base = index.storedOffset(first);
            checked(from, to, () -> codec.check(block.identity(), index, begin, index.frameAt(to - 1),
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

        private void checked(int from, int to, Use use) throws IOException {
            int begin = block.index().frameAt(from);
            int end = block.index().frameAt(to - 1);
            try {
                useOrDistrust(use);
            } catch (CorruptBlockException damaged) {
                mendAndCheck(block, damaged, () -> readAgain(begin, end), use);
            }
            if (frames != null) {
                frames.proved(begin, end);
            }
        }

        /** What is wrong and came from the tier is got from the store. */
        private void useOrDistrust(Use use) throws IOException {
            long began = System.nanoTime();
            try {
                use.run();
                decodeNanos.add(System.nanoTime() - began);
            } catch (CorruptBlockException damaged) {
                if (frames == null || !frames.distrust()) {
                    throw damaged;
                }
                fill();
                use.run();
            }
        }

        private void readAgain(int begin, int end) throws IOException {
            int base = block.index().storedOffset(first);
            int start = block.index().storedOffset(begin);
            int stop = block.index().storedOffset(end) + block.index().storedLength(end);
            fetch(block.identity(), start, stored(start - base, stop - base));
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

    /** Fills {@code stored}, on the second try if not on the first: a block that metadata names is there, and whole. */
    private void fetch(BlockIdentity identity, int offset, ByteBuffer stored) throws IOException {
        try {
            fetchOnce(identity, offset, stored);
        } catch (CorruptBlockException lacking) {
            rereads.increment();
            fetchOnce(identity, offset, stored.rewind());
        }
    }

    private interface Use {
        void run() throws CorruptBlockException;
    }

    private interface Again {
        void read() throws IOException;
    }

    /**
     * What came from the store is damaged. It is put right if there is redundancy, also when another copy would be right at once, for the wrong one is
     * there still; and in any case it is read again, for it may have been damaged on its way.
     */
    private void mendAndCheck(StoredBlock block, CorruptBlockException first, Again again, Use use) throws IOException {
        var damaged = first;
        for (int attempt = 1; attempt < ATTEMPTS; attempt++) {
            if (!mend(block, damaged) && attempt > 1) {
                break;
            }
            rereads.increment();
            again.read();
            try {
                use.run();
                return;
            } catch (CorruptBlockException still) {
                damaged = still;
            }
        }
        throw damaged;
    }

    /** False if nobody can put the block right. */
    private boolean mend(StoredBlock block, CorruptBlockException damaged) {
        try {
            return placement.mend(block.id(), block.index().storedSize(), stored -> isRight(block, stored));
        } catch (IOException unable) {
            damaged.addSuppressed(unable);
            return false;
        }
    }

    private boolean isRight(StoredBlock block, ByteBuffer stored) {
        return codec.isRight(block.identity(), block.index(), stored);
    }

    private void fetchOnce(BlockIdentity identity, int offset, ByteBuffer stored) throws IOException {
        int got;
        try {
            got = store.get(BlockKey.of(identity.block()), offset, stored);
        } catch (NoSuchBlockException gone) {
            throw new CorruptBlockException(identity, "it is missing from " + gone.stores().orElse("the store"));
        } catch (LostBlockException lost) {
            throw new CorruptBlockException(identity, lost.getMessage());
        }
        if (got < stored.limit()) {
            throw new CorruptBlockException(identity, "cut short: %d of %d bytes at %d".formatted(got, stored.limit(), offset));
        }
        stored.flip();
    }

    /** Fills the target with the stored frames from {@code first} to {@code last}, from the store alone, and checks them. */
    void fetchChecked(StoredBlock block, int first, int last, ByteBuffer target) throws IOException {
        int start = block.index().storedOffset(first);
        fetch(block.identity(), start, target);
        try {
            codec.check(block.identity(), block.index(), first, last, target);
        } catch (CorruptBlockException damaged) {
            mendAndCheck(block, damaged, () -> fetch(block.identity(), start, target.rewind()),
                    () -> codec.check(block.identity(), block.index(), first, last, target));
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
        int length = index.storedOffset(last) + index.storedLength(last) - index.storedOffset(first);
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

    /** Who decides where blocks go. */
    Placement placement() {
        return placement;
    }

    /** What checking and decoding took, added up over all threads. */
    long decodeNanos() {
        return decodeNanos.sum();
    }

    /** How often the store was asked a second time, as what it gave at first was damaged, cut short or nothing. */
    long rereads() {
        return rereads.sum();
    }

    /** Memory to put a block together in before it is {@link #write written}. */
    Slab room(int size) throws IOException {
        return assembly.take(size);
    }

    /** Removes a block that no metadata names. */
    void delete(long id) throws IOException {
        tier.drop(id);
        store.delete(BlockKey.of(id));
    }

    void deleteAll(List<Long> ids) throws IOException {
        ids.forEach(tier::drop);
        store.deleteAll(ids.stream().map(BlockKey::of).toList());
    }

    DiskTier tier() {
        return tier;
    }

    @Override
    public void close() {
        tier.close();
        codec.close();
        assembly.close();
        slabs.close();
    }
}
