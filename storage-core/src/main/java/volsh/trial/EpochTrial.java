package volsh.trial;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import volsh.assembly.CacheSettings;
import volsh.bench.Measurement;
import volsh.bench.Terms;
import volsh.catalog.Access;
import volsh.plan.CacheFit;
import volsh.unit.ByteSize;

/**
 * Reads a dataset several times, each in another order, with caches of several sizes; compares the hit ratio of each
 * pass with its forecast.
 */
public final class EpochTrial {
    private static final ByteSize NOTHING_AHEAD = new ByteSize(0);

    private final Terms terms;
    private final String manners;

    /** {@code terms.io()} is the size of a sample, {@code terms.size()} that of the dataset. */
    public EpochTrial(Terms terms, String manners) {
        this.terms = terms;
        this.manners = manners;
    }

    /**
     * One pass with one cache.
     *
     * @param hits     the hit ratio
     * @param forecast the hit ratio that {@code plan cache} predicts; 0 for the first pass
     */
    public record Epoch(ByteSize cache, int number, double hits, double forecast, Measurement measured) {
        /** The difference of the two, in percentage points. */
        public double off() {
            return 100 * Math.abs(hits - forecast);
        }
    }

    public List<Epoch> run(List<ByteSize> caches, int epochs) throws IOException {
        var rows = new ArrayList<Epoch>();
        try (var trial = new TrialVolumes(terms)) {
            trial.addStore("store", manners);
            trial.create(trial.draft("data").withStore("store"));
            List<Long> files;
            try (var volume = trial.open("data", Access.WRITE, CacheSettings.NONE)) {
                files = trial.fill(volume);
            }
            for (var cache : caches) {
                measure(trial, cache, epochs, new ShuffledReads(terms, files), rows);
            }
        }
        return rows;
    }

    private void measure(TrialVolumes trial, ByteSize cache, int epochs, ShuffledReads reads, List<Epoch> rows)
            throws IOException {
        double later = CacheFit.of(terms.size(), cache).getFirst().shuffled();
        try (var volume = trial.open("data", Access.READ,
                new CacheSettings(cache, List.of(), CacheSettings.QUOTA, NOTHING_AHEAD))) {
            for (int number = 1; number <= epochs && !terms.stop().getAsBoolean(); number++) {
                var before = volume.caches().memory();
                var pass = reads.pass("%s epoch %d".formatted(cache, number), volume, terms.seed() * 1000 + number);
                var after = volume.caches().memory();
                long found = after.hits() - before.hits();
                double hits = (double) found / Math.max(1, found + after.misses() - before.misses());
                double forecast = number == 1 ? 0 : later;
                rows.add(new Epoch(cache, number, hits, forecast,
                        new Measurement(pass.phase(), pass.threads(), pass.each(), pass.operations(), pass.bytes(),
                        pass.elapsed(), pass.latency(), Map.of("hits", hits, "forecast", forecast))));
            }
        }
    }
}
