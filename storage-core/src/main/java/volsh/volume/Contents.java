package volsh.volume;

import java.io.IOException;
import java.util.Optional;
import volsh.block.BlockStore;
import volsh.meta.MetaEngine;
import volsh.upkeep.Parts;
import volsh.upkeep.Stored;

/** What the stores of a volume have, for those who compare it with the metadata: nothing but those need be open. */
final class Contents implements AutoCloseable {
    private final BlockStore store;
    private final PlacedParts parts;   // null if there is one store

    private Contents(BlockStore store, PlacedParts parts) {
        this.store = store;
        this.parts = parts;
    }

    /** Lays something over a store. */
    interface Over {
        Over NOTHING = store -> store;

        BlockStore lay(BlockStore store) throws IOException;
    }

    /** {@code over} lays over the stores what blocks are read through. @throws Refusal if no store is the volume's */
    static Contents of(VolumeSpec spec, VolumeParts parts, MetaEngine engine, Over over) throws IOException {
        if (spec.spread().isNone()) {
            var store = parts.openStore(spec);
            try {
                Ownership.require(store, spec);
                return new Contents(over.lay(store), null);
            } catch (IOException | RuntimeException failed) {
                store.close();
                throw failed;
            }
        }
        var placing = new Placing(spec, parts, engine, () -> spec);
        var store = placing.open();
        try {
            placing.admit(store);
            return new Contents(over.lay(store), new PlacedParts(spec, new Spot(store, placing.rows())));
        } catch (IOException | RuntimeException failed) {
            store.close();
            throw failed;
        }
    }

    Stored stored() {
        return new Stored(store, Optional.<Parts>ofNullable(parts));
    }

    BlockStore store() {
        return store;
    }

    Optional<PlacedParts> parts() {
        return Optional.ofNullable(parts);
    }

    @Override
    public void close() throws IOException {
        try (store) {
            if (parts != null) {
                parts.close();
            }
        }
    }
}
