package volsh.bench.loader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import volsh.bench.OperationLatencies;
import volsh.unit.ByteSize;
import volsh.shard.Field;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.ShardFormat;
import volsh.shard.format.Formats;

/** What loaders read: every sample once, in every format; how fast they are, a test cannot know. */
final class LoaderBenchTest {
    private static final long SEED = 3;

    @TempDir
    Path directory;

    private final AtomicLong seen = new AtomicLong();

    private List<Path> dataset(int files) throws IOException {
        var made = new ArrayList<Path>();
        Files.createDirectories(directory.resolve("data/below"));
        for (int i = 0; i < files; i++) {
            made.add(Files.write(directory.resolve(i % 2 == 0 ? "data" : "data/below").resolve("f" + i),
                    ("sample " + i + " ").repeat(200).getBytes(StandardCharsets.US_ASCII)));
        }
        return made;
    }

    private LoaderBench.Terms terms(int batch, int batches, int gpus) {
        return new LoaderBench.Terms(batch, batches, 2, Duration.ofMillis(1), Duration.ZERO, gpus, () -> false,
                seen::addAndGet);
    }

    private LoaderBench loader(int batch, int batches, int gpus) throws IOException {
        return new LoaderBench(Format.FILES.find(directory.resolve("data"), 0, SEED, () -> false),
                terms(batch, batches, gpus));
    }

    @Test
    void aLoaderReadsEveryBatchOnceForEachNumberOfWorkers() throws IOException {
        dataset(23);
        var rows = loader(4, 5, 1).run(List.of(0, 1, 3, 8));
        assertThat(rows).extracting(LoaderBench.Row::workers).containsExactly(0, 1, 3, 8);
        assertThat(rows).allMatch(row -> row.samples() == 20 && row.bytes().equals(rows.getFirst().bytes()));
        assertThat(rows).allMatch(row -> row.stall() >= 0 && row.stall() <= 1 && row.utilisation() > 0
                && row.utilisation() <= 1);
        assertThat(rows.getFirst().bytes().bytes()).isPositive();
        assertThatThrownBy(() -> loader(24, 5, 1).run(List.of(1)))
                .hasMessage("too few samples: 23 files are less than a batch of 24 for a worker");
    }

    /** Twenty samples of GPUs' own are read by two GPUs: all of them, none twice. */
    @Test
    void gpusShareTheDataset() throws IOException {
        var files = dataset(20);
        long all = 0;
        for (Path file : files) {
            all += Files.size(file);
        }
        var rows = loader(5, 50, 2).run(List.of(0, 2));
        long bytes = all;
        assertThat(rows).allMatch(row -> row.gpus() == 2 && row.samples() == 20 && row.bytes().bytes() == bytes);
    }

    /**
     * Four batches that four workers make while the first is waited for do not follow one another at once because
     * storage is fast.
     */
    @Test
    void whatIsMadeWhileTheFirstIsWaitedForDoesNotCount() throws IOException {
        var slow = new Samples() {
            @Override
            public Samples part(int rank, int world) {
                return this;
            }

            @Override
            public Reader reader(int worker, int workers, int batch) {
                return () -> {
                    LockSupport.parkNanos(30_000_000);
                    return 1;
                };
            }

            @Override
            public boolean isEmpty() {
                return false;
            }

            @Override
            public String description() {
                return "slow samples";
            }
        };
        var few = new LoaderBench(slow, terms(1, 4, 1)).run(List.of(4)).getFirst();
        assertThat(few.stall() + few.utilisation()).as("the GPU waits or computes").isLessThanOrEqualTo(1);
    }

    @Test
    void theFewestWorkersThatAreNearlyTheFastestAreBest() {
        var waits = new OperationLatencies(Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO);
        var rows = new ArrayList<LoaderBench.Row>();
        for (var pair : List.of(List.of(1, 500), List.of(2, 990), List.of(4, 1000), List.of(8, 1005))) {
            rows.add(new LoaderBench.Row(pair.get(0), 1, pair.get(1), new ByteSize(1), Duration.ofSeconds(1), waits, 0,
                    1));
        }
        assertThat(LoaderBench.best(rows).workers()).isEqualTo(2);
    }

