package volsh.volume;

import java.util.Map;
import java.util.Optional;
import volsh.codec.Compression;
import volsh.unit.ByteSize;

/** What is asked of a new volume. What is left empty comes from the profile, and the store from the catalog's default. */
public record VolumeDraft(
        String name,
        Optional<String> store,
        Profile profile,
        Optional<ByteSize> blockSize,
        Optional<Compression> compression,
        Optional<ByteSize> inline,
        Map<String, String> labels) {

    public VolumeDraft {
        VolumeSpec.requireName("volume", name);
        labels = Map.copyOf(labels);
    }

    /** A volume of this name with everything by default. */
    public static VolumeDraft named(String name) {
        return new VolumeDraft(name, Optional.empty(), Profile.GENERAL, Optional.empty(), Optional.empty(), Optional.empty(), Map.of());
    }
}
