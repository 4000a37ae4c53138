package volsh.command.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Home;
import volsh.command.TestHost;
import volsh.gateway.AccessKeys;
import volsh.job.Jobs;
import volsh.volume.Volumes;

/** Completion knows what is in the catalog, and looks nowhere else. */
final class LiveNamesTest {
    @TempDir
    Path directory;

    private List<String> complete(Scratch scratch, String... words) {
        var line = new ArrayList<>(List.of("__complete", "--shell", "bash", "--"));
        line.addAll(List.of(words));
        var host = new TestHost();
        host.services().with(Volumes.class, scratch::volumes).with(Home.class, scratch::homes)
                .with(Jobs.class,
                        () -> new Jobs(scratch.homes().state().resolve("jobs"), List.of(), InstantSource.system()));
        var exit = host.run(Commands.tree(host.services(), Duration.ofSeconds(60)), line.toArray(String[]::new));
        assertThat(exit.status()).as(host.err()).isZero();
        return host.out().lines().map(each -> each.split("\t")[0]).toList();
    }

    @Test
    void volumesStoresAndProfiles() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        assertThat(complete(scratch, "volume", "show", "")).isEmpty();
        assertThat(scratch.files()).as("completion makes nothing").isEmpty();
        assertThat(scratch.run("volume create training-data").status()).isZero();
        assertThat(scratch.run("store add lake file://" + directory.resolve("lake")).status()).isZero();
        Files.writeString(scratch.home().resolve("state/catalog/volumes/damaged.json"), "not even JSON");
        assertThat(complete(scratch, "volume", "show", "tr")).containsExactly("training-data");
        assertThat(complete(scratch, "volume", "destroy", "")).containsExactly("damaged", "training-data");
        assertThat(complete(scratch, "volume", "create", "new", "--store", "")).containsExactly("default", "lake");
        assertThat(complete(scratch, "volume", "create", "new", "--store=l")).containsExactly("--store=lake");
        assertThat(complete(scratch, "volume", "create", "new", "--profile", "vi")).containsExactly("video");
        assertThat(complete(scratch, "volume", "create", "new", "--compression", "z")).containsExactly("zstd:3");
        assertThat(complete(scratch, "mount", "tr")).containsExactly("training-data");
        assertThat(complete(scratch, "service", "install", "tr")).containsExactly("training-data");
        assertThat(complete(scratch, "store", "probe", "l")).containsExactly("lake");
        assertThat(complete(scratch, "df", "training-data", "")).contains("training-data");
    }

    @Test
    void gatewaysAndTheirKeys() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        assertThat(complete(scratch, "gateway", "key", "revoke", "")).isEmpty();
        var key = new AccessKeys(scratch.homes().state()).create(List.of("data"), "", true, Instant.EPOCH,
                Optional.empty());
        assertThat(complete(scratch, "gateway", "key", "revoke", "V")).containsExactly(key.id());
        assertThat(complete(scratch, "gateway", "stop", "")).isEmpty();
    }

    /** Runs and steps of checkpoints are those of the volume and the run that the line names. */
    @Test
    void runsStepsBenchesAndJobs() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        assertThat(complete(scratch, "bench", "show", "")).isEmpty();
        Path data = Files.createDirectories(directory.resolve("data"));
        Files.writeString(data.resolve("weights"), "x");
        for (String line : List.of("volume create ckpt", "volume create other", "mkdir ckpt:/empty",
                "checkpoint save ckpt --run r1 --step 10 --from " + data, "checkpoint save ckpt --run r1 "
                        + "--step 200 --from " + data, "checkpoint save other --run r2 --step 3 --from " + data,
                "bench run meta --on " + data + " --size 4KiB")) {
            assertThat(scratch.run(line).status()).as(line).isZero();
        }
        assertThat(complete(scratch, "checkpoint", "restore", "ckpt", "--run", "")).containsExactly("r1");
        assertThat(complete(scratch, "checkpoint", "list", "other", "--run=r")).containsExactly("--run=r2");
        assertThat(complete(scratch, "checkpoint", "show", "ckpt", "--run", "r1", "--step", ""))
                .containsExactly("10", "200");
        assertThat(complete(scratch, "checkpoint", "show", "--run=r2", "other", "--step", "")).containsExactly("3");
        assertThat(complete(scratch, "checkpoint", "status", "ckpt", "--run", "")).containsExactly("r1");
        assertThat(complete(scratch, "checkpoint", "wait", "other", "--run", "r2", "--step", "")).containsExactly("3");
        assertThat(complete(scratch, "checkpoint", "show", "nosuch", "--run", "")).isEmpty();
        assertThat(complete(scratch, "bench", "show", "")).hasSize(2).contains("last");
        assertThat(complete(scratch, "bench", "compare", "last", "la")).containsExactly("last");
        assertThat(complete(scratch, "bench", "baseline", "check", "")).isEmpty();
        assertThat(scratch.run("bench baseline save nightly").status()).isZero();
        assertThat(complete(scratch, "bench", "baseline", "check", "n")).containsExactly("nightly");
        assertThat(complete(scratch, "bench", "report", "last", "n")).containsExactly("nightly");
        assertThat(complete(scratch, "bench", "run", "loader", "--model", "re")).containsExactly("resnet50");
        assertThat(complete(scratch, "job", "show", "")).isEmpty();
        Path job = Files.createDirectories(scratch.home().resolve("state/jobs/j4"));
        Files.writeString(job.resolve("job.json"),
                "{\"title\": \"t\", \"command\": [], \"directory\": \"/\", \"started\": \"2026-01-01T00:00:00Z\"}");
        assertThat(complete(scratch, "job", "wait", "")).containsExactly("j4");
        assertThat(complete(scratch, "job", "start", "volume", "show", "c")).as("a command in a command")
                .containsExactly("ckpt");
        assertThat(complete(scratch, "job", "start", "--ti")).containsExactly("--title");
    }
}
