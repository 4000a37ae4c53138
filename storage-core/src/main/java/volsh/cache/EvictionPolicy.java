package volsh.cache;

/**
 * Decides which frames may be forgotten to make room. Time is counted in bytes that readers asked for. Thread-safe.
 */
public interface EvictionPolicy {
    /** A reader asks for this frame now. */
    void accessed(FrameKey key, long now);

    /** May a frame make room for a new one that nobody has asked for during so many bytes? If not, the new one is not kept. */
    boolean mayEvict(long idle);

    /** The cache has so many bytes from now on. */
    default void resize(long bytes) {}
}
