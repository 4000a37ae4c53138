package volsh.shard;

import java.io.IOException;

/**
 * Writes the samples of one shard to a stream it was given. The bytes depend on the samples and their order only: no
 * time, name of a machine or number of threads. Holds no more than a sample's headers and what the index needs.
 */
public interface SampleWriter {
    /**
     * Appends a sample.
     *
     * @return where it lies in the shard: one ranged read of these bytes gives the sample, if the format allows it
     * @throws UnfitSampleException if the format cannot hold it; nothing of it was written, and others may follow
     */
    SamplePosition add(Sample sample) throws IOException;

    /** How long the shard would be if it were finished after this sample: decides where a shard ends. */
    long sizeWith(Sample sample);

    /** Writes what follows the last sample, and flushes. The stream stays open. */
    void finish() throws IOException;
}
