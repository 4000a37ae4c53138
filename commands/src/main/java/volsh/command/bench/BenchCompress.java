package volsh.command.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.bench.CompressBench;
import volsh.bench.CompressBench.Row;
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
import volsh.unit.ByteSize;
import volsh.unit.Rate;

@Command(name = "compress", description = {"Try every compression on your files: space saved, and speed of one core.",
        "Runs in memory and recommends the tightest compression that keeps up with --rate. The result is saved, see"
                + " volsh bench list; nothing else is written."})
@Examples({"volsh bench run compress --on dataset",
        "volsh bench run compress --on model.pt --block-size 1MiB --rate 1GB/s -o json"})
final class BenchCompress implements Mutation<Rows<Row>> {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("compression", Row::compression)
            .bytes("raw", Row::raw)
            .bytes("stored", Row::stored)
            .number("ratio", row -> Math.round(row.ratio() * 100) / 100.0)
            .rate("write", row -> rate(row.writtenPerSecond()))
            .rate("read", row -> rate(row.readPerSecond()));

    @Option(names = "--on", paramLabel = "FILE|DIRECTORY", required = true,
            description = "Use these files, typical of what will be stored.")
    private Path place;

    @Option(names = "--block-size", paramLabel = "SIZE", defaultValue = "4MiB",
            description = "Set the block size (default: ${DEFAULT-VALUE}).")
    private ByteSize block;

    @Option(names = "--size", paramLabel = "SIZE", defaultValue = "64MiB",
            description = "Read at most this much (default: ${DEFAULT-VALUE}).")
    private ByteSize limit;

    @Option(names = "--rate", paramLabel = "RATE", defaultValue = "200MB/s",
            description = "Set the rate one core must reach (default: ${DEFAULT-VALUE}).")
    private Rate rate;

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) {
        return Plan.NOTHING;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        if (!Files.exists(place)) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "BEN-0001", "%s: no such file or directory".formatted(place));
        }
        if (block.bytes() < 4096 || block.bytes() > 16 * ByteSize.MIB) {
            throw CommandFailure.usage("--block-size must be from 4KiB to 16MiB, not " + block);
        }
        List<Row> rows;
        try (var progress = session.progress("compress", -1)) {
            rows = CompressBench.run(place, block, limit, session.cancellation()::requested, progress::add);
        }
        session.cancellation().check();
        Kept.add(session, "compress", place, facts(), rows.stream().flatMap(BenchCompress::measured).toList());
        var chosen = CompressBench.recommended(rows, (double) rate.bytesPerSecond());
        session.say("volsh volume create data --block-size %s --compression %s".formatted(block.exact(),
                chosen.compression()));
        return Rows.of(COLUMNS, rows);
    }

    private Map<String, String> facts() {
        var facts = new LinkedHashMap<>(Map.of("block", block.exact(), "size", limit.exact()));
        facts.putAll(Facts.machine());
        return facts;
    }

    /** The numbers to save; {@code stored} is the compressed size. */
    private static Stream<Measurement> measured(Row row) {
        var stored = Map.of("stored", Math.min(1, (double) row.stored().bytes() / Math.max(1, row.raw().bytes())));
        return Stream.of(measured(row.compression() + " write", row.raw().bytes(), row.writtenPerSecond(), stored),
                measured(row.compression() + " read", row.raw().bytes(), row.readPerSecond(), stored));
    }

    private static Measurement measured(String phase, long bytes, double perSecond, Map<String, Double> shares) {
        var once = Measurement.once(phase, bytes,
                Duration.ofNanos(Math.max(1, Math.round(1e9 * bytes / Math.max(1, perSecond)))));
        return new Measurement(phase, 1, once.each(), 1, once.bytes(), once.elapsed(), once.latency(), shares);
    }

    private static Rate rate(double bytesPerSecond) {
        return new Rate(Math.max(1, Math.round(bytesPerSecond)));
    }
}
