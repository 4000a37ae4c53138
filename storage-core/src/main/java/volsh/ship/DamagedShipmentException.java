package volsh.ship;

import java.io.IOException;
import java.util.Objects;
import volsh.block.BlockKey;

/** Shipped metadata is not what was shipped: an object is missing, damaged, or does not follow the previous one. */
public final class DamagedShipmentException extends IOException {
    public DamagedShipmentException(String message) {
        super(message);
    }

    /** The object cannot be parsed. */
    DamagedShipmentException(BlockKey object, RuntimeException nonsense) {
        this(object, Objects.requireNonNullElse(nonsense.getMessage(), "it is truncated or malformed"));
    }

    public DamagedShipmentException(BlockKey object, String wrong) {
        super("shipped metadata corrupt: object %s: %s".formatted(object, wrong));
    }
}
