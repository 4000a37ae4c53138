package volsh.command.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.failure.ExitCode;
import volsh.command.tree.Scratch;

final class BenchCommandsTest {
    @TempDir
    Path directory;

    private Path place;

    @BeforeEach
    void place() throws IOException {
        place = Files.createDirectory(directory.resolve("place"));
    }

    private Scratch.Ended run(String line) {
        return new Scratch(directory.resolve("home")).run("volsh " + line);
    }

    @Test
    void aRunIsShownKeptAndCompared() throws IOException {
        var ended = run("bench run seqwrite --on " + place + " --size 2MiB -o csv --columns phase,threads,operations");
        assertThat(ended.out()).isEqualToNormalizingNewlines("phase,threads,operations\nwrite+fsync,1,2\n");
        assertThat(ended.err()).contains("saved as ");
        assertThat(run("bench list -o csv --columns profile,target").out()).contains("seqwrite," + place.toRealPath());
        assertThat(run("bench show last -o json").out()).contains("\"phase\": \"write+fsync\"", "\"p99Seconds\"");
        assertThat(run("bench compare last last --fail-if -1%").status()).isZero();
        assertThat(place).isEmptyDirectory();
    }

    @Test
    void aFileIsRead() throws IOException {
        Path file = Files.write(place.resolve("data"), new byte[100_000]);
        String line = "bench run seqread --io 16KiB -t 2 --on " + file;
        assertThat(run(line + " -o csv --columns threads,operations").out())
                .isEqualToNormalizingNewlines("threads,operations\n2,6\n2,6\n");
        assertThat(run("bench list -o csv --columns target").out()).contains(file.toRealPath().toString());
        assertThat(run(line + " --size 1MiB").err()).contains("less than --size 1MiB");
        assertThat(run("bench run fsync --on " + file).err()).contains("fsync writes", "--on must be a directory");
        assertThat(run(line + " --dry-run").out()).doesNotContain("write");
        assertThat(place.toFile().list()).containsExactly("data");
    }

    /** Slower by more than is tolerated is exit 11; the control, an equal run, is 0. */
    @Test
    void aSlowerRunMissesItsBaseline() throws IOException {
        run("bench run randread --on " + place + " --size 4KiB --duration 1ms");
        assertThat(run("bench baseline save nightly").status()).isZero();
        assertThat(run("bench baseline check nightly last").status()).isZero();
        Path file;
        try (var runs = Files.list(directory.resolve("home/state/bench"))) {
            file = runs.filter(path -> path.getFileName().toString().startsWith("20")).findFirst().orElseThrow();
        }
        Files.writeString(file, Pattern.compile("\"elapsed\" : (\\d+)").matcher(Files.readString(file))
                .replaceAll("\"elapsed\" : $19"));
        var ended = run("bench baseline check nightly last");
        assertThat(ended.status()).isEqualTo(11);
        assertThat(ended.err()).contains("slower than");
        assertThat(run("bench compare nightly last").status()).isZero();
        assertThat(run("bench compare nightly last --fail-if -10%").status()).isEqualTo(11);
        assertThat(run("bench compare nightly last --fail-if 10%").status()).isEqualTo(11);
        assertThat(run("bench compare nightly last --fail-if -95%").status()).isZero();
        assertThat(run("bench compare nightly last --fail-if slow").err()).contains("not a percentage: 'slow'");
        assertThat(run("bench baseline check nightly --fail-if -95%").status()).isZero();
    }

    @Test
    void whatCannotBeIsRefused() {
        assertThat(run("bench run seqread --on " + directory.resolve("none")).status()).isEqualTo(3);
        run("volume create data");
        assertThat(run("bench run seqread --on data").err())
                .contains("volume 'data' is not mounted", "volsh mount data ./data");
        assertThat(run("bench run seqread").err()).contains("missing profile or --on");
        assertThat(run("bench run loader --on " + place).err()).contains("has no samples");
        assertThat(run("bench run compress --on " + place.resolve("none")).status()).isEqualTo(3);
        assertThat(run("bench run nothing --on " + place).err()).contains("'nothing' is not one of seqwrite");
        assertThat(run("bench run seqread --on " + place + " -t 0").status()).isEqualTo(2);
        assertThat(run("bench show last").err()).contains("no such run: 'last'", "volsh bench list");
        assertThat(run("bench run seqread --on " + place + " -n").out()).contains("write");
        assertThat(place).isEmptyDirectory();
    }

