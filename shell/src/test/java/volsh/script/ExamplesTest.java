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
    private static final List<String> TESTED = List.of("checkpoint.groovy", "epilogue.groovy", "gameday.groovy", "nightly.groovy", "prologue.groovy",
            "restripe.groovy", "smoke.groovy", "triage.groovy", "volumes.volsh");

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
        workshop.run("volume", "create", "frail", "--store", "s1,s2,s3", "--stripe-count", "-1", "--block-size", "256KiB", "-q");
        var failed = example("gameday.groovy", "--volume", "frail", "--seconds", "1", "--size", "1MiB");
        assertThat(failed.status()).as("without redundancy it must fail: " + failed.out()).isEqualTo(11);
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
}