    @Test
    void aFileThatVanishesIsAnErrorAndNotAHang() throws IOException {
        var files = dataset(20);
        var terms = new LoaderBench.Terms(2, 10, 1, Duration.ZERO, Duration.ZERO, 1, () -> false, _ -> {
            for (Path file : files) {
                file.toFile().delete();
            }
        });
        var bench = new LoaderBench(Format.FILES.find(directory.resolve("data"), 0, SEED, () -> false), terms);
        assertThatThrownBy(() -> bench.run(List.of(3))).isInstanceOf(IOException.class);
    }

    private Samples made(Format format, Dataset dataset) throws IOException {
        return format.find(dataset.make(format, directory.resolve("made-" + format), SEED, () -> false,
                seen::addAndGet), dataset.sample(), SEED, () -> false);
    }

    /** The control: a dataset that lacks one sample reads fewer bytes. */
    @ParameterizedTest
    @EnumSource
    void whatIsMadeIsReadWhole(Format format) throws IOException {
        var samples = made(format, new Dataset(40, 5000, 0, 7));
        for (int workers : List.of(0, 1, 3)) {
            long extra = format == Format.TAR ? 40 : 0;     // the class of each
            var row = new LoaderBench(samples, terms(1, 1000, 1)).run(List.of(workers)).getFirst();
            assertThat(row.samples()).isEqualTo(40);
            assertThat(row.bytes().bytes()).isEqualTo(40 * 5000 + extra);
        }
        var fewer = new LoaderBench(samples, terms(1, 39, 1)).run(List.of(2)).getFirst();
        assertThat(fewer.samples()).isEqualTo(39);
    }

    /** Shards go to workers whole; workers without one do not stop the others. */
    @Test
    void moreWorkersThanShardsDoNoHarm() throws IOException {
        var samples = made(Format.RECORDS, new Dataset(40, 100, 0, 20));
        assertThat(new LoaderBench(samples, terms(4, 1000, 1)).run(List.of(8)).getFirst().samples()).isEqualTo(40);
        assertThatThrownBy(() -> new LoaderBench(samples, terms(30, 10, 1)).run(List.of(2)))
                .hasMessageContaining("2 shards are less than a batch of 30");
    }

    @Test
    void damageIsNoticedInRecordsAndArchives() throws IOException {
        for (var format : List.of(Format.RECORDS, Format.TAR)) {
            var samples = made(format, new Dataset(4, 3000, 0, 4));
            try (var files = Files.walk(directory.resolve("made-" + format))) {
                Path shard = files.filter(Files::isRegularFile).findFirst().orElseThrow();
                byte[] bytes = Files.readAllBytes(shard);
                bytes[format == Format.RECORDS ? 100 : 3] ^= 1;
                Files.write(shard, bytes);
                assertThatThrownBy(() -> new LoaderBench(samples, terms(1, 10, 1)).run(List.of(0)))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("corrupt").hasMessageContaining(shard.getFileName().toString());
                Files.write(shard, java.util.Arrays.copyOf(bytes, 2000));
            }
        }
    }

    /** Files {@code .records} may be TFRecord or our own format: the bytes tell. */
    @Test
    void recordsOfBothFormatsAreRead() throws IOException {
        for (var format : List.of(ShardFormat.RECORDS, ShardFormat.TFRECORD)) {
            var shards = Files.createDirectory(directory.resolve(format.name()));
            var shard = shards.resolve("a.records");
            try (var out = Files.newOutputStream(shard)) {
                var writer = Formats.writer(format, FormatOptions.DEFAULT, out);
                for (int i = 0; i < 12; i++) {
                    writer.add(new Sample("k" + i, List.of(Field.of("bin", new byte[2000]))));
                }
                writer.finish();
            }
            var samples = Format.RECORDS.find(shards, 0, 1, () -> false);
            assertThat(new LoaderBench(samples, terms(4, 1000, 1)).run(List.of(1)).getFirst().samples()).isEqualTo(12);
            var bytes = Files.readAllBytes(shard);
            bytes[5000] ^= 1;
            Files.write(shard, bytes);
            assertThatThrownBy(() -> new LoaderBench(samples, terms(4, 1000, 1)).run(List.of(1)))
                    .as(format.name()).hasMessageContaining("a.records is corrupt");
        }
    }

