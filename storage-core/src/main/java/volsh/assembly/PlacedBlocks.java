package volsh.assembly;

import java.io.IOException;
import java.util.Optional;
import volsh.inventory.PlaceRows;
import volsh.place.PlacedStore;

/**
 * Where the blocks of an open volume are: its stores as one, and what its metadata says of them. {@code marks} is for a
 * repair that has filled a store again.
 */
public record PlacedBlocks(PlacedStore store, PlaceRows rows, Optional<Marks> marks) {
    /** Has every store say again which volumes can be attached from it. */
    public interface Marks {
        void renew() throws IOException;

        /** Marks the part of this store as the volume's: it was wiped. */
        void claim(String store) throws IOException;
    }

    /** For a caller that fills no store. */
    public PlacedBlocks(PlacedStore store, PlaceRows rows) {
        this(store, rows, Optional.empty());
    }
}
