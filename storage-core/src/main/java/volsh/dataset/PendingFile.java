package volsh.dataset;

import java.io.IOException;
import java.io.OutputStream;

/** A file that is being written and that no reader sees yet. Closing it without a commit discards it. */
public interface PendingFile extends AutoCloseable {
    /** The same stream on every call. It buffers; closing it does nothing. */
    OutputStream stream();

    /** The same file without a buffer, for those who write much at a time, instead of {@link #stream}. */
    OutputStream direct();

    /** Makes the file appear under its name, whole, replacing a file of that name. */
    void commit() throws IOException;

    @Override
    void close() throws IOException;
}
