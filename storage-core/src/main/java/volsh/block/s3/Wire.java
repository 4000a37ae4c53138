package volsh.block.s3;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A connection to a server. Closing it, from any thread, ends a blocked call. */
interface Wire extends Closeable {
    /** Reads some bytes into a target with space; -1 when the server has closed the connection. */
    int read(ByteBuffer target) throws IOException;

    /** Writes all of both. */
    void write(ByteBuffer head, ByteBuffer body) throws IOException;

    @Override
    void close();
}
