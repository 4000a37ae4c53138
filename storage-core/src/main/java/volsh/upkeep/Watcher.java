package volsh.upkeep;

/** Who watches work on a whole volume, and may stop it. */
public interface Watcher {
    Watcher NONE = new Watcher() {};

    /** What comes now; so many rows or bytes, if that is known, else -1. */
    default void phase(String name, long total) {}

    /** So many rows or bytes more are done. */
    default void advanced(long amount) {}

    /** Asked often. */
    default boolean cancelled() {
        return false;
    }
}
