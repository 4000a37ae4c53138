package volsh.upkeep.check;

import java.util.Optional;
import volsh.block.BlockStore;

/** The blocks of a volume: the store they are read from, and their parts if there are several stores. */
public record StoredBlocks(BlockStore store, Optional<BlockParts> parts) {
    /** All in one store. */
    public static StoredBlocks in(BlockStore store) {
        return new StoredBlocks(store, Optional.empty());
    }
}
