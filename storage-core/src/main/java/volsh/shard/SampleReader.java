package volsh.shard;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the samples of one shard in order. Checks what the format lets it check as it goes; a claim of the shard (a
 * length, a count) is never believed before the shard's own size allows it, so memory stays bounded.
 */
public interface SampleReader extends AutoCloseable {
    /**
     * The next sample, or null at the end. Its fields may be opened until the reader is closed.
     *
     * @throws DamagedShardException names the offset
     */
    @Nullable Sample next() throws IOException;

    /** Where the sample that {@link #next} returned last lies. */
    SamplePosition position();

    @Override
    void close() throws IOException;
}
