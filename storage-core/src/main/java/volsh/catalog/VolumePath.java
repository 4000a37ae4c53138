package volsh.catalog;

import java.util.Optional;

/**
 * A place in a volume as people write it: {@code training-data:/images/cat.jpg}, or in a past state of it: {@code
 * training-data@v1:/images/cat.jpg}.
 */
public record VolumePath(String volume, Optional<Moment> moment, String path) {
    public VolumePath {
        VolumeSpec.requireName("volume", volume);
        if (path.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a path cannot hold NUL");
        }
    }

    /** A place in the volume as it is now. */
    public VolumePath(String volume, String path) {
        this(volume, Optional.empty(), path);
    }

    /**
     * @throws IllegalArgumentException unless the text is {@code VOLUME:/path}, {@code VOLUME@SNAPSHOT:/path} or
     * {@code VOLUME@SNAPSHOT}
     */
    public static VolumePath of(String text) {
        int colon = text.indexOf(':');
        if (colon < 0 && text.indexOf('@') > 0 && text.indexOf('/') < 0) {
            return whole(text);
        }
        if (colon <= 0) {
            boolean name = text.matches("[a-z0-9][a-z0-9-]*");
            throw new IllegalArgumentException("not a place in a volume: '%s' (try %s)"
                    .formatted(text, name ? text + ":/" : "training-data:/images"));
        }
        var path = text.substring(colon + 1);
        return whole(text.substring(0, colon)).at(path.startsWith("/") ? path : "/" + path);
    }

    /** The root of a volume: {@code VOLUME} or {@code VOLUME@SNAPSHOT}. */
    public static VolumePath whole(String text) {
        int at = text.indexOf('@');
        return at < 0 ? new VolumePath(text, "/")
                : new VolumePath(text.substring(0, at), Optional.of(Moment.behindName(text.substring(at + 1))), "/");
    }

    /** Does the text name a place in a volume, rather than a local file? */
    public static boolean isOne(String text) {
        int colon = text.indexOf(':');
        return colon > 0 && text.indexOf('/') != 0 && !text.substring(0, colon).contains("/") && !text.startsWith(".");
    }

    /** The same volume, another path. */
    public VolumePath at(String other) {
        return new VolumePath(volume, moment, other);
    }

    /** The same path in this past state. @throws IllegalArgumentException if it is in another already */
    public VolumePath at(Moment then) {
        if (moment.isPresent() && !moment.get().equals(then)) {
            throw new IllegalArgumentException("%s is in the past already: leave out --at or the @".formatted(this));
        }
        return new VolumePath(volume, Optional.of(then), path);
    }

    /** This, if it is in the volume as it is now. @throws IllegalArgumentException if it is in the past */
    public VolumePath present() {
        if (moment.isPresent()) {
            throw new IllegalArgumentException("%s is in the past; this needs the volume as it is now (try %s:%s)"
                    .formatted(this, volume, path));
        }
        return this;
    }

    /** The volume, and of which time: {@code VOLUME} or {@code VOLUME@v1}. */
    public String source() {
        return volume + moment.map(then -> "@" + then.suffix()).orElse("");
    }

    @Override
    public String toString() {
        return source() + ":" + path;
    }
}
