package volsh.lifecycle;

/** Watches the destruction of a volume, and may stop it. */
public interface DestructionWatcher {
    DestructionWatcher NONE = new DestructionWatcher() {};

    /** One more block of this size is gone. */
    default void deleted(long bytes) {}

    /** Asked often; what is stopped can be run again. */
    default boolean cancelled() {
        return false;
    }
}
