package volsh.volume;

import java.io.IOException;
import volsh.block.BlockStore;
import volsh.journal.Packing;
import volsh.meta.MetaEngine;
import volsh.meta.Packs;

/** Packs, for tests of other packages. */
public record PackedStores(BlockStore store, Packing packing) {
    public static PackedStores of(BlockStore store, MetaEngine engine) throws IOException {
        var packed = new Packed(store, new Packs(engine));
        return new PackedStores(packed, packed);
    }
}
