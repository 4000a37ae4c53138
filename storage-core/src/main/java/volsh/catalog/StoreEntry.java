package volsh.catalog;

import java.time.Instant;
import java.util.List;
import volsh.block.StoreUrl;

/** A store the catalog knows by name; {@code pools} are labels by which layouts choose stores. */
public record StoreEntry(String name, StoreUrl url, Instant created, List<String> pools) {
    public StoreEntry {
        VolumeSpec.requireName("store", name);
        pools = List.copyOf(pools);
        pools.forEach(pool -> VolumeSpec.requireName("pool", pool));
    }

    /** In no pool. */
    public StoreEntry(String name, StoreUrl url, Instant created) {
        this(name, url, created, List.of());
    }

    /** Whether it is the one that is always there, and was never added. */
    public boolean builtIn() {
        return created.equals(Instant.EPOCH);
    }
}
