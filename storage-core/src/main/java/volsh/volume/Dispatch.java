package volsh.volume;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.ship.AttachedElsewhereException;
import volsh.ship.RecordingEngine;
import volsh.ship.Shipments;
import volsh.ship.Shipping;
import volsh.volume.Refusal.Reason;

/**
 * Switches shipping on and off as a volume's specification says. Beside what is shipped, an object at the top of the store
 * names each part that has shipped metadata: whoever looks for volumes need not list millions of blocks.
 */
final class Dispatch {
    /** No volume's part is called so: their names begin with a letter or digit. */
    static final String INDEX = "_volumes/";

    private final VolumeParts parts;

    Dispatch(VolumeParts parts) {
        this.parts = parts;
    }

    /** Begins with the volume as it is; returns when it could be attached elsewhere. */
    void begin(VolumeSpec spec, RecordingEngine engine, BlockStore store) throws IOException {
        try (var whole = parts.openWholeStore(spec)) {
            whole.put(mark(spec), ByteBuffer.wrap(spec.id().toString().getBytes(StandardCharsets.US_ASCII)));
        }
        parts.shipping(spec, engine, store).switchOn();
        engine.refresh();
    }

    /** Switches as the specification asks. */
    void follow(VolumeSpec spec, RecordingEngine engine) throws IOException {
        boolean ships = Shipping.status(engine).isPresent();
        if (ships == spec.shipsMetadata()) {
            return;
        }
        try (var store = parts.openStore(spec)) {
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
                    refused, "volsh mounts list").detail(refused.getMessage());
        }
    }

    /** Ships what has changed, now if that is possible. */
    void shipOrWarn(VolumeSpec spec, RecordingEngine engine) throws IOException {
        if (!spec.shipsMetadata()) {
            return;
        }
        try (var store = parts.openStore(spec)) {
            parts.shipping(spec, engine, store).ship();
        } catch (AttachedElsewhereException over) {
            throw over;
        } catch (IOException later) {
            System.getLogger("volsh.volume").log(Level.WARNING, "the change of volume '%s' is not in its store yet: %s"
                    .formatted(spec.name(), later.getMessage()));
        }
    }

    /** Removes what was shipped, in any state. */
    void remove(VolumeSpec spec, BlockStore store) throws IOException {
        Shipments.remove(store);
        removeMark(spec);
    }

    private void removeMark(VolumeSpec spec) throws IOException {
        try (var whole = parts.openWholeStore(spec)) {
            whole.delete(mark(spec));
        }
    }

    private static BlockKey mark(VolumeSpec spec) {
        return new BlockKey(INDEX + spec.prefix());
    }
}
