package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Random;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.meta.MetadataAudit;
import volsh.vfs.ManualClock;
import volsh.vfs.MountPosix;
import volsh.vfs.Posix;
import volsh.vfs.Program;
import volsh.vfs.RandomCalls;
import volsh.vfs.ReferencePosix;
import volsh.vfs.SeedList;
import volsh.vfs.TestVolume;

/**
 * Random system calls on a mount and on the {@link ReferencePosix}: every answer and refusal is the same, times
 * included.
 */
@Tag("model")
final class MountModelTest {
    private static final int CALLS = Integer.getInteger("volsh.calls", 3_000);
    private static final int LOG = 60;

    @TempDir
    private Path temporary;

    @TestFactory
    Stream<DynamicTest> agreesWithTheModel() throws IOException {
        return new SeedList("/volsh/fuse/mount-seeds.txt", 4, 100).seeds().stream()
                .map(seed -> DynamicTest.dynamicTest("seed " + seed, () -> new Run(seed).run()));
    }

    private final class Run {
        private final long seed;
        private final Random random;
        private final ManualClock clock = new ManualClock();
        private final MemoryMetaEngine engine = new MemoryMetaEngine();
        private final MemoryBlockStore store = new MemoryBlockStore();
        private final ArrayDeque<String> log = new ArrayDeque<>();
        private final Path directory;

        Run(long seed) throws IOException {
            this.directory = Files.createTempDirectory(temporary, "mnt");   // always the same: links lead there
            this.seed = seed;
            this.random = new Random(seed);
        }

        void run() throws IOException {
            int inline = new int[] {0, 700, 4096}[random.nextInt(3)];
            var settings = new ChunkSettings(4096, inline, 20480L * (2 + random.nextInt(6)), 24 << 10);
            System.out.printf("mount model seed %d: %s%n", seed, settings);
            var expected = new Program(new ReferencePosix(clock));
            try (var volume = TestVolume.open(engine, store, settings, Runnable::run, clock)) {
                for (int part = 0; part < 3; part++) {
                    part(volume, expected);
                }
            }
            assertThat(MetadataAudit.of(engine).with(store).problems()).as("seed " + seed).isEmpty();
        }

        /** Mounts, works, closes and unmounts. */
        private void part(TestVolume volume, Program expected) throws IOException {
            try (var mount = TestMount.at(directory, volume.vfs(), clock, options -> options);
                    var posix = new MountPosix(mount.directory())) {
                var actual = new Program(posix);
                assertSame(actual.tree(), expected.tree(), "mounted");
                var calls = new RandomCalls(random, 12 * 4096, 4096);
                for (int i = 0; i < CALLS / 3; i++) {
                    clock.advance(Duration.ofMillis(random.nextInt(50)));
                    var step = calls.next(expected.openFiles());
                    if (!isTheKernels(step, expected)) {
                        step(step, expected, actual);
                    }
                }
                assertSame(actual.tree(), expected.tree(), "end");
                expected.closeAll();
                actual.closeAll();
            }
        }

        private void assertSame(SortedMap<String, String> actual, SortedMap<String, String> expected, String when) {
            var differences = new ArrayList<String>();
            expected.forEach((path, right) -> {
                if (!right.equals(actual.get(path))) {
                    differences.add("%s is %s, not %s".formatted(path, actual.get(path), right));
                }
            });
            assertThat(differences).as(story(when)).isEmpty();
            assertThat(actual.keySet()).as(story(when)).isEqualTo(expected.keySet());
        }

        /**
         * Does the kernel answer otherwise than the model? To times or owners that stay, to attributes of special
         * files, and when a file is made where a link leads that leads nowhere.
         */
        private boolean isTheKernels(RandomCalls.Step step, Program expected) throws IOException {
            var words = step.text().split(" ");
            return switch (words[0]) {
                case "utimens", "futimens", "chown" ->
                    step.text().endsWith(Posix.OMIT + " " + Posix.OMIT) || step.text().endsWith(" -1:-1");
                case "getxattr", "setxattr", "listxattr", "removexattr" ->
                    !expected.run(program -> program.fs().stat(words[1])).matches("(REGULAR|DIRECTORY) .*");
                case "open" -> expected.run(program -> program.fs().lstat(words[1])).startsWith("SYMLINK")
                        && expected.run(program -> program.fs().stat(words[1])).startsWith("refused");
                default -> false;
            };
        }

        private void step(RandomCalls.Step step, Program expected, Program actual) throws IOException {
            log.addLast(step.text());
            if (log.size() > LOG) {
                log.removeFirst();
            }
            String right;
            String answer;
            try {
                right = expected.run(step.call());
                answer = actual.run(step.call());
            } catch (IOException | RuntimeException | Error failure) {
                throw new AssertionError(story(step.text()), failure);
            }
            if (!answer.equals(right) && !(isRefusal(answer) && isRefusal(right))) {
                assertThat(answer).as(story(step.text())).isEqualTo(right);
            }
        }

        /**
         * Of two reasons to refuse the kernel may name another than the model; {@link MountDifferentialTest} compares
         * those.
         */
        private static boolean isRefusal(String answer) {
            return answer.startsWith("refused");
        }

        private String story(String when) {
            return "seed %d, %s%n%s%n".formatted(seed, when, String.join("\n", log));
        }
    }
}
