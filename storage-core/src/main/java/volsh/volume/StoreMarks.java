package volsh.volume;

import java.io.IOException;
import volsh.ship.RecordingEngine;

/** What says in the stores of an open volume that they are its. */
record StoreMarks(VolumeParts parts, VolumeSpec spec, RecordingEngine engine) implements Spot.Marks {
    @Override
    public void renew() throws IOException {
        new Dispatch(parts).mark(spec, engine);
    }

    @Override
    public void claim(String store) throws IOException {
        try (var part = parts.openNewPart(spec, store)) {
            Ownership.claim(part, spec);
        }
    }
}
