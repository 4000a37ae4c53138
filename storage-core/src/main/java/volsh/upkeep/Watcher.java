package volsh.upkeep;

/** Watches work on a whole volume, and may stop it. */
public interface Watcher {
    Watcher NONE = new Watcher() {};

    /** A phase begins, with this many rows or bytes, or -1 if unknown. */
    default void phase(String name, long total) {}

    /** {@code amount} more rows or bytes are done. */
    default void advanced(long amount) {}

    /** Called often. */
    default boolean cancelled() {
        return false;
    }
}
