package volsh.volume;

import java.util.List;

/**
 * What nobody can read any more: versions that no kept time shows, blocks that died with them or before, objects of the store that
 * the metadata does not know, and what puts left that were cut off.
 *
 * @param spared such objects that are left alone: too young, of somebody who is writing, or with numbers never given out
 */
public record Garbage(long versions, long blocks, long bytes, long objects, long objectBytes, long spared, CutOff cutOff) {
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

    /** Who watches it being collected, and may stop it. */
    public interface Watcher {
        Watcher NONE = new Watcher() {};

        /** So many more versions or objects were looked at. */
        default void looked(long things) {}

        /** Asked often; what is stopped can be run again. */
        default boolean cancelled() {
            return false;
        }
    }
}
