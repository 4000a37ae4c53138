package volsh.journal;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What is staged: how much and since when, why the last upload failed (unless one has succeeded since), and files with
 * blocks that can no longer be read.
 */
public record StagingStatus(int blocks, long bytes, Optional<Instant> oldest, Optional<Trouble> trouble,
        List<Path> damaged) {
    public static final StagingStatus NOTHING = new StagingStatus(0, 0, Optional.empty(), Optional.empty(), List.of());

    /** Why blocks cannot be stored; {@code full} if for lack of space. */
    public record Trouble(String words, boolean full) {}

    public StagingStatus {
        damaged = List.copyOf(damaged);
    }

    public boolean isDone() {
        return blocks == 0 && damaged.isEmpty();
    }
}
