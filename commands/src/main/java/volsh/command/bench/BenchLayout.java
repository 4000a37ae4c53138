package volsh.command.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
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
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.place.LayoutPolicy;
import volsh.trial.DatasetTrial;
import volsh.trial.LayoutTrial;
import volsh.unit.ByteSize;
import volsh.unit.Rate;

@Command(name = "layout", description = {
        "Write and read a large file with several layouts: gain of stripes, cost of copies.",
        "Creates --stores directories below the directory, which behave as --store says, and for each layout a volume"
                + " over all of them; each thread writes a file, syncs it, and reads it back with an empty cache of"
                + " 64MiB, without a mount. The result is saved, see volsh bench list.",
        "With --data, compares layouts of your own samples instead: single files, tar shards, indexed records and a"
                + " view ('shard view create') of the same volume, each read cold and warm; at most --size of them."})
@Examples({"volsh bench run layout --on . --stores 4 --size 4MiB --io 256KiB --store bandwidth=20MB/s",
        "volsh bench run layout --on . --stores 3 --size 1MiB --io 128KiB --layout stripe:1,mirror:2,ec:2+1 -o json",
        "volsh bench run layout --on . --data dataset --store latency=20ms"})
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

    @Option(names = "--data", paramLabel = "DIRECTORY",
            description = "Compare files, tar shards, records and a view of the samples in this directory.")
    private @Nullable Path data;

    @Option(names = "--samples", paramLabel = "N", defaultValue = "1000",
            description = "With --data, put this many samples in a shard (default: ${DEFAULT-VALUE}).")
    private long samples;

    @Override
    public Columns<?> columns() {
        return data == null ? Kept.ROWS : DATASET;
    }

    private static final Columns<Measurement> DATASET = Columns.of(Measurement.class)
            .text("phase", Measurement::phase)
            .number("threads", Measurement::threads)
            .number("samples", Measurement::operations)
            .rate("rate", row -> new Rate(Math.max(1, Math.round(row.bytesPerSecond()))))
            .number("perSecond", row -> Math.round(row.perSecond()))
            .number("gets", row -> Math.round(row.shares().getOrDefault("gets", 0.0)))
            .number("ratio", row -> Math.round(row.shares().getOrDefault("ratio", 1.0) * 100) / 100.0)
            .span("p50", row -> row.latency().p50())
            .span("p99", row -> row.latency().p99())
            .span("elapsed", Measurement::elapsed);

    private Path given() {
        return Objects.requireNonNull(data);
    }

    private DatasetTrial dataset(Session session, LongConsumer progress) {
        if (!Files.isDirectory(given())) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "BEN-0001", "%s is not a directory".formatted(data));
        }
        if (samples < 1) {
            throw CommandFailure.usage("--samples must be at least 1");
        }
        return new DatasetTrial(terms.of(session, io, progress), terms.manners(), given(), samples);
    }

    private Rows<Measurement> runDataset(Session session) throws Exception {
        List<Measurement> rows;
        try (var progress = session.progress("layout", -1)) {
            rows = dataset(session, progress::add).run().stream().map(epoch -> {
                var one = epoch.measured();
                return new Measurement(one.phase(), one.threads(), one.each(), one.operations(), one.bytes(),
                        one.elapsed(), one.latency(), Map.of("gets", (double) epoch.gets(), "ratio", epoch.ratio()));
            }).toList();
        }
        session.cancellation().check();
        if (rows.isEmpty() || rows.getFirst().operations() == 0) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "BEN-0007", "%s: no samples of at most %s".formatted(data,
                    terms.size()));
        }
        var facts = new TreeMap<>(Facts.of(terms.of(session, io, _ -> { })));
        facts.put("stores", "1 %s".formatted(terms.manners()).strip());
        facts.put("data", given().toString());
        Kept.add(session, "layout", terms.directory(), facts, rows);
        return Rows.of(DATASET, rows);
    }

    private LayoutTrial trial(Session session, LongConsumer progress) {
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
        if (data != null) {
            dataset(session, _ -> { });
            return Plan.of("write", "%s to a volume below %s".formatted(data, terms.directory()),
                    "at most %s, as files and twice as shards, removed afterwards".formatted(terms.size()));
        }
        trial(session, _ -> { });
        return Plan.of("write", "%d times %s below %s".formatted(policies().size(), terms.size(), terms.directory()),
                "into %d stores, removed afterwards".formatted(stores));
    }

    @Override
    public Rows<Measurement> run(Session session) throws Exception {
        if (data != null) {
            return runDataset(session);
        }
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