    @Test
    void theLineToPasteIsForPeople() throws IOException {
        for (int i = 0; i < 8; i++) {
            Files.writeString(place.resolve("f" + i), "sample ".repeat(1000));
        }
        var loader = run("bench run loader --on " + place
                + " --batch 2 --workers 0,2 --gpu-batch 1ms -o csv --columns workers,samples");
        assertThat(loader.out()).isEqualToNormalizingNewlines("workers,samples\n0,8\n2,8\n");
        assertThat(loader.err()).contains("DataLoader(dataset, batch_size=2, num_workers=");
        var compress = run("bench run compress --on " + place + " -o csv --columns compression,raw");
        assertThat(compress.out()).contains("lz4,56000", "zstd:9,56000");
        assertThat(compress.err()).contains("volsh volume create data --block-size 4MiB --compression ", "saved as ");
        String kept = compress.err().replaceAll("(?s).*saved as (\\S+).*", "$1");
        assertThat(run("bench show " + kept + " -o value:phase").out()).contains("lz4 write\nlz4 read\n");
        assertThat(run("bench run compress --on " + place + " --dry-run").err()).doesNotContain("saved as ");
    }

    @Test
    void waysToSaveACheckpointAreKept() {
        String line = "bench run checkpoint --on " + place
                + " --size 64KiB --strategy hot,local-async --near '' --distant ''";
        assertThat(run(line + " -o value:strategy").out()).isEqualTo("hot\nlocal-async\n");
        assertThat(run("bench show last -o value:phase").out())
                .isEqualTo("hot stall\nhot durable\nlocal-async stall\nlocal-async durable\n");
        assertThat(run("bench compare last last --fail-if -10%").status()).isZero();
        assertThat(place).isEmptyDirectory();
    }

    @Test
    void aReportIsWrittenOnceAndWhole() throws IOException {
        run("bench run seqwrite --on " + place + " --size 2MiB");
        Path page = directory.resolve("page.html");
        assertThat(run("bench report last --html " + page + " --dry-run").out()).contains("write");
        assertThat(page).doesNotExist();
        assertThat(run("bench report last last --html " + page + " -o json").out()).contains("\"runs\": 2");
        assertThat(page).content().contains("<svg", "write+fsync", place.toRealPath().toString()).endsWith("</html>\n");
        var again = run("bench report last --html " + page);
        assertThat(again.status()).isEqualTo(4);
        assertThat(again.err()).contains("file exists", "--force");
        assertThat(run("bench report last --force --html " + page).status()).isZero();
        assertThat(run("bench report nothing --html " + directory.resolve("other.html")).status()).isEqualTo(3);
        assertThat(run("bench report last --html " + place).status()).isEqualTo(2);
        assertThat(run("bench report last last last last last last last --html " + directory.resolve("other.html"))
                .err()).contains("1 to 6 runs");
        assertThat(directory.toFile().list()).containsExactlyInAnyOrder("home", "place", "page.html");
    }

    @Test
    void samplesAreMadeUsedAndGone() {
        String line = "bench run loader --on " + place
                + " --format files,tar,records,places --samples 32 --sample 2KiB --batch 4 --workers 1 --gpu-batch 1ms";
        assertThat(run(line + " --dry-run").out()).contains("32 samples of 2KiB (64KiB)", "removed afterwards");
        var ended = run(line + " -o csv --columns format,samples");
        assertThat(ended.out())
                .isEqualToNormalizingNewlines("format,samples\nfiles,32\ntar,32\nrecords,32\nplaces,32\n");
        assertThat(ended.err()).contains("WebDataset", "TFRecordDataset");
        assertThat(place).isEmptyDirectory();
        var kept = run("bench run loader --on " + place
                + " --format tar --samples 8 --sample 1KiB --batch 1 --workers 0 --gpu-batch 0s --keep");
        assertThat(kept.status()).isZero();
        assertThat(run("bench run loader --on " + place
                + " --format tar --batch 1 --workers 0 --gpu-batch 0s -o value:samples").out().strip()).isEqualTo("8");
        assertThat(run("bench run loader --on " + place + " --format records").err())
                .contains("record files", "--samples 1000");
    }

