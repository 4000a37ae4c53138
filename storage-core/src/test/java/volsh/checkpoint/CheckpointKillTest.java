package volsh.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Access;
import volsh.catalog.VolumeDraft;
import volsh.fs.Owner;
import volsh.meta.ChildJvm;
import volsh.unit.ByteSize;
import volsh.vfs.Vfs;

/**
 * A process that saves, prunes and restores is killed again and again: what is listed is whole, and what it said is
 * true.
 */
@Timeout(1800)
@Tag("crash")
final class CheckpointKillTest {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");
    private static final int ROUNDS = LONG ? 200 : 4;

    @TempDir
    Path directory;

    @Test
    void whatIsListedIsWholeWheneverItsWriterDies() throws Exception {
        long seed = System.nanoTime();
        System.out.println("checkpoint kill seed " + seed);
        var random = new Random(seed);
        CheckpointsTest.volumes(directory).create(VolumeDraft.named("ckpts").withBlockSize(ByteSize.of("64KiB")));
        int killed = 0;
        long said = 0;
        for (int round = 0; round < ROUNDS; round++) {
            var lines = new ArrayList<String>();
            try (var writer = ChildJvm.start(directory, Writer.class, directory, round)) {
                assertThat(writer.line()).isEqualTo("ready");
                for (int awaited = random.nextInt(4); awaited > 0; awaited--) {
                    lines.add(writer.line());
                }
                Thread.sleep(random.nextInt(300));
                writer.kill();
                lines.addAll(writer.lines());
                killed += writer.exitCode() == 137 ? 1 : 0;
            }
            said += lines.stream().filter(line -> line.startsWith("saved ")).count();
            audit(lines);
        }
        assertThat(killed).as("writers that were killed").isEqualTo(ROUNDS);
        assertThat(said).as("checkpoints that were acknowledged").isPositive();
        System.out.printf("checkpoint kills: %d, %d saves acknowledged%n", killed, said);
        Orphans.assertNone(directory);
        orphanIsNoticed();
    }

    /** The control: an object that nobody knows. */
    private void orphanIsNoticed() throws IOException {
        try (var files = Files.walk(directory.resolve("home"))) {
            Path object = files.filter(file -> file.getFileName().toString().matches("[0-9a-f]{16}")).findFirst()
                    .orElseThrow();
            Files.copy(object, object.resolveSibling("00ffffffffffff" + object.getParent().getFileName()));
        }
        assertThatThrownBy(() -> Orphans.assertNone(directory)).isInstanceOf(AssertionError.class);
    }

    private void audit(List<String> lines) throws IOException {
        try (var volume = CheckpointsTest.volumes(directory).open("ckpts", Access.WRITE, "test")) {
            var checkpoints = CheckpointsTest.checkpoints(volume, InstantSource.system());
            var all = checkpoints.list(Optional.empty());
            assertThat(all).allMatch(Checkpoint::valid);
            for (var one : all) {
                assertThat(checkpoints.verify(one)).as(one.path()).isEmpty();
            }
            var steps = all.stream().map(Checkpoint::step).toList();
            for (String line : lines) {
                long step = Long.parseLong(line.substring(line.indexOf(' ') + 1));
                if (line.startsWith("saved ") && !lines.contains("going " + step)) {
                    assertThat(steps).as("acknowledged").contains(step);
                }
            }
            if (!all.isEmpty()) {
                assertThat(checkpoints.find("r1", OptionalLong.empty()).valid()).isTrue();
                assertThat(volume.paths().resolve("/r1/latest/weights.bin").size()).isEqualTo(300_000);
            }
            new Workplace(volume.vfs(), new Tree(volume.vfs(), Owner.ROOT))
                    .clean(java.time.Instant.now(), volsh.transfer.Observer.NONE);
            var tree = new Tree(volume.vfs(), Owner.ROOT);
            assertThat(tree.entries(tree.directory(Vfs.ROOT, Workplace.NAME, 0700))).as("left over").isEmpty();
        }
        try (var files = Files.list(directory)) {
            assertThat(files.filter(path -> Files.isDirectory(path) && path.getFileName().toString().equals("resume")))
                    .allSatisfy(path -> assertThat(path.resolve("weights.bin")).exists());
        }
    }

    /** Saves without end, and keeps the newest two. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] args) throws IOException {
            Path directory = Path.of(args[0]);
            long round = Long.parseLong(args[1]);
            try (var volume = CheckpointsTest.volumes(directory).open("ckpts", Access.WRITE, "test")) {
                var checkpoints = CheckpointsTest.checkpoints(volume, InstantSource.system());
                Path model = CheckpointsTest.model(directory, round);
                System.out.println("ready");
                for (long step = round * 100_000;; step++) {
                    checkpoints.save("r1", step, model, Map.of(), false);
                    System.out.println("saved " + step);
                    for (var spare : checkpoints.spare("r1", Retention.of("last=2"))) {
                        System.out.println("going " + spare.step());
                        checkpoints.destroy(spare);
                    }
                    checkpoints.restore(checkpoints.find("r1", OptionalLong.empty()), directory.resolve("resume"),
                            true);
                }
            }
        }
    }
}
