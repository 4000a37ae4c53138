package volsh.journal;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What waits: how much of it and since when, why the last attempt to store something failed (if the one after did too, or
 * there was none yet), and files with blocks that cannot be read any more.
 */
public record StagingStatus(int blocks, long bytes, Optional<Instant> oldest, Optional<Trouble> trouble, List<Path> damaged) {
    public static final StagingStatus NOTHING = new StagingStatus(0, 0, Optional.empty(), Optional.empty(), List.of());

    /** Why something cannot be stored; {@code full} if it is for want of space. */
    public record Trouble(String words, boolean full) {}

    public StagingStatus {
        damaged = List.copyOf(damaged);
    }

    public boolean isDone() {
        return blocks == 0 && damaged.isEmpty();
    }
}
