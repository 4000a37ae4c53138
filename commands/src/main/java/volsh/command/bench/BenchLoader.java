package volsh.command.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.bench.LoaderBench;
import volsh.bench.LoaderBench.Row;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.Percent;
import volsh.unit.Rate;
import volsh.unit.Span;

@Command(name = "loader", description = {"Read a dataset as a DataLoader does, with several numbers of workers, and say how long a GPU would wait.",
        "Every file below the directory is a sample; batches are shuffled and arrive in order. A GPU that takes --gpu-batch for each batch is"
                + " simulated by waiting. The page cache is dropped before each number of workers, which only root can; caches of a mount are not.",
        "Changes nothing. The last line, for people, is what to write in the training script."})
@Examples({"volsh bench run loader --on dataset --batch 2 --workers 0,1,2 --gpu-batch 1ms", "volsh bench run loader --on dataset --batch 1 -o json"})
final class BenchLoader implements Action<Rows<Row>> {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .number("workers", Row::workers)
            .number("samples", Row::samples)
            .number("samplesPerSecond", row -> Math.round(row.samplesPerSecond()))
            .rate("rate", row -> new Rate(Math.max(1, Math.round(row.bytes().bytes() / (row.elapsed().toNanos() / 1e9)))))
            .span("wait50", row -> row.waits().p50())
            .span("wait99", row -> row.waits().p99())
            .number("stall", row -> new Percent(Math.round(Math.min(1, row.stall()) * 1000) / 10.0));

    @Option(names = "--on", paramLabel = "DIRECTORY", required = true, description = "The dataset: a file for each sample.")
    private Path directory;

    @Option(names = "--workers", paramLabel = "N", split = ",", defaultValue = "0,1,2,4,8",
            description = "Numbers of workers to try (default: ${DEFAULT-VALUE}).")
    private List<Integer> workers;

    @Option(names = "--batch", paramLabel = "N", defaultValue = "256", description = "Samples of a batch (default: ${DEFAULT-VALUE}).")
    private int batch;

    @Option(names = "--batches", paramLabel = "N", defaultValue = "50", description = "Batches for each number of workers (default: ${DEFAULT-VALUE}).")
    private int batches;

    @Option(names = "--ahead", paramLabel = "N", defaultValue = "2", description = "Batches that a worker makes ahead (prefetch_factor; default: ${DEFAULT-VALUE}).")
    private int ahead;

    @Option(names = "--gpu-batch", paramLabel = "TIME", defaultValue = "100ms", description = "How long the GPU computes on a batch (default: ${DEFAULT-VALUE}).")
    private Span compute;

    @Option(names = "--decode", paramLabel = "TIME", defaultValue = "0s", description = "CPU time that a sample costs after it was read (default: ${DEFAULT-VALUE}).")
    private Span decode;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Of the order (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Override
    public Rows<Row> run(Session session) throws Exception {
        if (!Files.isDirectory(directory)) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "BEN-0001", "%s is not a directory".formatted(directory)).hint("volsh mounts list");
        }
        if (workers.stream().anyMatch(number -> number < 0 || number > 1024)) {
            throw CommandFailure.usage("0 to 1024 workers: %s".formatted(workers));
        }
        List<Row> rows;
        try (var progress = session.progress("loader", -1)) {
            rows = new LoaderBench(new LoaderBench.Terms(directory, batch, batches, ahead, compute.duration(), decode.duration(), seed,
                    session.cancellation()::requested, progress::add)).run(workers);
        }
        session.cancellation().check();
        Row best = LoaderBench.best(rows);
        session.say("DataLoader(dataset, batch_size=%d, num_workers=%d%s, pin_memory=True%s)".formatted(batch, best.workers(),
                best.workers() == 0 ? "" : ", prefetch_factor=" + ahead, best.workers() == 0 ? "" : ", persistent_workers=True"));
        return Rows.of(COLUMNS, rows);
    }
}
