package volsh.volume;

import java.time.Instant;
import volsh.block.StoreUrl;

/** A store the catalog knows by name. */
public record StoreEntry(String name, StoreUrl url, Instant created) {
    public StoreEntry {
        VolumeSpec.requireName("store", name);
    }

    /** Whether it is the one that is always there, and was never added. */
    public boolean builtIn() {
        return created.equals(Instant.EPOCH);
    }
}
