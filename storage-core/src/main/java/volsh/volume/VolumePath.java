package volsh.volume;

/** A place in a volume as people write it: {@code training-data:/images/cat.jpg}. */
public record VolumePath(String volume, String path) {
    public VolumePath {
        VolumeSpec.requireName("volume", volume);
        if (path.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a path cannot hold NUL");
        }
    }

    /** @throws IllegalArgumentException unless the text is {@code VOLUME:/path} */
    public static VolumePath of(String text) {
        int colon = text.indexOf(':');
        if (colon <= 0) {
            throw new IllegalArgumentException("not a place in a volume: '%s' (try training-data:/images)"
                    .formatted(text));
        }
        var path = text.substring(colon + 1);
        return new VolumePath(text.substring(0, colon), path.startsWith("/") ? path : "/" + path);
    }

    /** Does the text name a place in a volume, rather than a local file? */
    public static boolean isOne(String text) {
        int colon = text.indexOf(':');
        return colon > 0 && text.indexOf('/') != 0 && !text.substring(0, colon).contains("/") && !text.startsWith(".");
    }

    /** The same volume, another path. */
    public VolumePath at(String other) {
        return new VolumePath(volume, other);
    }

    @Override
    public String toString() {
        return volume + ":" + path;
    }
}
