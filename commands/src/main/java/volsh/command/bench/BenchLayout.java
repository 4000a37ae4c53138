package volsh.command.bench;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import volsh.bench.Facts;
import volsh.bench.Measurement;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.place.LayoutPolicy;
import volsh.trial.LayoutTrial;
import volsh.unit.ByteSize;

@Command(name = "layout", description = {
        "Write and read a large file with several layouts: gain of stripes, cost of copies.",
        "Creates --stores directories below the directory, which behave as --store says, and for each layout a volume"
                + " over all of them; each thread writes a file, syncs it, and reads it back with an empty cache of"
                + " 64MiB, without a mount. The result is saved, see volsh bench list."})
@Examples({"volsh bench run layout --on . --stores 4 --size 4MiB --io 256KiB --store bandwidth=20MB/s",
        "volsh bench run layout --on . --stores 3 --size 1MiB --io 128KiB --layout stripe:1,mirror:2,ec:2+1 -o json"})
final class BenchLayout implements Mutation<Rows<Measurement>> {
    @Mixin
    private TrialTerms terms = new TrialTerms();

    @Option(names = "--io", paramLabel = "SIZE", defaultValue = "1MiB",
            description = "Set the bytes per read or write (default: ${DEFAULT-VALUE}).")
    private ByteSize io;

    @Option(names = "--stores", paramLabel = "N", defaultValue = "4",
            description = "Set the number of stores (default: ${DEFAULT-VALUE}).")
    private int stores;

    @Option(names = "--layout", paramLabel = "LAYOUT", split = ",",
            description = "Compare these layouts: stripe:4, stripe:all, mirror:2, ec:4+2 (default:"
                    + " stripe:1,stripe:2,stripe:all).")
    private List<String> layouts = List.of("stripe:1", "stripe:2", "stripe:all");

    @Override
    public Columns<?> columns() {
        return Kept.ROWS;
    }

    private LayoutTrial trial(Session session, java.util.function.LongConsumer progress) {
        return new LayoutTrial(terms.of(session, io, progress), stores, terms.manners());
    }

    private List<LayoutPolicy> policies() {
        try {
            return layouts.stream().map(LayoutPolicy::of).toList();
        } catch (IllegalArgumentException wrong) {
            throw CommandFailure.usage("--layout: " + wrong.getMessage());
        }
    }

    @Override
    public Plan plan(Session session) {
        trial(session, _ -> { });
        return Plan.of("write", "%d times %s below %s".formatted(policies().size(), terms.size(), terms.directory()),
                "into %d stores, removed afterwards".formatted(stores));
    }

    @Override
    public Rows<Measurement> run(Session session) throws Exception {
        List<Measurement> rows;
        try (var progress = session.progress("layout", -1)) {
            rows = trial(session, progress::add).run(policies());
        }
        session.cancellation().check();
        Map<String, String> facts = new TreeMap<>(Facts.of(terms.of(session, io, _ -> { })));
        facts.put("stores", "%d %s".formatted(stores, terms.manners()).strip());
        Kept.add(session, "layout", terms.directory(), facts, rows);
        return Rows.of(Kept.ROWS, rows);
    }
}
