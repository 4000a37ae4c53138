package volsh.catalog;

import java.time.Instant;
import volsh.block.StoreUrl;

/** The store of volumes that ask for none: a directory beside the catalog. It need not be added. */
public final class DefaultStore {
    public static final String NAME = "default";

    private DefaultStore() {}

    public static StoreEntry in(Home home) {
        var path = home.state().resolve("blocks");
        return new StoreEntry(NAME, StoreUrl.of(path.toUri().toString()), Instant.EPOCH);
    }
}
