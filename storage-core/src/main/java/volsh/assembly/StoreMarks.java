package volsh.assembly;

import java.io.IOException;
import volsh.catalog.Ownership;
import volsh.catalog.VolumeSpec;
import volsh.ship.RecordingEngine;

/** The marks in the stores of an open volume that name their volume. */
public record StoreMarks(VolumeParts parts, VolumeSpec spec, RecordingEngine engine) implements PlacedBlocks.Marks {
    @Override
    public void renew() throws IOException {
        new ShippingSwitch(parts).mark(spec, engine);
    }

    @Override
    public void claim(String store) throws IOException {
        try (var part = parts.openNewPart(spec, store)) {
            Ownership.claim(part, spec);
        }
    }
}
