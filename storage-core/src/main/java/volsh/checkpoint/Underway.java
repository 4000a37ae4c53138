package volsh.checkpoint;

import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A step that is being saved, as the volume knows it.
 *
 * @param world how many ranks take part; 0 for a single process
 * @param ranks those whose shards are in; for a single process, its own rank if it has one
 * @param pid   the process that writes it, if it is on this host
 * @param until when the ranks give up
 */
public record Underway(String run, long step, int world, SortedSet<Integer> ranks, State state, OptionalLong pid,
        Optional<Instant> until) {
    private static final int SHOWN = 8;

    /** The state of the save. */
    public enum State {
        /** A process is writing it, here or on another host. */
        WRITING,
        /** Some shards are in, others are missing. */
        GATHERING,
        /** Its process is gone; the next save removes it. */
        LEFT
    }

    public Underway {
        ranks = Collections.unmodifiableSortedSet(new TreeSet<>(ranks));
    }

    /** The missing ranks. */
    public SortedSet<Integer> missing() {
        var missing = new TreeSet<Integer>();
        for (int rank = 0; rank < world; rank++) {
            if (!ranks.contains(rank)) {
                missing.add(rank);
            }
        }
        return missing;
    }

    /** Ranks as text: {@code rank 3}, {@code ranks 3, 5}; for many, the first ones and how many more. */
    public static String said(SortedSet<Integer> ranks) {
        String some = ranks.stream().limit(SHOWN).map(String::valueOf).collect(Collectors.joining(", "));
        return (ranks.size() == 1 ? "rank " : "ranks ") + some
                + (ranks.size() > SHOWN ? " and %d more".formatted(ranks.size() - SHOWN) : "");
    }
}
