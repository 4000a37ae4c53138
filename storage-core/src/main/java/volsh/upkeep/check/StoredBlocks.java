package volsh.upkeep.check;

import java.util.Optional;
import volsh.block.BlockStore;

/**
 * The blocks of a volume: the store they are read from, their parts if there are several stores, and the objects that
 * imported ones are parts of.
 */
public record StoredBlocks(BlockStore store, Optional<BlockParts> parts, ImportedObjectCheck imported) {
    /** All in one store. */
    public static StoredBlocks in(BlockStore store) {
        return new StoredBlocks(store, Optional.empty(), ImportedObjectCheck.NONE);
    }
}
