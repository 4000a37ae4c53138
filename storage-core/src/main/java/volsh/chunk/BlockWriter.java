package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.cache.disk.DiskTier;
import volsh.codec.BlockCodec;
import volsh.codec.BlockIdentity;
import volsh.codec.Compression;
import volsh.codec.EncodedBlock;
import volsh.fs.BlockRow;
import volsh.fs.ImportedBlock;
import volsh.place.Placement;

/**
 * Encodes raw bytes and stores them as blocks of one volume. Stored blocks are offered to the disk tier, too.
 * Thread-safe.
 */
final class BlockWriter {
    /** Frames encoded at a time: few enough to stay in the cache of the processor. */
    private static final int FRAMES_AT_ONCE = 4;

    private final UUID volume;
    private final BlockStore store;
    private final BlockStore lasting;
    private final Supplier<Compression> compression;
    private final DiskTier tier;
    private final Placement placement;
    private final BlockCodec codec;
    private final Slabs assembly;
    private final Slabs slabs;

    /** {@code assembly} holds raw bytes while a block is put together, {@code slabs} encoded ones. */
    BlockWriter(UUID volume, BlockStore store, BlockStore lasting, Supplier<Compression> compression, DiskTier tier,
            Placement placement, BlockCodec codec, Slabs assembly, Slabs slabs) {
        this.volume = volume;
        this.store = store;
        this.lasting = lasting;
        this.compression = compression;
        this.tier = tier;
        this.placement = placement;
        this.codec = codec;
        this.assembly = assembly;
        this.slabs = slabs;
    }

    /**
     * The file that a block belongs to: the inode that its row names, if it is of one file only; the file or directory
     * with the layout it gets; and the offset in the file at which it begins.
     */
    record BlockOwner(long owner, long like, long offset) {
        static BlockOwner file(long ino, long offset) {
            return new BlockOwner(ino, ino, offset);
        }
    }

    /** Memory to put a block together in before it is {@link #write written}. */
    Slab room(int size) throws IOException {
        return assembly.take(size);
    }

    /** Encodes and stores a block, with a frame at each of these starts; it survives power loss once this returns. */
    BlockRow write(long id, BlockOwner owner, ByteBuffer raw, int[] frameStarts) throws IOException {
        return write(id, owner, raw, frameStarts, store);
    }

    /** The same, and it is in the store itself once this returns, not in a journal before it. */
    BlockRow writeLasting(long id, BlockOwner owner, ByteBuffer raw, int[] frameStarts) throws IOException {
        return write(id, owner, raw, frameStarts, lasting);
    }

    /** Whether blocks are stored as they are, so that they can be put together where they are stored from. */
    boolean isUncompressed() {
        return compression.get() instanceof Compression.None;
    }

    /** Where the raw bytes of an uncompressed block go, see {@link #sealLasting}. */
    List<ByteBuffer> places(int length, ByteBuffer memory) {
        return codec.places(length, memory);
    }

    /** Like {@link #writeLasting}, uncompressed, for raw bytes in their {@link #places}. */
    BlockRow sealLasting(long id, BlockOwner owner, int length, ByteBuffer memory) throws IOException {
        return put(id, owner, codec.seal(new BlockIdentity(volume, id), length, memory), lasting);
    }

    private BlockRow write(long id, BlockOwner owner, ByteBuffer raw, int[] starts, BlockStore target)
            throws IOException {
        int room = BlockCodec.maxStoredSize(raw.remaining(), starts.length);
        var identity = new BlockIdentity(volume, id);
        try (var slab = slabs.take(room)) {
            return put(id, owner, codec.encode(identity, compression.get(), raw, starts, slab.view(room)), target);
        }
    }

    /** The bytes of a new block. */
    interface Source {
        /** Fills the target with the next bytes; false if the block is not to be stored after all. */
        boolean fill(ByteBuffer target) throws IOException;
    }

    /**
     * Encodes and stores a block of {@code length} bytes as they arrive, a few frames at a time; it survives power loss
     * once this returns. Empty, with nothing stored, if the source declines.
     */
    Optional<BlockRow> write(long id, BlockOwner owner, int length, Source source) throws IOException {
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
            return Optional.of(put(id, owner, draft.finish(), store));
        }
    }

    private BlockRow put(long id, BlockOwner owner, EncodedBlock block, BlockStore target) throws IOException {
        var index = block.index();
        int layout = placement.choose(owner.like(), owner.offset(), index.storedSize());
        target.put(BlockKey.of(id, layout, index.storedSize()), block.stored());
        if (tier.isOn()) {
            tier.offer(id, index.frameCount(), 0, StoredFrames.cut(index, 0, index.frameCount(), block.stored(), 0));
        }
        return new BlockRow(id, index.rawSize(), index.storedSize(), layout, owner.owner(), index.toBytes());
    }

    /** Deletes a block that was stored and that no metadata names. */
    void delete(BlockRow row) throws IOException {
        tier.drop(row.id());
        if (ImportedBlock.is(row.id())) {
            return;
        }
        store.delete(BlockKey.of(row.id(), row.layout(), row.storedSize()));
    }

    /** Deletes blocks, which their rows locate. Of imported ones only what is cached goes: objects belong to others. */
    void deleteAll(List<Long> ids) throws IOException {
        ids.forEach(tier::drop);
        var own = ids.stream().filter(id -> !ImportedBlock.is(id)).map(BlockKey::of).toList();
        if (!own.isEmpty()) {
            store.deleteAll(own);
        }
    }
}
