package volsh.script;

import groovy.lang.Closure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import volsh.command.Session;
import volsh.command.failure.Diagnosis;
import volsh.command.shard.OpenSamples;
import volsh.dataset.shards.SampleStream;
import volsh.dataset.shards.ShardAssignment;
import volsh.dataset.shards.ShardAssignment.Evenness;
import volsh.shard.FormatOptions;

/**
 * The samples of shards, as a reader of a training job gets them:
 * {@code shards('data:/train-*.tar').shuffle(5000, seed: 7).batch(256).each { ... }}. Lazy: nothing is opened before
 * the first sample is asked for, and each iteration begins anew. Immutable: every method that sets something returns
 * another object.
 */
public final class ShardSamples implements Iterable<Object> {
    private static final Set<String> SHUFFLE = Set.of("seed", "epoch");
    private static final Set<String> SPLIT = Set.of("rank", "world", "worker", "workers", "pad", "drop");

    private final Session session;
    private final List<String> words;
    private final SampleStream.Settings settings;
    private final int batch;
    private final long from;

    ShardSamples(Session session, List<String> words) {
        this(session, words, new SampleStream.Settings(0, false, 0, 0, false,
                new ShardAssignment(1, 1, Evenness.UNEVEN), 0, 0, FormatOptions.DEFAULT), 0, 0);
    }

    private ShardSamples(Session session, List<String> words, SampleStream.Settings settings, int batch, long from) {
        this.session = session;
        this.words = words;
        this.settings = settings;
        this.batch = batch;
        this.from = from;
    }

    /** Shuffles the shards, and draws samples from a buffer of this many. */
    public ShardSamples shuffle(Map<String, ?> how, int buffer) {
        require("shuffle", how, SHUFFLE);
        return with(new SampleStream.Settings(buffer, true, number(how, "seed", 0), number(how, "epoch", 0),
                settings.resample(), settings.assignment(), settings.rank(), settings.worker(), settings.options()));
    }

    public ShardSamples shuffle(int buffer) {
        return shuffle(Map.of(), buffer);
    }

    /** Goes on with the next epoch at the end of one. */
    public ShardSamples resample() {
        return with(new SampleStream.Settings(settings.buffer(), settings.shuffle(), settings.seed(), settings.epoch(),
                true, settings.assignment(), settings.rank(), settings.worker(), settings.options()));
    }

    /** Only the share of one reader: {@code split(rank: 3, world: 4, worker: 2, workers: 8)}. */
    public ShardSamples split(Map<String, ?> how) {
        require("split", how, SPLIT);
        var evenness = Boolean.TRUE.equals(how.get("pad")) ? Evenness.PAD
                : Boolean.TRUE.equals(how.get("drop")) ? Evenness.DROP : Evenness.UNEVEN;
        var assignment = new ShardAssignment((int) number(how, "world", 1), (int) number(how, "workers", 1), evenness);
        int rank = (int) number(how, "rank", 0);
        int worker = (int) number(how, "worker", 0);
        if (rank < 0 || rank >= assignment.world() || worker < 0 || worker >= assignment.workers()) {
            throw Arguments.usage("rank must be less than world, and worker less than workers");
        }
        return with(new SampleStream.Settings(settings.buffer(), settings.shuffle(), settings.seed(), settings.epoch(),
                settings.resample(), assignment, rank, worker, settings.options()));
    }

    /** Leaves out the samples before this position. */
    public ShardSamples from(long position) {
        return new ShardSamples(session, words, settings, batch, position);
    }

    /** Lists of this many samples, whose fields are in memory. */
    public ShardSamples batch(int size) {
        if (size < 1) {
            throw Arguments.usage("a batch has at least 1 sample, not " + size);
        }
        return new ShardSamples(session, words, settings, size, from);
    }

    private ShardSamples with(SampleStream.Settings changed) {
        return new ShardSamples(session, words, changed, batch, from);
    }

    private static void require(String word, Map<String, ?> how, Set<String> known) {
        for (String name : how.keySet()) {
            if (!known.contains(name)) {
                throw Arguments.usage("%s has no option '%s' (options: %s)".formatted(word, name,
                        String.join(", ", known.stream().sorted().toList())));
            }
        }
    }

    private static long number(Map<String, ?> how, String name, long otherwise) {
        return how.get(name) instanceof Number number ? number.longValue() : otherwise;
    }

    /** Calls the block with each sample, or batch, and closes everything at the end, also after a failure. */
    public ShardSamples each(Closure<?> block) {
        try (var items = new Items()) {
            while (items.hasNext()) {
                session.cancellation().check();
                block.call(items.next());
            }
        }
        return this;
    }

    /** Closed at its end; {@link #each} closes it in any case. */
    @Override
    public Iterator<Object> iterator() {
        return new Items();
    }

    private final class Items implements Iterator<Object>, AutoCloseable {
        private @Nullable OpenSamples open;
        private @Nullable Object ahead;
        private boolean ended;

        @Override
        public boolean hasNext() {
            if (ahead == null && !ended) {
                try {
                    var samples = open == null ? OpenSamples.open(session, words, settings, from) : open;
                    open = samples;
                    ahead = batch == 0 ? one(samples) : many(samples);
                } catch (Exception failed) {
                    close();
                    throw VolshException.of(Diagnosis.of(failed), failed);
                }
                if (ahead == null) {
                    close();
                }
            }
            return ahead != null;
        }

        private @Nullable ShardSample one(OpenSamples from) throws Exception {
            var drawn = from.next();
            return drawn == null ? null : new ShardSample(drawn, Map.of());
        }

        private @Nullable List<ShardSample> many(OpenSamples from) throws Exception {
            var samples = new ArrayList<ShardSample>();
            while (samples.size() < batch) {
                var drawn = from.next();
                if (drawn == null) {
                    break;
                }
                samples.add(ShardSample.loaded(drawn));
            }
            return samples.isEmpty() ? null : samples;
        }

        @Override
        public Object next() {
            var item = hasNext() ? ahead : null;
            if (item == null) {
                throw new NoSuchElementException();
            }
            ahead = null;
            return item;
        }

        @Override
        public void close() {
            ended = true;
            try {
                if (open != null) {
                    open.close();
                }
            } catch (IOException failed) {
                throw VolshException.of(Diagnosis.of(failed), failed);
            }
        }
    }
}
