package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.fuse.HomeProcesses;

/** However much goes through a mount, its process takes no more memory than its budgets add up to. */
@Tag("memory")
final class MountMemoryTest {
    private static final long MIB = 1 << 20;
    private static final long TRAFFIC = (Boolean.getBoolean("volsh.long") ? 20L << 10 : 640) * MIB;
    private static final long FILE = 160 * MIB;
    private static final int PIECE = (int) (4 * MIB);
    /** Heap and its collector 320, buffers for blocks of 4 MiB 160, the cache 64, the program and its threads 160. */
    private static final long BUDGET = (320 + 160 + 64 + 160) * MIB;

    @TempDir
    Path directory;

    @AfterEach
    void clean() throws IOException {
        volsh("umount", "--all", "--lazy");
        HomeProcesses.awaitEnd(directory);
    }

    private Image.Ran volsh(String... arguments) throws IOException {
        return Image.built().run(Map.of("VOLSH_HOME", directory.resolve("home").toString()), arguments);
    }

    @Test
    void memoryStaysWithinItsBudgets() throws IOException {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")) && "root".equals(System.getProperty("user.name")),
                "needs root and /dev/fuse");
        var mountPoint = Files.createDirectory(directory.resolve("mnt"));
        assertThat(volsh("volume", "create", "data").exit()).isZero();
        assertThat(volsh("mount", "data", mountPoint.toString(), "--cache-memory", "64MiB", "--wait-ready", "100s")
                .exit()).isZero();
        var pid = volsh("mounts", "list", "-o", "value:pid").out().strip();
        long moved = 0;
        for (int i = 0; moved < TRAFFIC; i++) {
            var file = mountPoint.resolve("f" + i % 3);
            write(file, i);
            read(file, i);
            moved += 2 * FILE;
        }
        long peak = peak(pid);
        System.out.printf("mount memory: %d MiB at most, after %d MiB of traffic%n", peak / MIB, moved / MIB);
        assertThat(peak).as("bytes of memory at most").isLessThan(BUDGET);
        assertThat(volsh("umount", mountPoint.toString()).exit()).isZero();
    }

    private static void write(Path path, long seed) throws IOException {
        var piece = ByteBuffer.wrap(noise(seed));
        try (var file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (long at = 0; at < FILE; at += PIECE) {
                file.write(piece.rewind(), at);
            }
            file.force(false);
        }
    }

    private static void read(Path path, long seed) throws IOException {
        byte[] right = noise(seed);
        var piece = ByteBuffer.allocate(PIECE);
        try (var file = FileChannel.open(path, StandardOpenOption.READ)) {
            for (long at = 0; at < FILE; at += PIECE) {
                piece.clear();
                while (piece.hasRemaining() && file.read(piece, at + piece.position()) >= 0) {
                    // until it is full
                }
                assertThat(Arrays.equals(piece.array(), right)).as("%s at %d", path, at).isTrue();
            }
        }
    }

    private static byte[] noise(long seed) {
        byte[] bytes = new byte[PIECE];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    private static long peak(String pid) throws IOException {
        List<String> status = Files.readAllLines(Path.of("/proc", pid, "status"));
        var line = status.stream().filter(each -> each.startsWith("VmHWM:")).findFirst().orElseThrow();
        return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
    }
}
