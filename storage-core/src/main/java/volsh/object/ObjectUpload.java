package volsh.object;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An object that is being sent in parts. Parts are numbered from 1; all but the last have at least
 * {@link #PART_BYTES_MIN} bytes. A part that is sent again replaces the one before. Closing an upload that is not
 * completed aborts it. Thread-safe.
 */
public interface ObjectUpload extends AutoCloseable {
    int PART_BYTES_MIN = 5 << 20;
    int PARTS_MAX = 10_000;

    /** What the server calls this upload: the id of its {@link UnfinishedUpload} until it is completed. */
    String id();

    /** Whether the server has this part, of this length. */
    default boolean has(int number, long length) {
        return false;
    }

    /** Sends a part; the position of {@code data} is left as it was. */
    void part(int number, ByteBuffer data) throws IOException;

    /** Makes the object of the parts 1 to {@code count}, all of which have been sent. */
    ObjectInfo complete(int count, PutCondition condition) throws IOException;

    /** Aborts the upload, unless it is completed; the server removes its parts. */
    @Override
    void close() throws IOException;
}
