package volsh.command.quota;

import java.io.IOException;
import java.util.Optional;
import volsh.command.failure.CommandFailure;
import volsh.fs.FileKind;
import volsh.meta.Namespace;
import volsh.meta.Quotas;
import volsh.volume.Volume;
import volsh.volume.VolumePath;

/** What a quota is of: {@code VOLUME}, or {@code VOLUME:/directory}. */
record Limited(String volume, Optional<String> path) {
    static Limited of(String text) {
        if (!text.contains(":")) {
            return new Limited(text, Optional.empty());
        }
        var place = VolumePath.of(text);
        boolean root = place.path().chars().allMatch(letter -> letter == '/');
        return new Limited(place.volume(), root ? Optional.empty() : Optional.of(place.path()));
    }

    /** The directory; empty for the whole volume. */
    Optional<Long> directory(Volume open) throws IOException {
        if (path.isEmpty()) {
            return Optional.empty();
        }
        var found = open.paths().resolve(path.get());
        if (found.kind() != FileKind.DIRECTORY) {
            throw CommandFailure.usage("%s is no directory: quotas are of directories and volumes".formatted(this));
        }
        return found.ino() == Namespace.ROOT ? Optional.empty() : Optional.of(found.ino());
    }

    Optional<Quotas.Status> status(Volume open) throws IOException {
        var directory = directory(open);
        return directory.isPresent() ? open.quotas().of(directory.get()) : open.quotas().ofVolume();
    }

    @Override
    public String toString() {
        return volume + path.map(below -> ":" + below).orElse("");
    }
}
