package volsh.volume;

import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import volsh.block.StoreUrl;

/** The store of volumes that ask for none: a directory beside the catalog. It need not be added. */
final class DefaultStore {
    static final String NAME = "default";

    private DefaultStore() {}

    static StoreEntry in(Home home, InstantSource clock) {
        var path = home.state().resolve("blocks");
        return new StoreEntry(NAME, StoreUrl.of(path.toUri().toString()), clock.instant().truncatedTo(ChronoUnit.MILLIS));
    }
}
