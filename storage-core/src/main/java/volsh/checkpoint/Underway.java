package volsh.checkpoint;

import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A step that is not a checkpoint yet, as the volume knows it.
 *
 * @param world how many ranks meet; 0 for what one process writes
 * @param ranks those whose shards are in; of what a process writes, its own if it has one
 * @param pid   the process that writes it, if it is one of this host
 * @param until when ranks that meet give up
 */
public record Underway(String run, long step, int world, SortedSet<Integer> ranks, State state, OptionalLong pid, Optional<Instant> until) {
    private static final int SHOWN = 8;

    /** How it stands. */
    public enum State {
        /** A process fills it, here or on another host. */
        WRITING,
        /** Shards are in, and others are awaited. */
        GATHERING,
        /** Whoever wrote it is gone; the next save removes it. */
        LEFT
    }

    public Underway {
        ranks = Collections.unmodifiableSortedSet(new TreeSet<>(ranks));
    }

    /** The ranks that others wait for. */
    public SortedSet<Integer> missing() {
        var missing = new TreeSet<Integer>();
        for (int rank = 0; rank < world; rank++) {
            if (!ranks.contains(rank)) {
                missing.add(rank);
            }
        }
        return missing;
    }

    /** Ranks as people say them: {@code rank 3}, {@code ranks 3, 5}; of many the first ones and how many more. */
    public static String said(SortedSet<Integer> ranks) {
        String some = ranks.stream().limit(SHOWN).map(String::valueOf).collect(Collectors.joining(", "));
        return (ranks.size() == 1 ? "rank " : "ranks ") + some + (ranks.size() > SHOWN ? " and %d more".formatted(ranks.size() - SHOWN) : "");
    }
}
