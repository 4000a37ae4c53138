package volsh.command.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Access;
import volsh.checkpoint.Checkpoints;
import volsh.checkpoint.LocalStage;
import volsh.checkpoint.SaveRequest;
import volsh.command.tree.Scratch;
import volsh.fs.Owner;
import volsh.hang.Eventually;
import volsh.job.JobProcess;
import volsh.json.Json;
import volsh.transfer.Observer;

/** What {@code checkpoint status} and {@code checkpoint wait} say of a volume. */
final class CheckpointStatusTest {
    @TempDir
    Path directory;

    private Scratch scratch;
    private Path model;

    @BeforeEach
    void model() throws IOException {
        scratch = new Scratch(directory.resolve("home"));
        model = Files.createDirectory(directory.resolve("out"));
        Files.writeString(model.resolve("weights.bin"), "w".repeat(1000));
        scratch.ok("volsh volume create ckpts");
    }

    private Scratch.Ended run(String line) {
        return scratch.run("volsh checkpoint " + line);
    }

    private List<String> status(String columns) {
        return scratch.ok("volsh checkpoint status ckpts --run r1 -o csv --columns " + columns).out().lines().skip(1)
                .toList();
    }

    private Path staged() {
        return scratch.homes().state().resolve("staged");
    }

    /** A job as {@code checkpoint save --background} starts it. */
    private Path job(String id, long step, Path copy) throws IOException {
        Path place = Files.createDirectories(scratch.homes().state().resolve("jobs").resolve(id));
        Files.writeString(place.resolve("log"), "");
        Files.write(place.resolve("job.json"), Json.write(Map.of("title", "checkpoint", "directory",
                directory.toString(), "started", Instant.now().toString(), "command", List.of("checkpoint", "save",
                "ckpts", "--run", "r1", "--step", Long.toString(step), "--from", copy.toString(), "--move"))));
        return place;
    }

    @Test
    void whatIsThereAndHowSafe() {
        assertThat(run("status ckpts --run r1").err())
                .contains("nothing is being saved, and the volume has no checkpoint");
        scratch.ok("volsh checkpoint save ckpts --run r1 --step 5 --from " + model);
        scratch.ok("volsh checkpoint save ckpts --run r2 --step 8 --from " + model);
        scratch.ok("volsh checkpoint save ckpts --run r2 --step 9 --from " + model);
        assertThat(run("status ckpts --run r2 --step 8 -o value:state").out()).isEqualTo("saved\n");
        scratch.ok("volsh rm ckpts:/r2/step-000000000008/weights.bin");
        assertThat(run("status ckpts --run r2 --step 8 -o value:state").out()).isEqualTo("damaged\n");
        assertThat(run("wait ckpts --run r2 --step 8").status()).isEqualTo(7);
        assertThat(status("run,step,state,level")).containsExactly("r1,5,latest,stored");
        assertThat(run("status ckpts -o csv --columns run,step,state").out().lines().skip(1))
                .containsExactly("r1,5,latest", "r2,9,latest");
        assertThat(run("wait ckpts --run r1 -o csv --columns step,state,level").out().lines().skip(1))
                .containsExactly("5,latest,stored");
        assertThat(run("wait ckpts --run r1 --step 5 --until stored").status()).isZero();
        assertThat(run("wait ckpts --run r1 --step 5 --until committed").err()).contains("ship-metadata=on");
        scratch.ok("volsh volume set ckpts ship-metadata=on");
        assertThat(run("wait ckpts --run r1 --step 5 --until committed -o value:level").out()).isEqualTo("committed\n");
        assertThat(status("level")).containsExactly("committed");
    }

    /**
     * A process was killed between its copy and the job that would have saved it: the copy is found, with the line that
     * saves it.
     */
    @Test
    void aCopyThatNobodySaves() throws IOException {
        Path copy = new LocalStage(staged()).copy(model, new LocalStage.Purpose("ckpts", "r1", 7));
        assertThat(status("step,state,level,by"))
                .containsExactly("7,saving,staged,process " + ProcessHandle.current().pid());
        assertThat(run("wait ckpts --run r1 --timeout 1ms").status()).isEqualTo(124);
        Path left = Files.move(copy,
                copy.resolveSibling("ckpts@r1@7@%d@%s".formatted(Integer.MAX_VALUE, UUID.randomUUID())));
        assertThat(status("step,state")).containsExactly("7,lost");
        assertThat(run("status -o csv --columns volume,run,step,state").out().lines().skip(1)).as("of all volumes")
                .containsExactly("ckpts,r1,7,lost");
        var waited = run("wait ckpts --run r1");
        assertThat(waited.status()).isEqualTo(1);
        String again = "volsh checkpoint save ckpts --run r1 --step 7 --from %s --move".formatted(left);
        assertThat(waited.err()).contains(again);
        scratch.ok(again);
        assertThat(status("step,state")).containsExactly("7,latest");
        assertThat(run("wait ckpts --run r1").status()).isZero();
        assertThat(staged()).isEmptyDirectory();
    }

