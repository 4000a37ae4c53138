package volsh.command.bench;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import volsh.bench.Facts;
import volsh.bench.Measurement;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.trial.CacheTrial;
import volsh.unit.ByteSize;

@Command(name = "cache", description = {"Measure reads that miss the cache, hit a cache directory, or hit memory.",
        "Phases are miss, hit-disk and hit-memory. Creates a temporary volume below the directory, with one file per"
                + " --io bytes, and reads every file once per phase, without a mount. HITS is the share of reads that"
                + " the cache served: 0% for misses, 100% for hits; with other values the phase did not measure what"
                + " its name says. The result is saved, see volsh bench list."})
@Examples({"volsh bench run cache --on . --size 2MiB --io 64KiB --store latency=2ms",
        "volsh bench run cache --on . --size 1MiB --io 128KiB -o json"})
final class BenchCache implements Mutation<Rows<Measurement>> {
    @Mixin
    private TrialTerms terms = new TrialTerms();

    @Option(names = "--io", paramLabel = "SIZE", defaultValue = "128KiB",
            description = "Set the size of a file, which is read whole (default: ${DEFAULT-VALUE}).")
    private ByteSize io;

    @Override
    public Columns<?> columns() {
        return Kept.WITH_HITS;
    }

    @Override
    public Plan plan(Session session) {
        terms.of(session, io, _ -> { });
        return Plan.of("write", "twice %s below %s".formatted(terms.size(), terms.directory()), "removed afterwards");
    }

    @Override
    public Rows<Measurement> run(Session session) throws Exception {
        List<Measurement> rows;
        try (var progress = session.progress("cache", -1)) {
            rows = new CacheTrial(terms.of(session, io, progress::add), terms.manners()).run();
        }
        session.cancellation().check();
        Kept.add(session, "cache", terms.directory(), Facts.of(terms.of(session, io, _ -> { })), rows);
        return Rows.of(Kept.WITH_HITS, rows);
    }
}
