package volsh.object;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Takes the bytes of an object in order, piece by piece. */
public interface ObjectSink {
    /** No piece is longer. */
    int PIECE = 1 << 20;

    /** Takes all remaining bytes; the buffer is used again afterwards. */
    void write(ByteBuffer piece) throws IOException;
}
