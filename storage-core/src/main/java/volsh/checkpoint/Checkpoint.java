package volsh.checkpoint;

import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

/**
 * A checkpoint found in a volume.
 *
 * @param manifest empty if it cannot be read
 * @param trouble  why it is not valid; empty if every file of the manifest exists with its size
 * @param verified whether it is invalid only because {@code verify} found that bytes differ from what was saved
 * @param latest   whether {@code latest} refers to it
 */
public record Checkpoint(String run, long step, Optional<Manifest> manifest, String trouble, boolean verified,
        boolean pinned, boolean latest) {
    /** By age, oldest first, for those with a manifest; of two saved at the same time, the earlier step first. */
    static final Comparator<Checkpoint> BY_AGE =
            Comparator.<Checkpoint, Instant>comparing(one -> one.manifest().orElseThrow().saved())
                    .thenComparingLong(Checkpoint::step);

    /** A checkpoint that verify has not found damaged. */
    public Checkpoint(String run, long step, Optional<Manifest> manifest, String trouble, boolean pinned,
            boolean latest) {
        this(run, step, manifest, trouble, false, pinned, latest);
    }

    /** Whether every file exists with its size, whatever its bytes are. */
    boolean whole() {
        return verified || valid();
    }

    public boolean valid() {
        return trouble.isEmpty();
    }

    /** Its path in the volume. */
    public String path() {
        return "/" + run + "/" + directory(step);
    }

    /** The directory name of a step; names sort like steps. */
    public static String directory(long step) {
        return "step-%012d".formatted(step);
    }
}
