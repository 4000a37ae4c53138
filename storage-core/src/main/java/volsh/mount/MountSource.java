package volsh.mount;

import java.util.Optional;
import volsh.catalog.Refusal;
import volsh.catalog.VolumePath;

/** What is mounted: a place in a volume, or a bucket without a volume. */
public final class MountSource {
    private static final String URL = "://";

    private final Optional<VolumePath> place;
    private final String text;

    private MountSource(Optional<VolumePath> place, String text) {
        this.place = place;
        this.text = text;
    }

    public static MountSource of(VolumePath place) {
        return new MountSource(Optional.of(place), place.toString());
    }

    /** A bucket, as people name it, such as {@code s3://bucket/prefix/}. */
    public static MountSource ofBucket(String url) {
        if (!url.contains(URL)) {
            throw new IllegalArgumentException("not a bucket: " + url);
        }
        return new MountSource(Optional.empty(), url);
    }

    /** What {@link #toString} wrote. */
    static MountSource parse(String text) {
        return text.contains(URL) ? ofBucket(text) : of(VolumePath.of(text));
    }

    /** Empty for a bucket. */
    public Optional<VolumePath> place() {
        return place;
    }

    /** The name of the volume; for a bucket its URL, which no volume has for a name. */
    public String volume() {
        return place.map(VolumePath::volume).orElse(text);
    }

    /** The directory of the volume. */
    public String path() {
        return place.map(VolumePath::path).orElse("/");
    }

    /** @throws Refusal INVALID for a bucket */
    public VolumePath volumePath() throws Refusal {
        return place.orElseThrow(() -> new Refusal(Refusal.Reason.INVALID,
                "%s is a bucket that is mounted without a volume: this needs a volume".formatted(text),
                "volsh mounts list"));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MountSource source && source.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
