package volsh.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A script as Slurm runs it before and after a job. */
@Timeout(120)
final class PrologTest {
    @TempDir
    Path directory;

    private Workshop.Ended prolog(String text, String... options) throws IOException {
        var workshop = new Workshop(directory).with("SLURM_JOB_ID", "8841").with("SLURM_SCRIPT_CONTEXT", "prolog_task");
        var words = new ArrayList<>(java.util.List.of("run", "--prolog"));
        words.addAll(java.util.List.of(options));
        words.add(workshop.file("p.groovy", text).toString());
        return workshop.run(words.toArray(String[]::new));
    }

    private String log() throws IOException {
        return Files.readString(directory.resolve("home/state/logs/job-8841.log"));
    }

    @Test
    void standardOutputHoldsOnlyWhatSlurmReads() throws IOException {
        var ended = prolog("""
                println 'for people'
                def v = volume.ensure "ckpt-${slurm.jobId}"
                emit v
                if (slurm.context == 'prolog_task') export VOLSH_CKPT: "/mnt/${v.name}", N: 2
                """);
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).isEqualTo("export VOLSH_CKPT=/mnt/ckpt-8841\nexport N=2\n");
        assertThat(ended.err()).contains("for people", "created volume 'ckpt-8841'");
        assertThat(log()).contains("for people", "created volume 'ckpt-8841'", "exit 0 (ok)");
    }

    @Test
    void onlyZeroAndOneLeaveIt() throws IOException {
        assertThat(prolog("volume.get 'nope'").status()).isEqualTo(1);
        assertThat(log()).contains("no such volume: 'nope'", "exit 3 (failed)");
        assertThat(prolog("exit 42").status()).isEqualTo(1);
        assertThat(prolog("def x = (").status()).isEqualTo(1);
        assertThat(prolog("volume.get 'nope'", "--fail-open").status()).isZero();
        assertThat(log()).contains("failed, but the job may continue");
        assertThat(prolog("while (true) { }", "--deadline", "100ms").status()).isEqualTo(1);
        assertThat(log()).contains("the script timed out after 100ms", "exit 124");
        assertThat(prolog("exit 0").status()).isZero();
    }

    @Test
    void aNameFromOutsideIsNoPath() throws IOException {
        var workshop = new Workshop(directory).with("SLURM_JOB_ID", "../../../../etc/x");
        assertThat(workshop.run("run", "--prolog", workshop.file("p.groovy", "exit 0").toString()).status()).isZero();
        assertThat(directory.resolve("home/state/logs/job-odd.log")).exists();
    }

    /** N nodes run the same prologue at once: one makes it, the others find it, and nobody fails. */
    @Test
    void ensureConvergesUnderFiftyCallers() throws Exception {
        var workshop = new Workshop(directory);
        Path script = workshop.file("p.groovy", """
                println volume.ensure('shared', blockSize: 1.MiB, compression: 'zstd:3', label: [tier: 'gold']).change
                """);
        assertThat(workshop.run("run", script.toString()).out()).isEqualTo("created\n");
        workshop.run("volume", "destroy", "shared", "--confirm", "shared");
        var changes = new ArrayList<String>();
        try (var pool = Executors.newFixedThreadPool(50)) {
            var running = new ArrayList<Future<Workshop.Ended>>();
            for (int i = 0; i < 50; i++) {
                running.add(pool.submit(() -> workshop.run("run", "-q", script.toString())));
            }
            for (var future : running) {
                var ended = future.get();
                assertThat(ended.status()).as(ended.err()).isZero();
                changes.add(ended.out().strip());
            }
        }
        assertThat(changes).hasSize(50).containsOnlyOnce("created").filteredOn(change -> !change.equals("created"))
                .containsOnly("unchanged");
        assertThat(workshop.run("volume", "list", "-o", "name").out()).isEqualTo("shared\n");
    }
}