    @Test
    void jobsThatSaveFailOrAreGone() throws IOException {
        Path copy = new LocalStage(staged()).copy(model, new LocalStage.Purpose("ckpts", "r1", 7));
        Path place = job("j1", 7, copy);
        assertThat(status("step,state,level,by")).containsExactly("7,staged,staged,job j1");
        var process = JobProcess.claim(Map.of(JobProcess.VARIABLE, place.toString())).orElseThrow();
        assertThat(status("step,state,level,by")).containsExactly("7,saving,staged,job j1");
        var late = run("wait ckpts --run r1 --step 7 --timeout 1ms");
        assertThat(late.status()).isEqualTo(124);
        assertThat(late.err()).contains("step 7 of run 'r1' by job j1 is still being saved",
                "volsh checkpoint status ckpts --run r1 --step 7");
        assertThat(run("wait --timeout 1ms").status()).as("jobs of this home").isEqualTo(124);
        assertThat(run("wait ckpts --run r2 --timeout 1ms").status()).as("of another run").isZero();
        process.end(6, false, Instant.now());
        assertThat(status("step,state,note")).singleElement().asString().startsWith("7,failed,")
                .contains("exit 6", "volsh job log j1", copy.toString());
        var failed = run("wait ckpts --run r1 --step 7");
        assertThat(failed.status()).as("as the job did").isEqualTo(6);
        assertThat(failed.err()).contains("volsh job log j1");
        scratch.ok("volsh checkpoint save ckpts --run r1 --step 7 --from " + model);
        assertThat(status("step,state")).as("it is there by now").containsExactly("7,latest");
        assertThat(run("wait ckpts --run r1 --step 7").status()).isZero();
        Path again = job("j2", 7, model);
        var saving = JobProcess.claim(Map.of(JobProcess.VARIABLE, again.toString())).orElseThrow();
        assertThat(run("wait ckpts --run r1 --step 7 --timeout 1ms").status()).as("it may be the job's").isEqualTo(124);
        saving.end(4, false, Instant.now());
        assertThat(run("wait ckpts --run r1 --step 7").status()).isZero();
    }

    @Test
    void ranksThatAreMissing() throws Exception {
        try (var volume = scratch.volumes().open("ckpts", Access.WRITE, "test")) {
            var enough = new AtomicBoolean();
            var checkpoints = new Checkpoints("ckpts", volume.vfs(), Owner.ROOT, InstantSource.system(), 1,
                    new Observer() {
                @Override
                public boolean cancelled() {
                    return enough.get();
                }
            });
            var rank = Thread.ofPlatform().start(() -> {
                try {
                    checkpoints.saveShard(new SaveRequest("r1", 3, model), 1, 3, Duration.ofHours(1));
                } catch (IOException stopped) {
                    // as somebody asked for
                }
            });
            Eventually.value("rank 1 is there", checkpoints::underway,
                    all -> all.stream().anyMatch(one -> one.ranks().contains(1) && one.world() == 3));
            assertThat(status("step,state,by,note")).singleElement().asString().startsWith("3,gathering,1 of 3 ranks,")
                    .contains("ranks 0, 2 are missing, waiting until 2");
            assertThat(run("wait ckpts --run r1 --timeout 1ms").status()).isEqualTo(124);
            enough.set(true);
            rank.join();
        }
        assertThat(run("wait ckpts --run r1 --step 3").status()).isEqualTo(3);
    }

    @Test
    void whatCannotBeAskedFor() {
        assertThat(run("status nosuch").status()).isEqualTo(3);
        assertThat(run("status " + directory).err())
                .contains("nothing is mounted on " + directory, "volsh mounts list");
        assertThat(run("wait ckpts --step 5").status()).as("of which run?").isEqualTo(2);
        assertThat(run("wait --run r1 --step 5").status()).as("of which volume?").isEqualTo(2);
        assertThat(run("wait ckpts --run r1 --until staged").status()).isEqualTo(2);
        assertThat(run("wait ckpts --until stored").status()).isEqualTo(2);
        var nobody = run("wait ckpts --run r1 --step 5");
        assertThat(nobody.status()).isEqualTo(3);
        assertThat(nobody.err()).contains("step 5 of run 'r1' does not exist, and no process is saving it",
                "volsh checkpoint list ckpts --run r1");
        assertThat(run("wait ckpts --run r1").status()).as("nothing to wait for").isZero();
    }
}
