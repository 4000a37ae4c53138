package volsh.dataset;

import java.io.IOException;
import java.io.OutputStream;

/** A file that is being written and that no reader sees yet. Closing it without a commit discards it. */
public interface PendingFile extends AutoCloseable {
    /** The same stream on every call. It buffers; closing it does nothing. */
    OutputStream stream();

    /** Makes the file appear under its name, whole, replacing a file of that name. */
    void commit() throws IOException;

    @Override
    void close() throws IOException;
}
