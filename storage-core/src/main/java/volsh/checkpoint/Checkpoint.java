package volsh.checkpoint;

import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

/**
 * A checkpoint as it is found.
 *
 * @param manifest empty if it cannot be read
 * @param trouble  why it is not valid; empty if it is: every file of the manifest is there with its size
 * @param verified whether it is not valid only because {@code verify} found that bytes are not what was saved
 * @param latest   whether {@code latest} leads to it
 */
public record Checkpoint(String run, long step, Optional<Manifest> manifest, String trouble, boolean verified, boolean pinned, boolean latest) {
    /** Of those with a manifest, the older first; of two saved at once, the earlier step. */
    static final Comparator<Checkpoint> BY_AGE =
            Comparator.<Checkpoint, Instant>comparing(one -> one.manifest().orElseThrow().saved()).thenComparingLong(Checkpoint::step);

    /** One whose bytes nobody found to be wrong. */
    public Checkpoint(String run, long step, Optional<Manifest> manifest, String trouble, boolean pinned, boolean latest) {
        this(run, step, manifest, trouble, false, pinned, latest);
    }

    /** Every file is there with its size, whatever its bytes are. */
    boolean whole() {
        return verified || valid();
    }

    public boolean valid() {
        return trouble.isEmpty();
    }

    /** Where it is in its volume. */
    public String path() {
        return "/" + run + "/" + directory(step);
    }

    /** Names sort as steps do. */
    public static String directory(long step) {
        return "step-%012d".formatted(step);
    }
}
