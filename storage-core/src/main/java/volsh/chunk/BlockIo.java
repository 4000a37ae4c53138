package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.function.Supplier;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.NoSuchBlockException;
import volsh.codec.BlockCodec;
import volsh.codec.BlockIdentity;
import volsh.codec.Compression;
import volsh.codec.CorruptBlockException;
import volsh.codec.FrameIndex;
import volsh.fs.BlockRow;

/** Raw bytes to stored blocks and back, for one volume. Encodes and reads through memory of its own, so a flush can always go on. */
public final class BlockIo implements AutoCloseable {
    private final UUID volume;
    private final BlockStore store;
    private final Supplier<Compression> compression;
    private final BlockCodec codec = new BlockCodec();
    private final Slabs assembly;
    private final Slabs slabs;

    /** {@code memory} bytes are for blocks on their way to and from the store; {@code compression} is asked for each new block. */
    public BlockIo(UUID volume, BlockStore store, Supplier<Compression> compression, long memory) {
        this.volume = volume;
        this.store = store;
        this.compression = compression;
        this.assembly = new Slabs(memory / 4);
        this.slabs = new Slabs(memory - memory / 4);
    }

    /** Encodes and stores a block; it survives power loss once this returns. A frame starts at each of {@code frameStarts}. */
    BlockRow write(long id, long owner, ByteBuffer raw, int[] frameStarts) throws IOException {
        int room = BlockCodec.maxStoredSize(raw.remaining(), frameStarts.length);
        try (var slab = slabs.take(room)) {
            var block = codec.encode(new BlockIdentity(volume, id), compression.get(), raw, frameStarts, slab.view(room));
            store.put(BlockKey.of(id), block.stored());
            return new BlockRow(id, raw.remaining(), block.index().storedSize(), 0, owner, block.index().toBytes());
        }
    }

    /** Fills the target with the raw bytes of the block from {@code offset} on, checked against their checksums. */
    void read(BlockRow row, long offset, ByteBuffer target) throws IOException {
        var index = FrameIndex.parse(row.index());
        var identity = new BlockIdentity(volume, row.id());
        int from = Math.toIntExact(offset);
        int to = from + target.remaining();
        if (to > index.rawSize()) {
            throw new CorruptBlockException(identity, "%d bytes wanted of %d".formatted(to, index.rawSize()));
        }
        int first = index.frameAt(from);
        int last = index.frameAt(to - 1);
        int length = index.storedOffset(last) + index.storedLength(last) - index.storedOffset(first);
        try (var slab = slabs.take(length + (target.isDirect() ? 0 : Slabs.capacity(to - from)))) {
            var stored = slab.view(length);
            fetch(identity, index.storedOffset(first), stored);
            if (target.isDirect()) {
                codec.decode(identity, index, first, stored, from, to, target);
            } else {
                var bounce = slab.view(length, length + to - from);
                codec.decode(identity, index, first, stored, from, to, bounce);
                target.put(bounce.flip());
            }
        }
    }

    private void fetch(BlockIdentity identity, int offset, ByteBuffer stored) throws IOException {
        int got;
        try {
            got = store.get(BlockKey.of(identity.block()), offset, stored);
        } catch (NoSuchBlockException gone) {
            throw new CorruptBlockException(identity, "it is missing from the store");
        }
        if (got < stored.limit()) {
            throw new CorruptBlockException(identity, "cut short: %d of %d bytes at %d".formatted(got, stored.limit(), offset));
        }
        stored.flip();
    }

    /** Memory to put a block together in before it is {@link #write written}. */
    Slab room(int size) throws IOException {
        return assembly.take(size);
    }

    /** Removes a block that no metadata names. */
    void delete(long id) throws IOException {
        store.delete(BlockKey.of(id));
    }

    @Override
    public void close() {
        codec.close();
        assembly.close();
        slabs.close();
    }
}
