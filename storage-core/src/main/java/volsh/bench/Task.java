package volsh.bench;

import java.io.IOException;

/** The task that each member of a crew repeats. */
public interface Task {
    /** Prepares one member's part; {@code member} counts from 0. */
    Part part(int member) throws IOException;

    /** One member's part of the work. */
    interface Part extends AutoCloseable {
        /** The part is done. */
        long END = -1;

        /** Runs it once. @return the bytes it moved, or {@link #END} if nothing was left to do */
        long once() throws IOException;

        /** Makes the results durable; the clock still runs. */
        default void finish() throws IOException {}

        @Override
        default void close() throws IOException {}
    }
}
