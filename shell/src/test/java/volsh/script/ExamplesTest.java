package volsh.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.fuse.HomeProcesses;
import volsh.hang.Eventually;

/** Every script of scripts/examples does what it says, with real mounts. */
@Timeout(600)
final class ExamplesTest {
    private static final List<String> TESTED = List.of("archive.groovy", "checkpoint.groovy", "epilogue.groovy",
            "gameday.groovy", "nightly.groovy", "pack_imagenet.groovy", "prologue.groovy", "restripe.groovy",
            "resume.groovy", "smoke.groovy", "sweep.groovy", "train_loop.groovy", "train_loop.py",
            "train_webdataset.py", "triage.groovy", "volumes.volsh", "warm.groovy");

    @TempDir
    Path directory;

    private Workshop workshop;

    @BeforeEach
    void open() {
        assertThat(Path.of("/dev/fuse")).as("the test needs /dev/fuse").exists();
        workshop = new Workshop(directory);
    }

    @AfterEach
    void leaveNoMount() throws IOException {
        workshop.run("umount", "--all", "--lazy");
        HomeProcesses.awaitEnd(directory);
    }

    private static Path examples() {
        Path project = Path.of(System.getProperty("volsh.project", "")).toAbsolutePath();
        return (Files.exists(project.resolve("scripts/examples")) ? project : project.getParent())
                .resolve("scripts/examples");
    }

    private Workshop.Ended example(String name, String... arguments) throws IOException {
        var words = new ArrayList<>(List.of("run", examples().resolve(name).toString()));
        words.addAll(List.of(arguments));
        return workshop.run(words.toArray(String[]::new));
    }

    @Test
    void allAreTested() throws IOException {
        var there = new TreeSet<String>();
        try (var files = Files.list(examples())) {
            files.map(file -> file.getFileName().toString()).filter(name -> !name.endsWith(".sh")).forEach(there::add);
        }
        assertThat(there).containsExactlyElementsOf(TESTED);
    }

    @Test
    void smokeLeavesNothing() throws IOException {
        var ended = example("smoke.groovy", "--size", "2MiB");
        assertThat(ended.err()).doesNotContain("error:");
        assertThat(ended.out()).isEqualTo("smoke test passed\n");
        assertThat(workshop.run("run", "-c", "volume list | count").out()).isEqualTo("0\n");
        assertThat(workshop.run("run", "-c", "mounts list | count").out()).isEqualTo("0\n");
        assertThat(workshop.run("store", "list", "-o", "name").out()).isEqualTo("default\n");
    }

    /** Pictures become shards of a volume, which a mount loads in the order of the epoch, and a loop reads. */
    @Test
    void packedPicturesAreReadByALoop() throws Exception {
        Path order = directory.resolve("order.txt");
        String shards = mountedShards(order);
        assertThat(Files.readAllLines(order)).hasSize(5).allMatch(line -> line.startsWith("/shards/train-"));
        var loaded = workshop.run("prefetch", "data", "--order", order.toString(), "-o", "csv", "--columns",
                "listed,missing");
        assertThat(loaded.out()).as(loaded.err()).endsWith("5,0\n");
        assertThat(loop("python3", shards, "--epochs", "2", "--world", "2"))
                .contains("epoch 0: ", "epoch 1: ", " samples of 3 classes from 5 shards");
    }

