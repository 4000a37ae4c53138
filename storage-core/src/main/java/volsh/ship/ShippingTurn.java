package volsh.ship;

import java.io.IOException;
import java.util.Optional;

/** Lets one process of this host ship a volume's metadata at a time, only to avoid duplicate work. */
@FunctionalInterface
public interface ShippingTurn {
    /** Always free. */
    ShippingTurn FREE = () -> Optional.of(() -> { });

    /** Empty while another process has it. */
    Optional<Held> take() throws IOException;

    /** The turn, until closed. */
    interface Held extends AutoCloseable {
        @Override
        void close() throws IOException;
    }
}
