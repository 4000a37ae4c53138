package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
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
    private final UUID volume;
    private final BlockStore store;
    private final BlockStore lasting;
    private final Supplier<Compression> compression;
    private final DiskTier tier;
    private final BlockCodec codec = new BlockCodec();
    private final Slabs assembly;
    private final Slabs slabs;
    private final LongAdder rereads = new LongAdder();
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
            var block = codec.encode(new BlockIdentity(volume, id), compression.get(), raw, frameStarts, slab.view(room));
            int layout = placement.choose(id, whose.like(), whose.offset(), block.stored().remaining());
            target.put(BlockKey.of(id), block.stored());
            if (tier.isOn()) {
                int frames = block.index().frameCount();
                tier.offer(id, frames, 0, StoredFrames.cut(block.index(), 0, frames, block.stored(), 0));
            }
            return new BlockRow(id, raw.remaining(), block.index().storedSize(), layout, whose.owner(), block.index().toBytes());
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

    /** Gets the stored bytes of some frames. Close it: they take memory that others wait for. */
    Fetched fetch(StoredBlock block, int first, int last) throws IOException {
        return fetch(block, first, last, 0);
    }

    private Fetched fetch(StoredBlock block, int first, int last, int room) throws IOException {
        var index = block.index();
        int length = index.storedOffset(last) + index.storedLength(last) - index.storedOffset(first);
        var slab = slabs.take(length + (room == 0 ? 0 : Slabs.capacity(room)));
        try {
            var fetched = new Fetched(block, first, last - first + 1, slab, length, room);
            fetched.fill();
            return fetched;
        } catch (IOException | RuntimeException | Error failed) {
            slab.close();
            throw failed;
        }
    }

    /** Stored frames from {@code first} on, and {@code room} bytes of memory behind them. */
    final class Fetched implements AutoCloseable {
        private final StoredBlock block;
        private final int first;
        private final Slab slab;
        private final int length;
        private final int room;
        private final StoredFrames frames;

        private Fetched(StoredBlock block, int first, int count, Slab slab, int length, int room) {
            this.block = block;
            this.first = first;
            this.slab = slab;
            this.length = length;
            this.room = room;
            this.frames = tier.isOn() ? new StoredFrames(tier, block, first, count, slab.view(length)) : null;
        }

        private void fill() throws IOException {
            if (frames == null) {
                fetch(block.identity(), block.index().storedOffset(first), slab.view(length));
            } else {
                frames.fill((offset, target) -> fetch(block.identity(), offset, target));
            }
        }

        /** Checks and decodes one frame. */
        void decode(int frame, ByteBuffer target) throws IOException {
            int from = block.index().rawOffset(frame);
            decode(from, from + block.index().rawLength(frame), target);
        }

        /** Checks and decodes raw bytes {@code [from, to)} of the block; what is not right is got once more. */
        void decode(int from, int to, ByteBuffer target) throws IOException {
            int begin = block.index().frameAt(from);
            int end = block.index().frameAt(to - 1);
            try {
                decodeOrDistrust(from, to, target);
            } catch (CorruptBlockException damaged) {
                readAgain(begin, end);
                decodeOrMend(from, to, target);
            }
            if (frames != null) {
                frames.proved(begin, end);
            }
        }

        /** What is wrong and came from the tier is got from the store. */
        private void decodeOrDistrust(int from, int to, ByteBuffer target) throws IOException {
            try {
                decodeOnce(from, to, target);
            } catch (CorruptBlockException damaged) {
                if (frames == null || !frames.distrust()) {
                    throw damaged;
                }
                fill();
                decodeOnce(from, to, target);
            }
        }

        /** What is wrong in the store, too, is put right if somebody can. */
        private void decodeOrMend(int from, int to, ByteBuffer target) throws IOException {
            try {
                decodeOnce(from, to, target);
            } catch (CorruptBlockException damaged) {
                mend(block, damaged);
                readAgain(block.index().frameAt(from), block.index().frameAt(to - 1));
                decodeOnce(from, to, target);
            }
        }

        private void decodeOnce(int from, int to, ByteBuffer target) throws CorruptBlockException {
            codec.decode(block.identity(), block.index(), first, slab.view(length), from, to, target);
        }

        private void readAgain(int begin, int end) throws IOException {
            rereads.increment();
            int base = block.index().storedOffset(first);
            int start = block.index().storedOffset(begin);
            int stop = block.index().storedOffset(end) + block.index().storedLength(end);
            fetch(block.identity(), start, slab.view(start - base, stop - base));
        }

        ByteBuffer room() {
            return slab.view(length, length + room);
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

    /** @throws CorruptBlockException if nobody can put the block right */
    private void mend(StoredBlock block, CorruptBlockException damaged) throws IOException {
        if (!placement.mend(block.id(), block.index().storedSize(), stored -> isRight(block, stored))) {
            throw damaged;
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
            throw new CorruptBlockException(identity, "it is missing from the store");
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
            rereads.increment();
            fetch(block.identity(), start, target.rewind());
            checkOrMend(block, first, last, target, start);
        }
    }

    private void checkOrMend(StoredBlock block, int first, int last, ByteBuffer target, int start) throws IOException {
        try {
            codec.check(block.identity(), block.index(), first, last, target);
        } catch (CorruptBlockException damaged) {
            mend(block, damaged);
            fetch(block.identity(), start, target.rewind());
            codec.check(block.identity(), block.index(), first, last, target);
        }
    }

    /** Who decides where blocks go. */
    Placement placement() {
        return placement;
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
