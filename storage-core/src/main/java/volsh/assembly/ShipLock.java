package volsh.assembly;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import volsh.catalog.ProcessLock;
import volsh.ship.ShippingTurn;

/** The turn to ship a volume's metadata, as a lock on a file beside it. It ends with the process. */
record ShipLock(Path directory) implements ShippingTurn {
    static final String NAME = "ship.lock";

    @Override
    public Optional<Held> take() throws IOException {
        return ProcessLock.tryTake(directory.resolve(NAME)).map(lock -> lock::close);
    }
}
