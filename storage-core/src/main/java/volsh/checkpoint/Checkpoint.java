package volsh.checkpoint;

import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

/**
 * A checkpoint as it is found.
 *
 * @param manifest empty if it cannot be read
 * @param trouble  why it is not valid; empty if it is: every file of the manifest is there with its size
 * @param latest   whether {@code latest} leads to it
 */
public record Checkpoint(String run, long step, Optional<Manifest> manifest, String trouble, boolean pinned, boolean latest) {
    /** Of those with a manifest, the older first; of two saved at once, the earlier step. */
    static final Comparator<Checkpoint> BY_AGE =
            Comparator.<Checkpoint, Instant>comparing(one -> one.manifest().orElseThrow().saved()).thenComparingLong(Checkpoint::step);

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
