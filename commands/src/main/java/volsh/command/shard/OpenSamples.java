package volsh.command.shard;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.command.Session;
import volsh.command.object.PlaceFlags;
import volsh.dataset.shards.SampleStream;
import volsh.dataset.shards.SampleStream.Drawn;
import volsh.shard.DamagedShardException;

/** A stream of samples together with the volumes its shards are in. Failures name the shard. */
public final class OpenSamples implements AutoCloseable {
    private final DatasetPlaces places;
    private final SampleStream stream;

    private OpenSamples(DatasetPlaces places, SampleStream stream) {
        this.places = places;
        this.stream = stream;
    }

    /** Of buckets whose URLs or stores say all that is needed. */
    public static OpenSamples open(Session session, List<String> words, SampleStream.Settings settings, long from)
            throws Exception {
        return open(session, words, new PlaceFlags(), settings, from);
    }

    /** @param from how many samples are left out */
    public static OpenSamples open(Session session, List<String> words, PlaceFlags flags,
            SampleStream.Settings settings, long from)
            throws Exception {
        var places = new DatasetPlaces(session, "read", flags);
        try {
            var opened = new OpenSamples(places, new SampleStream(places.shards(words), settings));
            for (long left = from; left > 0 && opened.next() != null; left--) {
                session.cancellation().check();
            }
            return opened;
        } catch (Exception failed) {
            places.close();
            throw failed;
        }
    }

    /** The next sample; null at the end. */
    public @Nullable Drawn next() throws Exception {
        try {
            return stream.next();
        } catch (DamagedShardException damaged) {
            throw named(damaged);
        }
    }

    /** The failure with the name of the shard that is being read. */
    public Exception named(IOException failed) {
        var shard = stream.current();
        return shard == null ? failed : ShardProblem.in(shard, failed);
    }

    @Override
    public void close() throws IOException {
        try (places) {
            stream.close();
        }
    }
}
