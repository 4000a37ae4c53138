package volsh.volume;

/**
 * What nobody can read any more: versions that no kept time shows, blocks that died with them or before, and objects of the store that
 * the metadata does not know.
 *
 * @param spared such objects that are left alone: too young, of somebody who is writing, or with numbers never given out
 */
public record Garbage(long versions, long blocks, long bytes, long objects, long objectBytes, long spared) {
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
