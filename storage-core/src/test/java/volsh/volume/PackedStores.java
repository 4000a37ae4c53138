package volsh.volume;

import java.io.IOException;
import java.util.UUID;
import volsh.block.BlockStore;
import volsh.journal.Packing;
import volsh.meta.MetaEngine;
import volsh.meta.Packs;

/** Packs, for tests of other packages. */
public record PackedStores(BlockStore store, Packing packing, PackCompaction compaction) {
    /** Those whose compaction moves so many blocks for one look at all packs. */
    public static PackedStores of(BlockStore store, MetaEngine engine, UUID volume, int atATime) throws IOException {
        var packed = new Packed(store, new Packs(engine));
        return new PackedStores(packed, packed, new PackCompaction(volume, new Packs(engine), packed, engine::sync, atATime));
    }

    public static PackedStores of(BlockStore store, MetaEngine engine, UUID volume) throws IOException {
        var packed = new Packed(store, new Packs(engine));
        return new PackedStores(packed, packed, new PackCompaction(volume, new Packs(engine), packed, engine::sync));
    }
}
