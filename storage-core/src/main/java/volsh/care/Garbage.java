package volsh.care;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import volsh.catalog.HistorySpan;
import volsh.inventory.Strays;
import volsh.meta.Session;

/**
 * What cannot be read any more: versions that no kept time shows, blocks that died with them or before, objects of the
 * store that the metadata does not know, and what interrupted puts left.
 *
 * @param spared such objects that are left alone: too young, of a session that is writing, or with numbers never given
 *               out
 * @param left what stays for now, and why
 */
public record Garbage(long versions, long blocks, long bytes, long objects, long objectBytes, long spared,
        CutOff cutOff, Left left) {
    public Garbage(long versions, long blocks, long bytes, long objects, long objectBytes, long spared, CutOff cutOff) {
        this(versions, blocks, bytes, objects, objectBytes, spared, cutOff, Left.NOTHING);
    }

    /**
     * What was removed and stays for now.
     *
     * @param removed blocks of removed files
     * @param holders sessions that have such files open, or have not said that they do not
     * @param young objects that nothing names and that are too young, the last of them until {@code youngUntil}
     * @param kept for how long the volume keeps what is removed; empty if it does not
     */
    public record Left(Strays.Waiting removed, List<Session> holders, long young, Optional<Instant> youngUntil,
            Optional<HistorySpan> kept) {
        public static final Left NOTHING = new Left(Strays.Waiting.NOTHING, List.of(), 0, Optional.empty(),
                Optional.empty());

        public Left {
            holders = List.copyOf(holders);
        }
    }

    /** Puts that were cut off, with what they take; the first of them by name. */
    public record CutOff(long puts, long bytes, List<String> named) {
        public static final CutOff NONE = new CutOff(0, 0, List.of());

        public CutOff {
            named = List.copyOf(named);
        }
    }

    /** How many things there are to delete. */
    public long count() {
        return versions + blocks + objects + cutOff.puts();
    }

    /** Follows the collection, and may stop it. */
    public interface Watcher {
        Watcher NONE = new Watcher() {};

        /** More versions or objects were looked at. */
        default void looked(long things) {}

        /**
         * Has the processes that can be reached say which past states they need no more: what they let go of can be
         * deleted then.
         */
        default void release() {}

        /** Asked often; what is stopped can be run again. */
        default boolean cancelled() {
            return false;
        }
    }
}
