package volsh.volume;

import java.io.IOException;

/** Opens volumes. */
interface VolumeOpener {
    Volume open(OpeningRequest request) throws IOException;
}
