package volsh.command.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.bench.Facts;
import volsh.bench.loader.Dataset;
import volsh.bench.loader.Format;
import volsh.bench.loader.LoaderBench;
import volsh.bench.loader.LoaderBench.Row;
import volsh.bench.loader.Model;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.ByteSize;
import volsh.unit.Percent;
import volsh.unit.Rate;
import volsh.unit.Span;

@Command(name = "loader", description = {"Read a dataset like a DataLoader; report how long a GPU waits.",
        "Tries several numbers of workers. FORMAT files: every file below the directory is a sample; batches are"
                + " shuffled. tar: WebDataset shards (*.tar), records: files of TFRecord or of"
                + " 'shard pack --format records', both read sequentially, shard by shard. places: samples of"
                + " --sample bytes at random offsets of large files (*.bin). Several formats are compared, see RATIO."
                + " With --samples, samples are created below the directory and removed afterwards unless"
                + " --keep is given.",
        "--model sets the parameters that MLCommons publishes for MLPerf Storage 2.0 (resnet50, unet3d, cosmoflow on"
                + " an H100; llm is DLIO's Megatron workload): sample size, batch, workers, time per batch; explicit"
                + " options take precedence. Missing samples of its format are created. UTILISATION is the share of"
                + " time in which GPUs compute, without the batches made while waiting for the first; exit 11 when"
                + " the best row is below what the benchmark requires (90%, cosmoflow 70%). This is not an MLPerf"
                + " result.",
        "A GPU is simulated by waiting; each of --gpus has its own workers and reads its part. The page cache is"
                + " dropped before each worker count, which only root can do; caches of a mount are not dropped. The"
                + " result is saved, see volsh bench list. The last line is the code to write in the training"
                + " script."})
@Examples({"volsh bench run loader --on dataset --batch 2 --workers 0,1,2 --gpu-batch 1ms",
        "volsh bench run loader --on dataset --batch 1 -o json", "volsh bench run loader --on . "
                + "--format files,tar,records --samples 64 --sample 4KiB --batch 4 --workers 2 --gpu-batch 1ms",
        "volsh bench run loader --on . --model llm --gpus 2 --batches 6 --gpu-batch 50ms"})
final class BenchLoader implements Mutation<Outcome<Rows<BenchLoader.Shown>>> {
    private static final Columns<Shown> COLUMNS = Columns.of(Shown.class)
            .text("format", Shown::format)
            .number("workers", shown -> shown.row().workers())
            .number("gpus", shown -> shown.row().gpus())
            .number("samples", shown -> shown.row().samples())
            .number("samplesPerSecond", shown -> Math.round(shown.row().samplesPerSecond()))
            .rate("rate", shown -> new Rate(Math.max(1, Math.round(shown.row().bytesPerSecond()))))
            .span("wait50", shown -> shown.row().waits().p50())
            .span("wait99", shown -> shown.row().waits().p99())
            .number("stall", shown -> percent(shown.row().stall()))
            .number("utilisation", shown -> percent(shown.row().utilisation()))
            .number("ratio", shown -> Math.round(shown.ratio() * 100) / 100.0);

    @Option(names = "--on", paramLabel = "VOLUME|DIRECTORY", required = true,
            description = "Read or create the dataset in this directory or mounted volume.")
    private Path directory;

    @Option(names = "--format", paramLabel = "FORMAT", split = ",",
            description = "Set how files hold samples: ${COMPLETION-CANDIDATES} (default: files, or the model's).")
    private @Nullable List<Format> formats;

    @Option(names = "--model", paramLabel = "MODEL",
            description = "Use the parameters of this model: ${COMPLETION-CANDIDATES}.")
    private Model.@Nullable Name name;

    @Option(names = "--gpus", paramLabel = "N", defaultValue = "1",
            description = "Simulate this many GPUs (default: ${DEFAULT-VALUE}).")
    private int gpus;

    @Option(names = "--workers", paramLabel = "N", split = ",",
            description = "Try these numbers of workers per GPU (default: 0,1,2,4,8, or the model's).")
    private @Nullable List<Integer> workers;

