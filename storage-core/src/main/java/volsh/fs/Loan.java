package volsh.fs;

import java.nio.ByteBuffer;
import java.util.List;

/** A range of a file as it lies in memory, in pieces, to be sent on without copying. Close it when they are sent. */
public interface Loan extends AutoCloseable {
    /** Read-only, off-heap, in file order. Not to be used after close. */
    List<ByteBuffer> pieces();

    /** Bytes of all pieces together. */
    int length();

    @Override
    void close();
}
