package volsh.shard;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the samples of one shard in order. Checks what the format lets it check as it goes; a claim of the shard (a
 * length, a count) is never believed before the shard's own size allows it, so memory stays bounded.
 *
 * <p>A reader and the fields of its samples are used by one thread at a time.
 */
public interface SampleReader extends AutoCloseable {
    /**
     * The next sample, or null at the end. Its fields may be opened until the reader is closed.
     *
     * @throws DamagedShardException names the offset; there is nothing more to read
     * @throws UnfitSampleException  if the shard holds something else here, such as a link; the reader can go on
     */
    @Nullable Sample next() throws IOException;

    /** Where the sample that {@link #next} returned last lies. */
    SamplePosition position();

    /** Whether the shard has no key for the sample that {@link #next} returned last: the key is its number then. */
    default boolean isNumbered() {
        return false;
    }

    /**
     * The sample at a position that an index tells, read from the shard at once. Where {@link #next} goes on does not
     * change.
     *
     * @throws DamagedShardException if the index does not fit the shard
     */
    Sample at(SamplePosition position) throws IOException;

    @Override
    void close() throws IOException;
}
