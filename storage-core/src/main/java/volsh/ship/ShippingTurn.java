package volsh.ship;

import java.io.IOException;
import java.util.Optional;

/** Lets one process of this host ship a volume's metadata at a time. Two at once would do no harm, only work twice. */
@FunctionalInterface
public interface ShippingTurn {
    /** Whoever asks has it. */
    ShippingTurn FREE = () -> Optional.of(() -> { });

    /** Empty while another has it. */
    Optional<Held> take() throws IOException;

    /** It is ours until closed. */
    interface Held extends AutoCloseable {
        @Override
        void close() throws IOException;
    }
}