    /** Runs only where Python has torch (Debian: python3-torch). */
    @Test
    void packedPicturesAreReadByWorkersOfTorch() throws Exception {
        for (var python : List.of("python3", "/usr/bin/python3")) {   // packages of Debian are for its own
            var imported = new ProcessBuilder(python, "-c", "import torch").redirectErrorStream(true).start();
            String answer = new String(imported.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (imported.waitFor() == 0) {
                readByWorkersOf(python);
                return;
            }
            System.out.println("no DataLoader to read with: %s: %s".formatted(python, answer));
        }
        abort("no Python here has torch (Debian: python3-torch)");
    }

    private void readByWorkersOf(String python) throws Exception {
        String shards = mountedShards(directory.resolve("order.txt"));
        String expected = loop(python, shards).replaceAll(", [0-9.]+ MB/s", "");
        assertThat(loop(python, shards, "--loader", "torch", "--workers", "2").replaceAll(", [0-9.]+ MB/s", ""))
                .isEqualTo(expected).contains(" samples of 3 classes from 10 shards");
    }

    private String loop(String python, String... words) throws Exception {
        var line = new ArrayList<>(List.of(python, examples().resolve("train_webdataset.py").toString()));
        line.addAll(List.of(words));
        line.addAll(List.of("--batch", "8"));
        var loop = new ProcessBuilder(line).redirectErrorStream(true).start();
        String said = new String(loop.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(loop.waitFor()).as(said).isZero();
        return said;
    }

    /** Packs pictures into a volume and mounts it; returns a pattern for the shards. */
    private String mountedShards(Path order) throws IOException {
        for (int i = 0; i < 60; i++) {
            var file = directory.resolve("images/class%d/im%02d.jpg".formatted(i % 3, i));
            Files.createDirectories(file.getParent());
            Files.writeString(file, "picture " + i);
        }
        workshop.run("volume", "create", "data");
        var packed = example("pack_imagenet.groovy", "--images", directory.resolve("images").toString(), "--target",
                "data:/shards", "--samples", "6", "--world", "2", "--order", order.toString());
        assertThat(packed.status()).as(packed.err()).isZero();
        assertThat(packed.err()).contains("12 shards, 60 samples, all ok", "samples of 3 classes");
        Path mount = Files.createDirectory(directory.resolve("mnt"));
        assertThat(workshop.run("mount", "data", mount.toString()).status()).isZero();
        return mount.resolve("shards/train-*.tar").toString();
    }

    @Test
    void aJobsPrologueTwiceAndItsEpilogue() throws IOException {
        workshop.with("SLURM_JOB_ID", "77").with("SLURM_SCRIPT_CONTEXT", "prolog_task");
        Path root = directory.resolve("mnt");
        String file = examples().resolve("prologue.groovy").toString();
        assertThat(workshop.run("run", "--prolog", file, "--root", root.toString()).status()).as("no dataset yet")
                .isEqualTo(1);
        workshop.run("volume", "create", "training-data", "-q");
        var first = workshop.run("run", "--prolog", file, "--root", root.toString());
        assertThat(first.status()).as(first.err()).isZero();
        assertThat(first.out()).isEqualTo(
                "export VOLSH_DATA=%1$s/training-data\nexport VOLSH_CHECKPOINTS=%1$s/ckpt-77\n".formatted(root));
        var second = workshop.run("run", "--prolog", file, "--root", root.toString());
        assertThat(second.status()).as(second.err()).isZero();
        assertThat(second.err().lines().filter(line -> line.startsWith("unchanged")).count()).isEqualTo(3);
        Files.writeString(root.resolve("ckpt-77/step-1.pt"), "weights");
        var other = workshop.run("mount", "training-data", root.resolve("ckpt-77").toString(), "--ensure");
        assertThat(other.status()).as("something else is mounted there").isEqualTo(4);
        var epilogue = workshop.run("run", "--prolog", examples().resolve("epilogue.groovy").toString(), "--root",
                root.toString());
        assertThat(epilogue.status()).as(epilogue.err()).isZero();
        assertThat(epilogue.out()).isEmpty();
        assertThat(epilogue.err()).contains("ckpt-77: 7B in 1 files");
        assertThat(workshop.run("cat", "ckpt-77:/step-1.pt").out()).isEqualTo("weights");
    }

    @Test
    void checkpointsAreKeptAndThinned() throws IOException {
        Path data = Files.createDirectories(directory.resolve("it's data/sub"));
        Files.writeString(data.resolve("model.pt"), "weights");
        for (int step = 1; step <= 3; step++) {
            var ended = example("checkpoint.groovy", "--volume", "ckpt", "--dir", data.getParent().toString(), "--step",
                    "" + step, "--keep", "last=2");
            assertThat(ended.status()).as(ended.err()).isZero();
        }
        assertThat(workshop.run("ls", "ckpt:/main").out()).isEqualTo("latest\nstep-000000000002\nstep-000000000003\n");
        assertThat(workshop.run("cat", "ckpt:/main/latest/sub/model.pt").out()).isEqualTo("weights");
        assertThat(example("checkpoint.groovy", "--volume", "ckpt").status()).isEqualTo(2);
    }

    /**
     * Nightly: what is new stays fast, what is old moves, what no rule names goes. After a failure: the newest one that
     * is right.
     */
    @Test
    void archivedByNightAndResumedAfterAFailure() throws IOException {
        for (String store : List.of("fast", "cold1", "cold2")) {
            workshop.run("store", "add", store, "file://" + directory.resolve(store), "--pool",
                    store.replaceAll("\\d", ""), "-q");
        }
        workshop.run("volume", "create", "ckpt", "--store", "fast,cold1,cold2", "--layout", "stripe:1,pool=fast",
                "--block-size", "64KiB", "-q");
        Path data = Files.createDirectories(directory.resolve("out"));
        for (int step = 1; step <= 5; step++) {
            var bytes = new byte[200_000];
            new java.util.Random(step).nextBytes(bytes);
            Files.write(data.resolve("model.pt"), bytes);
            workshop.run("checkpoint", "save", "ckpt", "--run", "main", "--step", "" + step, "--from",
                    data.resolve("model.pt").toString(), "-q");
        }
        String file = examples().resolve("archive.groovy").toString();
        var planned = workshop.run("-n", "run", file, "--volume", "ckpt", "--keep", "last=4");
        assertThat(planned.out()).as(planned.err()).contains("would remove", "would move");
        var night = workshop.run("run", file, "--volume", "ckpt", "--keep", "last=4", "-o", "csv");
        assertThat(night.status()).as(night.err()).isZero();
        assertThat(workshop.run("checkpoint", "list", "ckpt", "-o", "value:step").out()).isEqualTo("2\n3\n4\n5\n");
        assertThat(workshop.run("stripe", "get", "ckpt:/main/step-000000000003/model.pt", "-o", "csv", "--columns",
                "store,parts").out())
                .isEqualToNormalizingNewlines("store,parts\nfast,0\ncold1,4\ncold2,4\n");
        assertThat(workshop.run("stripe", "get", "ckpt:/main/step-000000000004/model.pt", "-o", "csv", "--columns",
                "store,parts").out())
                .isEqualToNormalizingNewlines("store,parts\nfast,4\ncold1,0\ncold2,0\n");

        workshop.run("put", data.resolve("model.pt").toString(), "ckpt:/main/step-000000000004/model.pt", "-q");
        workshop.run("put", examples().resolve("nightly.groovy").toString(), "ckpt:/main/step-000000000005/model.pt",
                "-q");
        Path resume = directory.resolve("resume");
        var resumed = example("resume.groovy", "--volume", "ckpt", "--to", resume.toString());
        assertThat(resumed.status()).as(resumed.err()).isZero();
        assertThat(resumed.out()).as("4 and 5 are not what was saved").isEqualTo("3\n");
        var third = new byte[200_000];
        new java.util.Random(3).nextBytes(third);
        assertThat(Files.readAllBytes(resume.resolve("model.pt"))).isEqualTo(third);
        assertThat(example("resume.groovy", "--volume", "ckpt", "--run", "none", "--to", resume.toString()).status())
                .isEqualTo(3);
    }

    @Test
    void gameDayAndRestripe() throws IOException {
        for (int i = 1; i <= 3; i++) {
            workshop.run("store", "add", "s" + i, "file://" + directory.resolve("s" + i), "-q");
        }
        workshop.run("volume", "create", "big", "--store", "s1,s2,s3", "--mirror", "2", "--block-size", "256KiB", "-q");
        var day = example("gameday.groovy", "--volume", "big", "--seconds", "1", "--size", "1MiB");
        assertThat(day.status()).as(day.err() + day.out()).isZero();
        assertThat(day.out()).endsWith("game day passed\n").contains("scrub --deep");
        var source = Files.write(directory.resolve("large"), new byte[600_000]);
        workshop.run("put", source.toString(), "big:/large", "-q");
        var moved = example("restripe.groovy", "--path", "big:/", "--layout", "stripe:all", "--from", "500KiB");
        assertThat(moved.status()).as(moved.err()).isZero();
        assertThat(moved.out()).contains("big:/large").contains("stripe:all");
        workshop.run("volume", "create", "frail", "--store", "s1,s2,s3", "--stripe-count", "-1", "--block-size",
                "256KiB", "-q");
        // each drill ends with what is tried meanwhile
        var failed = example("gameday.groovy", "--volume", "frail", "--seconds", "60", "--size", "1MiB");
        assertThat(failed.status()).as("without redundancy it must fail: " + failed.out()).isEqualTo(11);
    }

    @Test
    void nightlyAndTriage() throws IOException {
        assertThat(example("volumes.volsh").out())
                .endsWith("name,profile,usedBytes\ncheckpoints,checkpoints,0\ntraining-data,images,0\n");
        assertThat(example("volumes.volsh").status()).isZero();
        var nightly = example("nightly.groovy", "--report", directory.resolve("report").toString());
        assertThat(nightly.status()).as(nightly.err()).isZero();
        assertThat(directory.resolve("report")).content().contains("\"volume\":\"training-data\"");
        assertThat(example("triage.groovy").out()).contains("everything  fine");
        workshop.run("store", "add", "broken", "file://" + directory.resolve("broken"), "-q");
        Files.delete(directory.resolve("broken"));
        assertThat(example("nightly.groovy").status()).as("a store that fails").isNotZero();
    }

    @Test
    void theCacheIsWarmedOnceAndPinned() throws IOException {
        Path cache = Files.createDirectories(directory.resolve("cache"));
        workshop.run("volume", "create", "data", "--block-size", "64KiB", "-q");
        for (String name : List.of("a.tar", "b.tar", "notes.txt")) {
            var bytes = new byte[200_000];
            new java.util.Random(name.hashCode()).nextBytes(bytes);
            Files.write(directory.resolve(name), bytes);
            workshop.run("put", directory.resolve(name).toString(), "data:/" + name, "-q");
        }
        var first = example("warm.groovy", "--volume", "data", "--cache", cache.toString(), "--pin", "1");
        assertThat(first.status()).as(first.err()).isZero();
        assertThat(first.err()).doesNotContain("not everything", "not pinned");
        assertThat(first.out()).contains("2", "warm");
        Path list = Files.writeString(directory.resolve("list"), "/a.tar\n/notes.txt\n");
        var second = workshop.run("-o", "json", "run", examples().resolve("warm.groovy").toString(), "--volume", "data",
                "--cache", cache.toString(), "--manifest", list.toString());
        assertThat(second.status()).as(second.err()).isZero();
        assertThat(second.out()).as("one of two was there").containsPattern("\"cachedBytes\": [1-9]")
                .containsPattern("\"fetchedBytes\": [1-9]");
        assertThat(workshop.run("cache", "pins", cache.toString(), "-o", "json").out()).contains("/a.tar", "/notes.txt")
                .doesNotContain("/b.tar");
        var planned = workshop.run("-n", "run", examples().resolve("warm.groovy").toString(), "--volume", "data",
                "--cache", cache.toString());
        assertThat(planned.out()).contains("would warm", "would pin");
        var absent = Files.writeString(directory.resolve("absent"), "/nosuch.tar\n");
        assertThat(example("warm.groovy", "--volume", "data", "--cache", cache.toString(), "--manifest",
                absent.toString()))
                .as("a job can run without")
                .matches(ended -> ended.status() == 0 && ended.err().contains("not everything is warm"));
    }

    @Test
    void aSweepFailsWhereItIsTooSlow() throws IOException {
        Path place = Files.createDirectories(directory.resolve("disk"));
        var fine = example("sweep.groovy", "--on", place.toString(), "--size", "4MiB", "--profile", "seqwrite",
                "--baseline", "nightly", "--p99", "1h");
        assertThat(fine.status()).as(fine.err()).isZero();
        assertThat(fine.out().lines().findFirst().orElseThrow()).contains("PHASE", "IO", "THREADS", "RATE", "P99");
        assertThat(fine.out().lines().count()).as("six combinations").isGreaterThanOrEqualTo(7);
        assertThat(workshop.run("bench", "show", "nightly").status()).as("saved as the baseline").isZero();
        var again = example("sweep.groovy", "--on", place.toString(), "--size", "4MiB", "--profile", "seqwrite",
                "--baseline", "nightly", "--tolerance", "100%", "--p99", "1h");
        assertThat(again.status()).as(again.err()).isZero();
        var slow = example("sweep.groovy", "--on", place.toString(), "--size", "4MiB", "--profile", "seqwrite",
                "--need", "900TiB/s", "--p99", "1h", "--report", directory.resolve("sweep.html").toString());
        assertThat(slow.status()).as(slow.err()).isEqualTo(11);
        assertThat(slow.err()).contains("900TiB/s is needed");
        assertThat(directory.resolve("sweep.html")).as("written before it failed").content()
                .contains("6 benchmark runs", "<svg");
        assertThat(place).isEmptyDirectory();
    }

    @Test
    void aTrainingLoopSavesInTheBackground() throws IOException {
        var ended = example("train_loop.groovy", "--volume", "ckpt", "--steps", "40", "--every", "10", "--keep",
                "last=2");
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.err()).containsPattern("saved [1-4], skipped [0-3], failed 0");
        assertThat(ended.out()).contains("/main/step-");
        assertThat(workshop.run("checkpoint", "verify", "ckpt").status()).isZero();
        assertThat(directory.resolve("home/state/staged")).isEmptyDirectory();
    }

    /** Through the socket of a mount, with nothing but Python's standard library; with torch where it is installed. */
    @Test
    void aTrainingLoopInPython() throws Exception {
        Path python = Path.of("/usr/bin/python3");
        org.junit.jupiter.api.Assumptions.assumeTrue(Files.exists(python), "skipped: there is no " + python);
        workshop.run("volume", "create", "ckpt", "-q");
        Path mount = Files.createDirectory(directory.resolve("mnt"));
        var mounted = workshop.run("mount", "ckpt", mount.toString(), "--wait-ready", "2m");
        assertThat(mounted.status()).as(mounted.err()).isZero();
        String socket = workshop.run("mounts", "show", mount.toString(), "-o", "value:socket").out().strip();
        var process = new ProcessBuilder(python.toString(), examples().resolve("train_loop.py").toString(),
                mount.toString(), "--run", "py", "--steps", "30", "--every", "5", "--socket",
                socket).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        System.out.println(said);
        assertThat(said).containsPattern("saved [2-6], skipped [0-4], failed 0, last \\d+");
        for (String place : List.of("", "ckpt", mount.toString())) {
            var words = Stream.of("checkpoint", "status", place, "-o", "csv", "--columns", "run,state,by")
                    .filter(word -> !word.isEmpty());
            var status = workshop.run(words.toArray(String[]::new));
            assertThat(status.out()).as(status.err()).contains("py,idle,mount " + mount + "\n");
        }
        String file = said.contains("torch none") ? "model.safetensors" : "model.pt";
        var queued = workshop.run("checkpoint", "queue", mount.resolve(file).toString(), "--run", "py", "--step", "77",
                "--keep", "last=2");
        assertThat(queued.status()).as(queued.err()).isZero();
        assertThat(workshop.run("checkpoint", "wait", mount.toString(), "--run", "py", "--timeout", "1m").status())
                .isZero();
        assertThat(workshop.run("checkpoint", "wait", "ckpt", "--run", "py", "--step", "77", "--timeout", "1m")
                .status()).isZero();
        assertThat(workshop.run("checkpoint", "latest", "ckpt", "--run", "py", "-o", "value:step").out())
                .isEqualTo("77\n");
        assertThat(workshop.run("checkpoint", "restore", "ckpt", "--run", "py", "--clone",
                mount.resolve("resume").toString()).err())
                .contains("to ckpt:/resume");
        assertThat(Files.mismatch(mount.resolve("resume").resolve(file), mount.resolve(file)))
                .as("as it is called on the mount").isEqualTo(-1);
        assertThat(workshop.run("checkpoint", "restore", "ckpt", "--run", "py", "--to",
                mount.resolve("copy").toString()).err())
                .contains("restores without copying data");
        assertThat(workshop.run("checkpoint", "queue", "/etc/hostname", "--run", "py", "--step", "78").status())
                .as("on no mount").isEqualTo(3);
        afterOneThatFailed(mount, mount.resolve(file));
        assertThat(workshop.run("umount", mount.toString()).status()).isZero();
        var verified = workshop.run("checkpoint", "verify", "ckpt");
        assertThat(verified.status()).as(verified.out() + verified.err()).isZero();
    }

    /** A step that was not saved is told to who waits, once; the next one is saved. */
    private void afterOneThatFailed(Path mount, Path file) throws Exception {
        var missing = workshop.run("checkpoint", "queue", mount.resolve("none").toString(), "--run", "py", "--step",
                "78");
        assertThat(missing.status()).as(missing.err()).isEqualTo(3);
        Path empty = Files.createDirectory(directory.resolve("empty"));
        assertThat(workshop.run("checkpoint", "queue", empty.toString(), "--mount", mount.toString(), "--run", "py",
                "--step", "78").status()).isZero();
        Eventually.holds("it has failed",
                () -> workshop.run("checkpoint", "status", mount.toString(), "-o", "value:failed").out().equals("1\n"));
        var next = workshop.run("checkpoint", "queue", file.toString(), "--run", "py", "--step", "79");
        assertThat(next.status()).as(next.err()).isZero();
        assertThat(next.err()).contains("1 step of run 'py' not saved", "step 78");
        var waited = workshop.run("checkpoint", "wait", "ckpt", "--run", "py", "--timeout", "1m");
        assertThat(waited.status()).as("what was waited for was not saved").isEqualTo(1);
        assertThat(waited.err()).contains("step 78");
        assertThat(workshop.run("checkpoint", "latest", "ckpt", "--run", "py", "-o", "value:step").out())
                .isEqualTo("79\n");
        assertThat(workshop.run("checkpoint", "wait", "ckpt", "--run", "py", "--timeout", "1m").status())
                .as("told once").isZero();
        assertThat(workshop.run("checkpoint", "wait", "ckpt", "--run", "py", "--step", "78", "--timeout", "1m")
                .status()).isEqualTo(3);
    }

    /** What somebody writes on a mount becomes checkpoints when it is closed. */
    @Test
    void whatIsWrittenOnAMountIsPickedUp() throws Exception {
        workshop.run("volume", "create", "ckpt", "-q");
        Path mount = Files.createDirectory(directory.resolve("mnt"));
        var mounted = workshop.run("mount", "ckpt", mount.toString(), "--wait-ready", "2m");
        assertThat(mounted.status()).as(mounted.err()).isZero();
        Files.createDirectories(mount.resolve("out"));
        Files.write(mount.resolve("out/step_1.pt"), new byte[200_000]);
        Files.writeString(mount.resolve("out/step_2.pt"), "two");
        Files.writeString(mount.resolve("out/notes.txt"), "no checkpoint");
        var ended = workshop.run("checkpoint", "watch", mount.resolve("out").toString(), "--run", "r1", "--pattern",
                "step_*.pt", "--settle", "200ms", "--every", "100ms", "--once");
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.err() + ended.out()).contains("saved step_1.pt as ckpt:/r1/step-000000000001",
                "saved step_2.pt");
        Files.writeString(mount.resolve("out/step_2.pt"), "overwritten");
        assertThat(workshop.run("cat", "ckpt:/r1/latest/step_2.pt").out()).isEqualTo("two");
        try (var open = Files.newOutputStream(mount.resolve("out/step_3.pt"))) {
            open.write(1);
            open.flush();
            Files.writeString(mount.resolve("out/step_4.pt"), "four");
            var cancellation = new volsh.command.Cancellation();
            var watching = new FutureTask<>(() -> workshop.run(cancellation, "checkpoint", "watch", mount.resolve("out")
                    .toString(), "--run", "r1", "--pattern", "step_*.pt", "--settle", "100ms", "--every", "50ms"));
            Thread.ofPlatform().start(watching);
            Eventually.holdsDuring(watching, "what is younger and closed is saved",
                    () -> workshop.run("checkpoint", "latest", "ckpt", "--run", "r1", "-o", "value:step").out()
                            .equals("4\n"));
            cancellation.request();
            Eventually.result("the end of the watch", watching);
            assertThat(workshop.run("checkpoint", "list", "ckpt", "--run", "r1", "-o", "value:step").out().lines())
                    .as("somebody writes step 3")
                    .contains("1", "2", "4").doesNotContain("3");
        }
        assertThat(workshop.run("checkpoint", "watch", directory.toString(), "--run", "r1", "--pattern", "*").status())
                .as("on no mount").isEqualTo(3);
    }