    @Option(names = "--batch", paramLabel = "N",
            description = "Set the samples per batch (default: 256, or the model's).")
    private @Nullable Integer batch;

    @Option(names = "--batches", paramLabel = "N",
            description = "Set the batches per GPU and worker count (default: 50, or 10 to 400 by the model).")
    private @Nullable Integer batches;

    @Option(names = "--ahead", paramLabel = "N", defaultValue = "2",
            description = "Set the batches each worker prepares ahead (prefetch_factor; default: ${DEFAULT-VALUE}).")
    private int ahead;

    @Option(names = "--gpu-batch", paramLabel = "TIME",
            description = "Set the GPU time per batch (default: 100ms, or the model's).")
    private @Nullable Span compute;

    @Option(names = "--decode", paramLabel = "TIME", defaultValue = "0s",
            description = "Set the CPU time per sample after reading (default: ${DEFAULT-VALUE}).")
    private Span decode;

    @Option(names = "--samples", paramLabel = "N", description = "Create this many samples and read them.")
    private @Nullable Long samples;

    @Option(names = "--sample", paramLabel = "SIZE",
            description =
                    "Set the size of a created sample, or of one at an offset (default: 128KiB, or the model's).")
    private @Nullable ByteSize sample;

    @Option(names = "--per-shard", paramLabel = "N",
            description = "Set the samples per created shard (default: a sixteenth of them, or the model's).")
    private @Nullable Integer perShard;

