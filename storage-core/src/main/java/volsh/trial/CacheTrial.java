package volsh.trial;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import volsh.assembly.CacheSettings;
import volsh.bench.Measurement;
import volsh.bench.Terms;
import volsh.cache.disk.Quota;
import volsh.catalog.Access;
import volsh.unit.ByteSize;
import volsh.volume.Volume;

/** Measures reads that miss the caches, that hit a cache directory, and that hit memory. */
public final class CacheTrial {
    private static final ByteSize NOTHING = new ByteSize(0);

    private final Terms terms;
    private final String manners;

    public CacheTrial(Terms terms, String manners) {
        this.terms = terms;
        this.manners = manners;
    }

    public List<Measurement> run() throws IOException {
        var rows = new ArrayList<Measurement>();
        try (var trial = new TrialVolumes(terms)) {
            trial.addStore("store", manners);
            trial.create(trial.draft("data").withStore("store"));
            List<Long> files;
            try (var volume = trial.open("data", Access.WRITE, CacheSettings.NONE)) {
                files = trial.fill(volume);
            }
            var reads = new ShuffledReads(terms, files);
            long room = 2 * terms.size().bytes() + 64 * ByteSize.MIB;
            var disk = new CacheSettings(NOTHING, List.of(trial.place().resolve("cache")), Quota.of(room + "B"),
                    NOTHING);
            try (var volume = trial.open("data", Access.READ, disk)) {
                reads.pass("fill", volume, terms.seed());     // written to the directory in the background
            }
            try (var volume = trial.open("data", Access.READ,
                    new CacheSettings(new ByteSize(room), List.of(), CacheSettings.QUOTA, NOTHING))) {
                rows.add(memory("miss", reads, volume));
                rows.add(memory("hit-memory", reads, volume));
            }
            try (var volume = trial.open("data", Access.READ, disk)) {
                rows.add(disk(reads, volume));
            }
        }
        return rows;
    }

    private Measurement memory(String phase, ShuffledReads reads, Volume volume) throws IOException {
        var before = volume.caches().memory();
        var pass = reads.pass(phase, volume, terms.seed() + 1);
        var after = volume.caches().memory();
        return with(pass, after.hits() - before.hits(), after.misses() - before.misses());
    }

    private Measurement disk(ShuffledReads reads, Volume volume) throws IOException {
        var pass = reads.pass("hit-disk", volume, terms.seed() + 1);
        var usage = volume.caches().directories().getFirst();
        return with(pass, usage.hits(), usage.misses());
    }

    private static Measurement with(Measurement pass, long hits, long misses) {
        return new Measurement(pass.phase(), pass.threads(), pass.each(), pass.operations(), pass.bytes(),
                pass.elapsed(), pass.latency(), Map.of("hits", (double) hits / Math.max(1, hits + misses)));
    }
}