    /** A job saves the copy; the source may change at once. */
    @Test
    void aSaveInTheBackground() throws Exception {
        workshop.run("volume", "create", "ckpt", "-q");
        Path data = Files.createDirectory(directory.resolve("out"));
        Files.writeString(data.resolve("model.pt"), "weights");
        var started = workshop.run("checkpoint", "save", "ckpt", "--run", "r1", "--step", "5", "--from",
                data.toString(), "--background", "-o", "value:id");
        assertThat(started.status()).as(started.err()).isZero();
        Files.writeString(data.resolve("model.pt"), "other");
        assertThat(started.out()).isEqualTo("j1\n");
        var waited = workshop.run("checkpoint", "wait", "ckpt", "--run", "r1", "--step", "5", "--timeout", "5m", "-o",
                "csv", "--columns", "step,state,level");
        assertThat(waited.out()).as(waited.err()).isEqualToNormalizingNewlines("step,state,level\n5,latest,stored\n");
        assertThat(workshop.run("job", "wait", "j1").status()).isZero();
        assertThat(workshop.run("cat", "ckpt:/r1/latest/model.pt").out()).isEqualTo("weights");
        var whole = workshop.run("checkpoint", "save", "ckpt", "--run", "r1", "--step", "6", "--from",
                data.resolve("model.pt").toString(), "--background", "--until", "stored", "--metric", "loss=0.5");
        assertThat(whole.status()).as(whole.err()).isZero();
        assertThat(workshop.run("cat", "ckpt:/r1/latest/model.pt").out()).isEqualTo("other");
        assertThat(directory.resolve("home/state/staged")).isEmptyDirectory();
        assertThat(workshop.run("checkpoint", "save", "ckpt", "--run", "r1", "--step", "6", "--from", data.toString(),
                "--background").status()).isEqualTo(4);
        var never = workshop.run("checkpoint", "save", "ckpt", "--run", "r1", "--step", "7", "--from", data.toString(),
                "--until", "committed");
        assertThat(never.status()).isEqualTo(2);
        assertThat(never.err()).contains("ship-metadata=on");
        workshop.run("volume", "set", "ckpt", "ship-metadata=on", "-q");
        var moved = workshop.run("checkpoint", "save", "ckpt", "--run", "r1", "--step", "7", "--from", data.toString(),
                "--background", "--move", "--until", "committed");
        assertThat(moved.status()).as(moved.err()).isZero();
        assertThat(data).as("it was handed over").doesNotExist();
        assertThat(workshop.run("durability", "ckpt:/r1/latest/model.pt", "-o", "value:state").out())
                .isEqualTo("committed\n");
    }
}
