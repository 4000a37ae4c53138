package volsh.cache;

/** Decides which frames may be evicted. Time is counted in bytes that readers asked for. Thread-safe. */
public interface EvictionPolicy {
    /** A reader asks for this frame now. */
    void accessed(FrameKey key, long now);

    /**
     * Whether a frame that was not read for {@code idle} bytes may be evicted for a new one. If not, the new one is not
     * kept.
     */
    boolean mayEvict(long idle);

    /** The cache has another size from now on. */
    default void resize(long bytes) {}
}