    @Option(names = "--keep", description = "Keep created samples; the next run with the same options reads them.")
    private boolean keep;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1",
            description = "Seed data and order (default: ${DEFAULT-VALUE}).")
    private long seed;

    /** A row and its format; {@code ratio} is its speed over the best one of the first format. */
    record Shown(String format, Row row, double ratio) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    private Optional<Model> model() {
        return Optional.ofNullable(name).map(Model.Name::model);
    }

    private List<Format> formats() {
        return formats != null ? formats : List.of(model().map(Model::format).orElse(Format.FILES));
    }

    private List<Integer> workers() {
        return workers != null ? workers
                : model().map(model -> List.of(model.workers())).orElse(List.of(0, 1, 2, 4, 8));
    }

    private int batch() {
        return batch != null ? batch : model().map(Model::batch).orElse(256);
    }

    private int batches() {
        return batches != null ? batches : model().map(Model::batches).orElse(50);
    }

    private LoaderBench.Terms terms(Session session, java.util.function.LongConsumer progress) {
        var time = compute != null ? compute.duration()
                : model().map(Model::compute).orElse(java.time.Duration.ofMillis(100));
        return new LoaderBench.Terms(batch(), batches(), ahead, time, decode.duration(), gpus,
                session.cancellation()::requested, progress);
    }

    private LoaderData data(Format format) {
        long each = sample != null ? sample.bytes() : model().map(Model::sample).orElse(128 * ByteSize.KIB);
        Optional<Dataset> wanted = Optional.empty();
        if (samples != null) {
            wanted = Optional.of(Dataset.of(samples, each));
        } else if (name != null) {
            var published = model().orElseThrow();
            wanted = Optional.of(new Dataset(Math.multiplyExact((long) gpus * batches(), batch()), each,
                    sample == null ? published.deviation() : 0, published.perFile()));
        }
        wanted = wanted.map(dataset -> perShard == null ? dataset : dataset.perFile(perShard));
        return new LoaderData(directory, format, wanted, samples != null, keep, each, seed);
    }

    private void check(Session session) {
        directory = Kept.directory(session, directory);
        if (workers().stream().anyMatch(number -> number < 0 || number > 1024)) {
            throw CommandFailure.usage("--workers must be from 0 to 1024, not %s".formatted(workers));
        }
        if (sample != null && (sample.bytes() < 1 || sample.bytes() > Integer.MAX_VALUE / 2)) {
            throw CommandFailure.usage("--sample must be from 1B to 1GiB, not " + sample);
        }
        terms(session, _ -> { });
    }

    @Override
    public Plan plan(Session session) throws IOException {
        check(session);
        var plan = Plan.NOTHING;
        for (var format : formats()) {
            var missing = data(format).missing();
            if (missing.isPresent()) {
                var made = missing.get();
                plan = plan.then("write", "%,d samples of %s (%s) below %s"
                        .formatted(made.samples(), new ByteSize(made.sample()), new ByteSize(made.bytes()), directory),
                        "%s, %s".formatted(format.description(), keep ? "kept" : "removed afterwards"));
            }
        }
        return plan;
    }

    @Override
    public Outcome<Rows<Shown>> run(Session session) throws Exception {
        check(session);
        var shown = new ArrayList<Shown>();
        var kept = new ArrayList<volsh.bench.Measurement>();
        double first = 0;
        for (var format : formats()) {
            List<Row> rows;
            try (var data = data(format).open(session); var progress = session.progress("loader", -1)) {
                rows = new LoaderBench(data.samples(), terms(session, progress::add)).run(workers());
            }
            session.cancellation().check();
            var best = LoaderBench.best(rows);
            first = first == 0 ? best.samplesPerSecond() : first;
            for (var row : rows) {
                shown.add(new Shown(lower(format), row, row.samplesPerSecond() / first));
                kept.add(row.kept("loader-" + lower(format)));
            }
            session.say(advice(format, best));
        }
        Kept.add(session, "loader", directory, facts(), kept);
        return new Outcome<>(Rows.of(COLUMNS, shown), verdict(session, shown));
    }

    private ExitCode verdict(Session session, List<Shown> shown) {
        if (name == null) {
            return ExitCode.OK;
        }
        double wanted = model().orElseThrow().enough();
        double best = shown.stream().mapToDouble(one -> one.row().utilisation()).max().orElse(0);
        String text = "%s (%s) with %d %s: utilisation %s, required %s".formatted(lower(name),
                model().orElseThrow().source(), gpus, gpus == 1 ? "GPU" : "GPUs", percent(best), percent(wanted));
        var verdict = verdict(best, wanted);
        if (verdict == ExitCode.OK) {
            session.say(text + ": passed");
        } else {
            session.warn(text + ": too low");
        }
        return verdict;
    }

    static ExitCode verdict(double utilisation, double wanted) {
        return percent(utilisation).compareTo(percent(wanted)) < 0 ? ExitCode.EXPECTATION : ExitCode.OK;
    }

    private java.util.Map<String, String> facts() throws IOException {
        var facts = new LinkedHashMap<String, String>();
        facts.put("batch", String.valueOf(batch()));
        facts.put("gpus", String.valueOf(gpus));
        facts.put("ahead", String.valueOf(ahead));
        facts.put("compute", (compute != null ? compute.duration()
                : model().map(Model::compute).orElse(java.time.Duration.ofMillis(100))).toString());
        facts.put("decode", decode.duration().toString());
        facts.put("seed", String.valueOf(seed));
        facts.put("model", name == null ? "none" : "%s (%s)".formatted(lower(name), model().orElseThrow().source()));
        model().ifPresent(model -> facts.put("required", percent(model.enough()).toString()));
        facts.put("fileSystem", Files.getFileStore(directory).type());
        facts.putAll(Facts.machine());
        return facts;
    }

    /** The code to write in a training script. */
    private String advice(Format format, Row best) {
        int number = best.workers();
        return switch (format) {
            case FILES, PLACES -> "DataLoader(dataset, batch_size=%d, num_workers=%d%s, pin_memory=True%s)"
                    .formatted(batch(), number, number == 0 ? "" : ", prefetch_factor=" + ahead,
                            number == 0 ? "" : ", persistent_workers=True");
            case TAR -> "wds.WebLoader(wds.WebDataset(shards).batched(%d), batch_size=None, num_workers=%d)"
                    .formatted(batch(), number);
            case RECORDS -> "tf.data.TFRecordDataset(files, num_parallel_reads=%d).batch(%d).prefetch(%d)"
                    .formatted(Math.max(1, number), batch(), ahead);
        };
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** Rounded down, so that a shown 90 % is at least 90 %. */
    static Percent percent(double part) {
        return new Percent(Math.floor(Math.min(1, part) * 1000 + 1e-6) / 10.0);
    }
}
