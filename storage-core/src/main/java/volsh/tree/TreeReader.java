package volsh.tree;

import java.io.IOException;
import volsh.object.ObjectSink;

/**
 * Reads one state of a file, in any ranges and by several threads. Every range is exact: a file that ends earlier, or
 * an object that was replaced, is an {@link EntryChangedException}.
 */
public interface TreeReader extends AutoCloseable {
    long size();

    /** Passes exactly these bytes on, in order. A failure of the sink is thrown as it is. */
    void read(long offset, long length, ObjectSink sink) throws IOException;

    /**
     * Names the state that is read, among all states of this file: parts of a copy of the same state may be used again
     * after an interruption. Empty where that is unknown.
     */
    String state() throws IOException;

    /** @throws EntryChangedException if what was read may be of several states of the file */
    void requireUnchanged() throws IOException;

    @Override
    void close() throws IOException;
}
