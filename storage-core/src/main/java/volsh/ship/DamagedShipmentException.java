package volsh.ship;

import java.io.IOException;
import volsh.block.BlockKey;

/** Shipped metadata that is not what was shipped: an object is missing, damaged, or does not follow the one before it. */
public final class DamagedShipmentException extends IOException {
    public DamagedShipmentException(String message) {
        super(message);
    }

    public DamagedShipmentException(BlockKey object, String wrong) {
        super("shipped metadata, object %s: %s".formatted(object, wrong));
    }
}