    /** Archives that tar(1) wrote, with long names and directories; members that share a key are one sample. */
    @Test
    void archivesOfTarAreRead() throws Exception {
        var source = Files.createDirectories(directory.resolve("source/" + "a".repeat(60) + "/" + "b".repeat(60)));
        for (int i = 0; i < 5; i++) {
            Files.write(source.resolve("s%d.jpg".formatted(i)), new byte[700 + i]);
            Files.writeString(source.resolve("s%d.cls".formatted(i)), "7");
        }
        for (String kind : List.of("gnu", "pax", "ustar")) {
            var shards = Files.createDirectory(directory.resolve(kind));
            var tar = new ProcessBuilder("tar", "--format=" + kind, "--sort=name", "-cf", shards.resolve("a.tar")
                    .toString(), "-C", directory.resolve("source").toString(), ".").inheritIO().start();
            assertThat(tar.waitFor()).isZero();
            var row = new LoaderBench(Format.TAR.find(shards, 0, SEED, () -> false), terms(1, 100, 1)).run(List.of(1))
                    .getFirst();
            assertThat(row.samples()).as(kind).isEqualTo(5);
            assertThat(row.bytes().bytes()).as(kind).isEqualTo(5 * 700 + 10 + 5);
        }
    }

    /** What it will take is known before, to the byte, and whoever watches sees it go by. */
    @Test
    void samplesVaryAsTheModelSays() throws IOException {
        var dataset = new Dataset(200, 1000, 300, 1);
        var samples = made(Format.FILES, dataset);
        assertThat(seen).hasValue(dataset.bytes(SEED));
        var row = new LoaderBench(samples, terms(1, 1000, 1)).run(List.of(1)).getFirst();
        assertThat(row.bytes().bytes()).isBetween(160_000L, 240_000L).isNotEqualTo(200_000)
                .isEqualTo(dataset.bytes(SEED));
    }

    /**
     * As in configs/dlio/workload/NAME_h100.yaml of version 2.0, where version 1.0 has other numbers, and
     * megatron_deepspeed_LLNL.yaml of DLIO.
     */
    @Test
    void modelsAskForWhatIsPublished() {
        var mlperf = "MLPerf Storage 2.0, H100";
        assertThat(Model.Name.RESNET50.model()).isEqualTo(new Model(mlperf, Format.RECORDS, 114_660, 0, 1251, 400, 8,
                Duration.ofMillis(224), 0.9, 48));
        assertThat(Model.Name.UNET3D.model()).isEqualTo(new Model(mlperf, Format.FILES, 146_600_628, 68_341_808, 1, 7,
                4, Duration.ofMillis(323), 0.9, 24));
        assertThat(Model.Name.COSMOFLOW.model()).isEqualTo(new Model(mlperf, Format.RECORDS, 2_828_486, 71_311, 1, 1, 4,
                Duration.ofNanos(3_500_000), 0.7, 400));
        var llm = Model.Name.LLM.model();
        assertThat(llm.source()).contains("DLIO", "not part of MLPerf");
        for (var each : Model.Name.values()) {
            assertThat(each.model().batches()).as("more than are made while the first one is waited for")
                    .isGreaterThanOrEqualTo(2 * 3 * each.model().workers());
        }
        assertThat(List.of(llm.sample(), (long) llm.batch(), (long) llm.workers(), llm.compute().toMillis()))
                .containsExactly(2048L, 16L, 1L, 2440L);
    }

    @Test
    void whatFailsLeavesNothing() {
        assertThatThrownBy(() -> Dataset.of(0, 10)).hasMessageContaining("must be 1 to 10,000,000");
        assertThatThrownBy(() -> terms(1, 1, 0)).hasMessageContaining("GPUs");
        assertThatThrownBy(() -> Dataset.of(5, 10).make(Format.FILES, directory.resolve("none/made"), SEED, () -> false,
                _ -> { })).isInstanceOf(IOException.class);
        assertThat(directory).isEmptyDirectory();
    }
}
