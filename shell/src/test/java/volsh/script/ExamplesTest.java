package volsh.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every script of scripts/examples does what it says, with real mounts. */
@Timeout(240)
final class ExamplesTest {
    private static final List<String> TESTED = List.of("checkpoint.groovy", "epilogue.groovy", "nightly.groovy", "prologue.groovy",
            "smoke.groovy", "sweep.groovy", "triage.groovy", "volumes.volsh", "warm.groovy");

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
    }

    private static Path examples() {
        Path project = Path.of(System.getProperty("volsh.project", "")).toAbsolutePath();
        return (Files.exists(project.resolve("scripts/examples")) ? project : project.getParent()).resolve("scripts/examples");
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

    @Test
    void aJobsPrologueTwiceAndItsEpilogue() throws IOException {
        workshop.with("SLURM_JOB_ID", "77").with("SLURM_SCRIPT_CONTEXT", "prolog_task");
        Path root = directory.resolve("mnt");
        String file = examples().resolve("prologue.groovy").toString();
        assertThat(workshop.run("run", "--prolog", file, "--root", root.toString()).status()).as("no dataset yet").isEqualTo(1);
        workshop.run("volume", "create", "training-data", "-q");
        var first = workshop.run("run", "--prolog", file, "--root", root.toString());
        assertThat(first.status()).as(first.err()).isZero();
        assertThat(first.out()).isEqualTo("export VOLSH_DATA=%1$s/training-data\nexport VOLSH_CHECKPOINTS=%1$s/ckpt-77\n".formatted(root));
        var second = workshop.run("run", "--prolog", file, "--root", root.toString());
        assertThat(second.status()).as(second.err()).isZero();
        assertThat(second.err().lines().filter(line -> line.startsWith("unchanged")).count()).isEqualTo(3);
        Files.writeString(root.resolve("ckpt-77/step-1.pt"), "weights");
        var other = workshop.run("mount", "training-data", root.resolve("ckpt-77").toString(), "--ensure");
        assertThat(other.status()).as("something else is mounted there").isEqualTo(4);
        var epilogue = workshop.run("run", "--prolog", examples().resolve("epilogue.groovy").toString(), "--root", root.toString());
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
            var ended = example("checkpoint.groovy", "--volume", "ckpt", "--dir", data.getParent().toString(), "--step", "" + step, "--keep", "last=2");
            assertThat(ended.status()).as(ended.err()).isZero();
        }
        assertThat(workshop.run("ls", "ckpt:/main").out()).isEqualTo("latest\nstep-000000000002\nstep-000000000003\n");
        assertThat(workshop.run("cat", "ckpt:/main/latest/sub/model.pt").out()).isEqualTo("weights");
        assertThat(example("checkpoint.groovy", "--volume", "ckpt").status()).isEqualTo(2);
    }

    @Test
    void nightlyAndTriage() throws IOException {
        assertThat(example("volumes.volsh").out()).endsWith("name,profile,usedBytes\ncheckpoints,checkpoints,0\ntraining-data,images,0\n");
        assertThat(example("volumes.volsh").status()).isZero();
        var nightly = example("nightly.groovy", "--report", directory.resolve("report").toString());
        assertThat(nightly.status()).as(nightly.err()).isZero();
        assertThat(directory.resolve("report")).content().contains("\"volume\":\"training-data\"");
        assertThat(example("triage.groovy").out()).contains("everything  fine");
        workshop.run("store", "add", "broken", "file:///dev/null/x", "-q");
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
        var second = workshop.run("-o", "json", "run", examples().resolve("warm.groovy").toString(), "--volume", "data", "--cache", cache.toString(), "--manifest", list.toString());
        assertThat(second.status()).as(second.err()).isZero();
        assertThat(second.out()).as("one of two was there").containsPattern("\"cachedBytes\": [1-9]").containsPattern("\"fetchedBytes\": [1-9]");
        assertThat(workshop.run("cache", "pins", cache.toString(), "-o", "json").out()).contains("/a.tar", "/notes.txt").doesNotContain("/b.tar");
        var planned = workshop.run("-n", "run", examples().resolve("warm.groovy").toString(), "--volume", "data", "--cache", cache.toString());
        assertThat(planned.out()).contains("would warm", "would pin");
        var absent = Files.writeString(directory.resolve("absent"), "/nosuch.tar\n");
        assertThat(example("warm.groovy", "--volume", "data", "--cache", cache.toString(), "--manifest", absent.toString()))
                .as("a job can run without").matches(ended -> ended.status() == 0 && ended.err().contains("not everything is warm"));
    }

    @Test
    void aSweepFailsWhereItIsTooSlow() throws IOException {
        Path place = Files.createDirectories(directory.resolve("disk"));
        var fine = example("sweep.groovy", "--on", place.toString(), "--size", "4MiB", "--profile", "seqwrite", "--baseline", "nightly", "--p99", "1h");
        assertThat(fine.status()).as(fine.err()).isZero();
        assertThat(fine.out().lines().findFirst().orElseThrow()).contains("PHASE", "IO", "THREADS", "RATE", "P99");
        assertThat(fine.out().lines().count()).as("six combinations").isGreaterThanOrEqualTo(7);
        assertThat(workshop.run("bench", "show", "nightly").status()).as("kept as the baseline").isZero();
        var again = example("sweep.groovy", "--on", place.toString(), "--size", "4MiB", "--profile", "seqwrite", "--baseline", "nightly", "--tolerance", "100%", "--p99", "1h");
        assertThat(again.status()).as(again.err()).isZero();
        var slow = example("sweep.groovy", "--on", place.toString(), "--size", "4MiB", "--profile", "seqwrite", "--need", "900TiB/s", "--p99", "1h");
        assertThat(slow.status()).as(slow.err()).isEqualTo(11);
        assertThat(slow.err()).contains("900TiB/s is needed");
        assertThat(place).isEmptyDirectory();
    }
}
