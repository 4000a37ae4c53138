package volsh.assembly;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.catalog.Ownership;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeSpec;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.ship.AttachedElsewhereException;
import volsh.ship.RecordingEngine;
import volsh.ship.Shipments;
import volsh.ship.Shipping;

/**
 * Switches shipping on and off as a volume's specification says. Beside what is shipped, an object at the top of the
 * store names each part that has shipped metadata: a search for volumes need not list millions of blocks.
 */
public final class ShippingSwitch {
    /** No volume's part is called so: their names begin with a letter or digit. */
    public static final String INDEX = "_volumes/";

    private final VolumeParts parts;

    public ShippingSwitch(VolumeParts parts) {
        this.parts = parts;
    }

    /** Begins with the volume as it is; returns when it could be attached elsewhere. */
    public void begin(VolumeSpec spec, RecordingEngine engine, BlockStore store) throws IOException {
        for (var name : VolumeParts.shippedTo(spec)) {
            putMark(spec, name);
        }
        parts.shipping(spec, engine, store).switchOn();
        engine.refresh();
    }

    /** Which of the volume's stores it is, is said of all but the first. */
    private void putMark(VolumeSpec spec, String name) throws IOException {
        int number = spec.spread().isNone() ? 1 : spec.spread().stores().indexOf(name) + 1;
        String text = spec.id() + (number == 1 ? "" : "\n" + number + "\n");
        try (var whole = parts.openWholeStore(name)) {
            whole.put(mark(spec), ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
        }
    }

    /** Marks all stores that metadata is shipped to; a store that is away is marked another time. */
    void mark(VolumeSpec spec, RecordingEngine engine) throws IOException {
        if (Shipping.status(engine).isEmpty() || VolumeParts.shippedTo(spec).size() == 1) {
            return;
        }
        for (var name : VolumeParts.shippedTo(spec)) {
            try (var own = parts.openStore(spec, name)) {
                Ownership.require(own, spec, name);
                putMark(spec, name);
            } catch (IOException away) {
                System.getLogger("volsh.volume")
                        .log(Level.DEBUG, "store '%s' does not say what is shipped to it".formatted(name), away);
            }
        }
    }

    /** Switches as the specification asks. */
    public void follow(VolumeSpec spec, RecordingEngine engine) throws IOException {
        boolean ships = Shipping.status(engine).isPresent();
        if (ships == spec.shipsMetadata()) {
            mark(spec, engine);
            return;
        }
        try (var store = parts.openShipped(spec)) {
            if (spec.shipsMetadata()) {
                beginAlone(spec, engine, store);
            } else {
                parts.shipping(spec, engine, store).switchOff();
                removeMark(spec);
            }
        }
    }

    private void beginAlone(VolumeSpec spec, RecordingEngine engine, BlockStore store) throws IOException {
        try {
            begin(spec, engine, store);
        } catch (FsException refused) {
            if (refused.error() != FsError.BUSY) {
                throw refused;
            }
            throw new Refusal(Reason.BUSY, "shipping cannot begin while volume '%s' is in use".formatted(spec.name()),
                    refused, "volsh mounts list").detail(String.valueOf(refused.getMessage()));
        }
    }

    /** Ships what has changed, now if that is possible. */
    public void shipOrWarn(VolumeSpec spec, RecordingEngine engine) throws IOException {
        if (!spec.shipsMetadata()) {
            return;
        }
        try (var store = parts.openShipped(spec)) {
            parts.shipping(spec, engine, store).ship();
        } catch (AttachedElsewhereException over) {
            throw over;
        } catch (IOException later) {
            System.getLogger("volsh.volume").log(Level.WARNING, "the change of volume '%s' is not in its store yet: %s"
                    .formatted(spec.name(), later.getMessage()));
        }
    }

    /** Removes what was shipped, in any state. */
    public void remove(VolumeSpec spec, BlockStore store) throws IOException {
        Shipments.remove(store);
        removeMark(spec);
    }

    private void removeMark(VolumeSpec spec) throws IOException {
        for (var name : VolumeParts.shippedTo(spec)) {
            removeMark(spec, name);
        }
    }

    /** That there are no metadata in this store any more. */
    public void removeMark(VolumeSpec spec, String name) throws IOException {
        try (var whole = parts.openWholeStore(name)) {
            whole.delete(mark(spec));
        }
    }

    private static BlockKey mark(VolumeSpec spec) {
        return new BlockKey(INDEX + spec.prefix());
    }
}
