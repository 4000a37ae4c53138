package volsh.upkeep;

import java.util.Optional;
import volsh.block.BlockStore;

/** The blocks of a volume: the store they are read from, and their parts if that is made of several. */
public record Stored(BlockStore store, Optional<Parts> parts) {
    /** All in one store. */
    public static Stored in(BlockStore store) {
        return new Stored(store, Optional.empty());
    }
}
