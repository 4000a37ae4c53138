package volsh.bench.loader;

import java.io.IOException;

/** A dataset as the workers of a loader read it. */
public interface Samples {
    /** The part that one of {@code world} GPUs reads; no sample is in two parts. */
    Samples part(int rank, int world);

    /** What one of {@code workers} reads of it, in its order; no sample is read by two. */
    Reader reader(int worker, int workers, int batch) throws IOException;

    /** Whether there is nothing in it. */
    boolean isEmpty();

    /** How much it is, for people: {@code 12 files}. */
    String description();

    /** One worker's way through the dataset. */
    interface Reader extends AutoCloseable {
        /** There is no sample left. */
        long END = -1;

        /** Reads the next sample. @return its bytes, or {@link #END} */
        long next() throws IOException;

        @Override
        default void close() throws IOException {}
    }
}
