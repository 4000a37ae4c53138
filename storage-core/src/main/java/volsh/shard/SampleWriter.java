package volsh.shard;

import java.io.IOException;
import java.util.Map;

/**
 * Writes the samples of one shard to a stream it was given. The bytes depend on the samples and their order only: no
 * time, name of a machine or number of threads. Holds no more than a sample's headers and what the format's index
 * needs.
 */
public interface SampleWriter {
    /**
     * Appends a sample.
     *
     * @return where it lies in the shard: for formats with random access, one ranged read of these bytes gives the
     * sample
     * @throws UnfitSampleException if the format cannot hold it, or one of its fields cannot be read; nothing of it was
     *                              written, and others may follow. After another exception the shard is useless
     */
    SamplePosition add(Sample sample) throws IOException;

    /** Writes what follows the last sample, and flushes. The stream stays open. */
    void finish() throws IOException;

    /**
     * What to add to the offsets that {@link #add} returned, once the shard is finished: not 0 if a table whose length
     * was unknown had to be put before the samples.
     */
    default long displacement() {
        return 0;
    }

    /**
     * What the dataset's index needs to know of this shard ({@link ShardSummary#facts}); asked after {@link #finish}.
     */
    default Map<String, Object> facts() {
        return Map.of();
    }
}
