package volsh.bench.loader;

import java.io.IOException;

/** A dataset as the workers of a loader read it. */
public interface Samples {
    /** The part that one of {@code world} GPUs reads; parts are disjoint. */
    Samples part(int rank, int world);

    /** The reader of one of {@code workers}, in order; no sample is read by two. */
    Reader reader(int worker, int workers, int batch) throws IOException;

    /** Whether there is nothing in it. */
    boolean isEmpty();

    /** A description for people: {@code 12 files}. */
    String description();

    /** One worker's pass through the dataset. */
    interface Reader extends AutoCloseable {
        /** No samples are left. */
        long END = -1;

        /** Reads the next sample. @return its bytes, or {@link #END} */
        long next() throws IOException;

        @Override
        default void close() throws IOException {}
    }
}
