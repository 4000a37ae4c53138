package volsh.fs;

import java.nio.ByteBuffer;
import java.util.List;

/** A range of a file in memory, in pieces, to be sent without copying. Close it when they are sent. */
public interface Loan extends AutoCloseable {
    /** Read-only, off-heap, in file order. Not to be used after close. */
    List<ByteBuffer> pieces();

    /** Total length of all pieces. */
    int length();

    @Override
    void close();
}
