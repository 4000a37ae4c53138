package volsh.command.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.bench.Facts;
import volsh.bench.Measurement;
import volsh.checkpoint.StrategyBench;
import volsh.checkpoint.StrategyBench.Result;
import volsh.checkpoint.StrategyBench.Strategy;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.transfer.Observer;
import volsh.unit.ByteSize;
import volsh.unit.Rate;

@Command(name = "checkpoint", description = {"Save a checkpoint with several strategies; report how long a job stalls.",
        "direct: to the distant store; hot: to a near store; local-async: to the local disk, then in the background"
                + " to the distant store; mirror: to a volume mirrored over both. STALL is how long the job waits,"
                + " DURABLE when the checkpoint survives the loss of this host: blocks and metadata are in the store."
                + " EXPOSED is the time between the two, ATRISK what losing this host in that time costs: the"
                + " checkpoint itself, so the job falls back to the previous checkpoint.",
        "The stores are directories that behave as --near and --distant say. Writes to a temporary directory, removed"
                + " afterwards. The result is saved, see volsh bench list."})
@Examples({"volsh bench run checkpoint --on . --size 8MiB --near latency=1ms --distant 'latency=5ms&bandwidth=200MB/s'",
        "volsh bench run checkpoint --on . --size 4MiB --strategy hot,local-async --near '' --distant "
                + "latency=2ms -o json"})
final class BenchCheckpoint implements Mutation<Rows<Result>> {
    private static final Columns<Result> COLUMNS = Columns.of(Result.class)
            .text("strategy", BenchCheckpoint::name)
            .bytes("size", Result::bytes)
            .span("stall", Result::stall)
            .span("durable", Result::durable)
            .rate("rate", row -> new Rate(Math.max(1, Math.round(row.bytes() / (row.durable().toNanos() / 1e9)))))
            .span("exposed", Result::exposed)
            .bytes("atRisk", Result::atRisk);

    @Option(names = "--on", paramLabel = "DIRECTORY", required = true, description = "Run in this directory.")
    private Path directory;

    @Option(names = "--size", paramLabel = "SIZE", defaultValue = "1GiB",
            description = "Set the checkpoint size (default: ${DEFAULT-VALUE}).")
    private ByteSize size;

    @Option(names = "--strategy", paramLabel = "NAME", split = ",",
            description = "Run these strategies: direct, hot, local-async, mirror (default: all).")
    private List<String> strategies = List.of("direct", "hot", "local-async", "mirror");

    @Option(names = "--near", paramLabel = "OPTIONS", defaultValue = "latency=5ms",
            description = "Simulate this near store (default: ${DEFAULT-VALUE}).")
    private String near;

    @Option(names = "--distant", paramLabel = "OPTIONS", defaultValue = "latency=100ms&bandwidth=200MB/s",
            description = "Simulate this distant store (default: ${DEFAULT-VALUE}).")
    private String distant;

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    private List<Strategy> chosen() {
        if (!Files.isDirectory(directory)) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "BEN-0001", "%s is not a directory".formatted(directory))
                    .hint("volsh mounts list");
        }
        return strategies.stream().map(name -> {
            try {
                return Strategy.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
            } catch (IllegalArgumentException unknown) {
                throw CommandFailure.usage("--strategy must be direct, hot, local-async or mirror, not '%s'"
                        .formatted(name));
            }
        }).toList();
    }

    @Override
    public Plan plan(Session session) {
        return Plan.of("write", "%d times %s below %s".formatted(chosen().size() + 1, size, directory),
                "removed afterwards");
    }

    @Override
    public Rows<Result> run(Session session) throws Exception {
        var chosen = chosen();
        List<Result> rows;
        try (var progress = session.progress("bench", -1)) {
            rows = new StrategyBench(new StrategyBench.Terms(directory, size.bytes(), near, distant, 4, new Observer() {
                @Override
                public void done(long files, long bytes) {
                    progress.add(bytes);
                }

                @Override
                public boolean cancelled() {
                    return session.cancellation().requested();
                }

                @Override
                public void failed(String path, IOException reason) {
                    session.warn(path + ": " + reason.getMessage());
                }
            })).run(chosen);
        }
        session.cancellation().check();
        Kept.add(session, "checkpoint", directory, facts(), rows.stream().flatMap(BenchCheckpoint::measured).toList());
        return Rows.of(COLUMNS, rows);
    }

    private Map<String, String> facts() throws IOException {
        var facts = new LinkedHashMap<>(Map.of("size", size.exact(), "near", near, "distant", distant, "fileSystem",
                Files.getFileStore(directory).type()));
        facts.putAll(Facts.machine());
        return facts;
    }

    /** The numbers to save: how long the job stalls, and how long until the checkpoint is durable. */
    private static Stream<Measurement> measured(Result row) {
        return Stream.of(Measurement.once(name(row) + " stall", row.bytes(), row.stall()),
                Measurement.once(name(row) + " durable", row.bytes(), row.durable()));
    }

    private static String name(Result row) {
        return row.strategy().name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
