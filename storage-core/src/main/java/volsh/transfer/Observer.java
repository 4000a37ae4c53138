package volsh.transfer;

import java.io.IOException;

/** Who watches a transfer. Called from several threads. */
public interface Observer {
    /** More is done. Bytes of a file that had to be read again count again. */
    default void done(long files, long bytes) {}

    /** One file could not be moved, and is not there; the rest goes on. */
    default void failed(String path, IOException reason) {}

    /** Should the transfer stop? Asked often. */
    default boolean cancelled() {
        return false;
    }

    Observer NONE = new Observer() {};
}
