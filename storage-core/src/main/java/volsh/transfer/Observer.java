package volsh.transfer;

import java.io.IOException;

/** Watches a transfer. Called from several threads. */
public interface Observer {
    /** Progress. Bytes of a file that is read again count again. */
    default void done(long files, long bytes) {}

    /** A file was not copied, because its copy has the same size and time. */
    default void skipped(long bytes) {}

    /** A file could not be copied and does not exist in the target; the rest goes on. */
    default void failed(String path, IOException reason) {}

    /** Whether the transfer is to stop. Called often. */
    default boolean cancelled() {
        return false;
    }

    Observer NONE = new Observer() {};
}
