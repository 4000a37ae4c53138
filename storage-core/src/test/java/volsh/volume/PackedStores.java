package volsh.volume;

import java.io.IOException;
import java.util.UUID;
import volsh.block.BlockStore;
import volsh.engine.MetaEngine;
import volsh.inventory.Packs;
import volsh.journal.Packing;
import volsh.pack.PackCompaction;
import volsh.pack.PackedStore;

/** Packs, for tests of other packages. */
public record PackedStores(BlockStore store, Packing packing, PackCompaction compaction) {
    /** Those whose compaction moves so many blocks for one look at all packs. */
    public static PackedStores of(BlockStore store, MetaEngine engine, UUID volume, int atATime) throws IOException {
        var packed = new PackedStore(store, new Packs(engine));
        return new PackedStores(packed, packed,
                new PackCompaction(volume, new Packs(engine), packed, engine::sync, atATime));
    }

    public static PackedStores of(BlockStore store, MetaEngine engine, UUID volume) throws IOException {
        var packed = new PackedStore(store, new Packs(engine));
        return new PackedStores(packed, packed, new PackCompaction(volume, new Packs(engine), packed, engine::sync));
    }
}
