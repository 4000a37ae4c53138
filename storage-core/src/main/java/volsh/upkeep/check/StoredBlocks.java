package volsh.upkeep.check;

import java.util.Optional;
import volsh.block.BlockStore;
import volsh.codec.FrameEncryption;

/**
 * The blocks of a volume: the store they are read from, their parts if there are several stores, the objects that
 * imported ones are parts of, and how they are encrypted.
 */
public record StoredBlocks(
        BlockStore store, Optional<BlockParts> parts, ImportedObjectCheck imported, FrameEncryption encryption) {
    /** All in one store, not encrypted. */
    public static StoredBlocks in(BlockStore store) {
        return new StoredBlocks(store, Optional.empty(), ImportedObjectCheck.NONE, FrameEncryption.NONE);
    }
}
