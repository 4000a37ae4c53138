package volsh.transfer;

/** Who watches a transfer. Called from several threads. */
public interface Observer {
    /** More was found to be done. */
    default void found(long files, long bytes) {}

    /** More is done. */
    default void done(long files, long bytes) {}

    /** One file could not be moved; the rest goes on. */
    default void failed(String path, String reason) {}

    /** Should the transfer stop? Asked often. */
    default boolean cancelled() {
        return false;
    }

    Observer NONE = new Observer() {};
}
