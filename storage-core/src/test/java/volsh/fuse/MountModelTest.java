package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.meta.MetadataAudit;
import volsh.meta.memory.MemoryMetaEngine;
import volsh.vfs.ManualClock;
import volsh.vfs.MountPosix;
import volsh.vfs.Program;
import volsh.vfs.RandomCalls;
import volsh.vfs.ReferencePosix;
import volsh.vfs.SeedList;
import volsh.vfs.TestVolume;

/** Random system calls on a mount and on the {@link ReferencePosix}: every answer and refusal is the same, times included. */
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

        Run(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
        }

        void run() throws IOException {
            int inline = new int[] {0, 700, 4096}[random.nextInt(3)];
            var settings = new ChunkSettings(4096, inline, 20480L * (2 + random.nextInt(6)));
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
            try (var mount = TestMount.of(volume.vfs(), temporary, clock); var posix = new MountPosix(mount.directory())) {
                var actual = new Program(posix);
                assertThat(actual.tree()).as(story("mounted")).isEqualTo(expected.tree());
                var calls = new RandomCalls(random, 12 * 4096, 4096);
                for (int i = 0; i < CALLS / 3; i++) {
                    clock.advance(Duration.ofMillis(random.nextInt(50)));
                    step(calls.next(expected.openFiles()), expected, actual);
                }
                assertThat(actual.tree()).as(story("end")).isEqualTo(expected.tree());
                expected.closeAll();
                actual.closeAll();
            }
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

        /** Of two reasons to refuse the kernel may name another than the model; {@link MountDifferentialTest} compares those. */
        private static boolean isRefusal(String answer) {
            return answer.startsWith("refused");
        }

        private String story(String when) {
            return "seed %d, %s%n%s%n".formatted(seed, when, String.join("\n", log));
        }
    }
}