    /**
     * Nine parts of ten are enough. How many a GPU gets here, a test cannot know: one that computes for no time at all
     * gets none, and any other one what it is told.
     */
    @Test
    void aModelPassesOrNot() {
        assertThat(BenchLoader.verdict(0.9, 0.9)).isEqualTo(ExitCode.OK);
        assertThat(BenchLoader.verdict(0.899, 0.9)).isEqualTo(ExitCode.EXPECTATION);
        assertThat(BenchLoader.percent(0.8999)).as("what is too low does not look as if it were enough")
                .hasToString("89.9%");
        assertThat(BenchLoader.percent(0.9)).hasToString("90%");
        String line = "bench run loader --on " + place
                + " --model resnet50 --sample 100B --batch 4 --batches 8 --gpus 2 --workers 2";
        var some = run(line + " --gpu-batch 5ms -o value:utilisation");
        double measured = Double.parseDouble(some.out().strip().replace("%", ""));
        // 54%, not 54.0%
        String shown = measured == Math.rint(measured) ? "%.0f%%".formatted(measured) : measured + "%";
        assertThat(some.err()).contains("resnet50 (MLPerf Storage 2.0, H100) with 2 GPUs: utilisation " + shown,
                "required 90%: " + (some.status() == 0 ? "passed" : "too low"));
        assertThat(some.status()).isEqualTo(measured < 90 ? 11 : 0);
        var failed = run(line + " --gpu-batch 0s");
        assertThat(failed.err()).contains("too low");
        assertThat(failed.status()).isEqualTo(11);
        assertThat(run("bench show last -o json").out()).contains("loader-records");
        assertThat(place).isEmptyDirectory();
    }

    /** A dataset that does not fit is refused before a byte of it is written. */
    @Test
    void samplesThatDoNotFitAreRefused() {
        var ended = run("bench run loader --on " + place + " --model unet3d --gpus 100 --batches 1000");
        assertThat(ended.status()).isEqualTo(8);
        assertThat(ended.err()).contains("700,000 samples of 139.8MiB", "not enough space", "--sample");
        assertThat(place).isEmptyDirectory();
    }

    @Test
    void volumesOfABenchsOwnAreGoneAfterwards() {
        String small = " --on " + place + " --size 256KiB";
        String right = "phase,hits\nmiss,0.0\nhit-memory,100.0\nhit-disk,100.0\n";
        String hits = "";
        // a cache directory on a disk that is late for seconds is by-passed
        for (int tries = 0; tries < 10 && !hits.equals(right); tries++) {
            hits = run("bench run cache" + small + " --io 64KiB -o csv --columns phase,hits").out();
        }
        assertThat(hits).isEqualTo(right);
        assertThat(run("bench run epochs" + small
                + " --sample 64KiB --cache 100% --epochs 2 -o csv --columns epoch,hits,forecast").out())
                .isEqualToNormalizingNewlines("epoch,hits,forecast\n1,0.0,\n2,100.0,100.0\n");
        assertThat(run("bench run layout" + small + " --io 64KiB --stores 2 --layout stripe:2,mirror:2 -o value:phase")
                .out())
                .isEqualToNormalizingNewlines(
                        "stripe:2 write+fsync\nstripe:2 read\nmirror:2 write+fsync\nmirror:2 read\n");
        assertThat(run("bench run epochs" + small + " --cache lots").err()).contains("--cache: not a size");
        assertThat(run("bench run layout" + small + " --layout round").status()).isEqualTo(2);
        assertThat(run("bench run cache" + small + " --store speed=1").err()).contains("--store: ");
        assertThat(place).isEmptyDirectory();
    }

    @Test
    void storesAndPacesAndCharts() {
        assertThat(run("bench run fsync --on " + place + " --size 4KiB --pace 1000 --duration 20ms").status()).isZero();
        assertThat(run("bench run fsync --on " + place + " --size 4KiB --pace 0").status()).isEqualTo(2);
        assertThat(run("bench show last --chart").err()).contains("write+fsync");
        run("bench baseline save nightly last");
        assertThat(run("bench baseline list -o csv --columns name,profile").out())
                .isEqualToNormalizingNewlines("name,profile\nnightly,fsync\n");
        run("store add lake file://" + directory.resolve("lake"));
        assertThat(run("bench run store --on lake --size 64KiB --io 16KiB -t 2 --part 1KiB -o value:phase").out())
                .isEqualToNormalizingNewlines("put\nget\nrange\ndelete\n");
        assertThat(run("bench run store --on river").status()).isEqualTo(3);
    }
}
