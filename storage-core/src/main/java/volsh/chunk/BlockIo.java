package volsh.chunk;

import java.util.UUID;
import java.util.function.Supplier;
import volsh.block.BlockStore;
import volsh.cache.disk.DiskTier;
import volsh.codec.BlockCodec;
import volsh.codec.Compression;
import volsh.codec.FrameEncryption;
import volsh.fs.ImportedBytes;
import volsh.place.Placement;

/**
 * The writer and the reader of the blocks of one volume, with the codec and the memory that both share. No other code
 * takes from this memory, so a flush can always proceed.
 */
public final class BlockIo implements AutoCloseable {
    private final DiskTier tier;
    private final Placement placement;
    private final BlockCodec codec;
    private final Slabs assembly;
    private final Slabs slabs;
    private final BlockWriter writer;
    private final BlockReader reader;

    /**
     * {@code memory} bytes hold blocks on their way to and from the store; {@code compression} is asked for each new
     * block.
     */
    public BlockIo(UUID volume, BlockStore store, Supplier<Compression> compression, long memory) {
        this(volume, store, store, compression, memory, DiskTier.NONE);
    }

    /** With a disk tier, which it closes. {@code lasting} is the same store without a journal before it. */
    public BlockIo(UUID volume, BlockStore store, BlockStore lasting, Supplier<Compression> compression, long memory,
            DiskTier tier) {
        this(volume, store, lasting, compression, memory, tier, Placement.SINGLE, ImportedBytes.NONE,
                FrameEncryption.NONE);
    }

    /** With a placement of blocks on stores, the buckets of imported ones, and encryption. */
    public BlockIo(UUID volume, BlockStore store, BlockStore lasting, Supplier<Compression> compression, long memory,
            DiskTier tier, Placement placement, ImportedBytes imported, FrameEncryption encryption) {
        this.codec = new BlockCodec(encryption);
        this.tier = tier;
        this.placement = placement;
        this.assembly = new Slabs(memory / 4);
        this.slabs = new Slabs(memory - memory / 4);
        this.writer = new BlockWriter(volume, store, lasting, compression, tier, placement, codec, assembly, slabs);
        this.reader = new BlockReader(volume, tier, codec, slabs, new ReadRecovery(store, placement, codec, imported));
    }

    BlockWriter writer() {
        return writer;
    }

    BlockReader reader() {
        return reader;
    }

    DiskTier tier() {
        return tier;
    }

    /** Decides which stores get a block. */
    Placement placement() {
        return placement;
    }

    @Override
    public void close() {
        tier.close();
        codec.close();
        assembly.close();
        slabs.close();
    }
}
