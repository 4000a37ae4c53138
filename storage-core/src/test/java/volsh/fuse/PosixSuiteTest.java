package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.meta.EngineKind;
import volsh.vfs.TestVolume;

/**
 * What POSIX and Linux say of each call, by the suite {@code posix-suite.py}: more than a thousand checks of results,
 * error numbers, other users' permissions, times and links. It runs on the disk too, which shows that the suite is
 * right.
 */
@Tag("mount")
final class PosixSuiteTest {
    private static final int CHECKS_MIN = 1_600;
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    @TempDir
    private Path temporary;

    @TestFactory
    Stream<DynamicTest> onAMount() throws Exception {
        var settings = new ChunkSettings(64 << 10, 4096, 4 << 20);
        try (var executor = Executors.newFixedThreadPool(2);
                var engine = SqliteMetaEngine.create(temporary.resolve("meta.db"));
                var volume = TestVolume.open(engine, new MemoryBlockStore(), settings, executor,
                        InstantSource.system());
                var mount = TestMount.of(volume.vfs(), temporary, InstantSource.system())) {
            var lines = run(mount.directory(), Files.createDirectory(temporary.resolve("other")));
            assertThat(volume.audit()).isEmpty();
            return tests(lines);
        }
    }

    @TestFactory
    Stream<DynamicTest> onAMountOnPostgres() throws Exception {
        var settings = new ChunkSettings(64 << 10, 4096, 4 << 20);
        try (var executor = Executors.newFixedThreadPool(2);
                var engine = EngineKind.postgres();
                var volume = TestVolume.open(engine, new MemoryBlockStore(), settings, executor,
                        InstantSource.system());
                var mount = TestMount.of(volume.vfs(), temporary, InstantSource.system(),
                        usual -> usual.withTimeout(Duration.ZERO))) {
            var lines = run(mount.directory(), Files.createDirectory(temporary.resolve("other")));
            assertThat(volume.audit()).isEmpty();
            return tests(lines);
        }
    }

    /** Parts that differ with libfuse have to, in the way that is listed. */
    @TestFactory
    Stream<DynamicTest> onAMountThroughLibfuse() throws Exception {
        var settings = new ChunkSettings(64 << 10, 4096, 4 << 20);
        try (var executor = Executors.newFixedThreadPool(2);
                var engine = SqliteMetaEngine.create(temporary.resolve("meta.db"));
                var volume = TestVolume.open(engine, new MemoryBlockStore(), settings, executor,
                        InstantSource.system());
                var mount = TestMount.jnr(volume.vfs(), temporary, InstantSource.system())) {
            var lines = run(mount.directory(), Files.createDirectory(temporary.resolve("other")));
            assertThat(volume.audit()).isEmpty();
            return lines.stream().map(PosixSuiteTest::testThroughLibfuse);
        }
    }

    private static DynamicTest testThroughLibfuse(String line) {
        var difference = LibfuseDifferences.POSIX_SUITE.get(part(line));
        return DynamicTest.dynamicTest(part(line), () -> {
            if (difference == null) {
                assertThat(line).startsWith("ok ");
            } else {
                assertThat(line).as(difference.reason()).startsWith("not ok ").contains(difference.failure());
            }
        });
    }

    private static String part(String line) {
        return line.replaceFirst("^(not )?ok ", "").split(" ")[0];
    }

    @TestFactory
    Stream<DynamicTest> onTheDisk() throws Exception {
        var other = Files.createTempDirectory(SHARED_MEMORY, "volsh");
        try {
            return tests(run(Files.createDirectory(temporary.resolve("disk")), other));
        } finally {
            Files.delete(other);
            Programs.shell(temporary, "rm -rf disk");   // its paths are too long for Java
        }
    }

    private List<String> run(Path directory, Path other) throws IOException, InterruptedException {
        var script = Programs.resource("/volsh/fuse/posix-suite.py", temporary);
        return Programs.run(temporary, "python3", script.toString(), directory.toString(), other.toString()).lines()
                .toList();
    }

    private static Stream<DynamicTest> tests(List<String> lines) {
        int checks = lines.stream().filter(line -> line.startsWith("ok "))
                .mapToInt(line -> Integer.parseInt(line.split(" ")[2])).sum();
        var each = lines.stream().map(line -> DynamicTest.dynamicTest(
                part(line), () -> assertThat(line).startsWith("ok ")));
        return Stream.concat(each,
                Stream.of(DynamicTest.dynamicTest("checks", () -> assertThat(checks).isGreaterThan(CHECKS_MIN))));
    }
}
