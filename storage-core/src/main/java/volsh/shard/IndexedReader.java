package volsh.shard;

import java.io.IOException;

/** Reads a shard that tells by itself where each sample is: any of them can be read by its number, without an index. */
public interface IndexedReader extends SampleReader {
    /** How many samples the shard has. */
    long count();

    /** Where a sample is, by its number from 0 on; {@link #at} reads it. Does not move {@link #next}. */
    SamplePosition position(long number) throws IOException;
}
