package volsh.command.snapshot;

import volsh.catalog.Moment;
import volsh.catalog.VolumePath;
import volsh.command.failure.CommandFailure;

/** The name of a snapshot: {@code VOLUME@NAME}. */
public record SnapshotName(String volume, String name) {
    /** @throws CommandFailure USAGE unless the word is {@code VOLUME@NAME} */
    public static SnapshotName of(String word) {
        if (word.indexOf('@') > 0 && word.indexOf(':') < 0
                && VolumePath.whole(word).moment().orElseThrow() instanceof Moment.Named(String name)) {
            return new SnapshotName(VolumePath.whole(word).volume(), name);
        }
        throw CommandFailure.usage("'%s' is not a snapshot (try training-data@v1)".formatted(word));
    }

    @Override
    public String toString() {
        return volume + "@" + name;
    }
}
