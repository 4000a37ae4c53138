package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.fuse.HomeProcesses;

/**
 * A writer that outruns its store is slowed, or waits on the local disk: the process of the mount takes no more memory
 * than its budgets add up to. The store takes 50 MB/s, or 20 MB/s in the long mode, where it gets 2 GiB, and with
 * {@code --writeback}, where the journal holds them, 20 GiB; otherwise it gets 256 MiB, more than all budgets for
 * unwritten bytes together.
 */
@Tag("memory")
final class SlowStoreMemoryTest {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");
    private static final long MIB = 1 << 20;
    private static final long PLAIN = (LONG ? 2048 : 256) * MIB;
    private static final long STAGED = (LONG ? 20L << 10 : 256) * MIB;
    private static final String RATE = LONG ? "20MB/s" : "50MB/s";
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
    void whoWaitsForTheStoreTakesNoMoreMemory() throws IOException {
        writeTo(PLAIN);
    }

    @Test
    void whatWaitsInTheJournalTakesNoMemory() throws IOException {
        writeTo(STAGED, "--writeback", "--journal-size", "64GiB", "--flush-timeout", "1s");
    }

    private void writeTo(long size, String... options) throws IOException {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")) && "root".equals(System.getProperty("user.name")),
                "needs root and /dev/fuse");
        var mountPoint = Files.createDirectory(directory.resolve("mnt"));
        assertThat(volsh("store", "add", "slow", "file://" + directory.resolve("store") + "?bandwidth=" + RATE).exit())
                .isZero();
        assertThat(volsh("volume", "create", "data", "--store", "slow").exit()).isZero();
        var mount = new ArrayList<>(List.of("mount", "data", mountPoint.toString(), "--cache-memory", "64MiB",
                "--wait-ready", "100s"));
        mount.addAll(Arrays.asList(options));
        assertThat(volsh(mount.toArray(String[]::new)).exit()).isZero();
        String pid = volsh("mounts", "list", "-o", "value:pid").out().strip();
        write(mountPoint.resolve("f"), size);
        long peak = peak(pid);
        System.out.printf("mount memory: %d MiB at most, after %d MiB to a store of %s %s%n",
                peak / MIB, size / MIB, RATE, String.join(" ", options));
        assertThat(peak).as("bytes of memory at most").isBetween(MIB, BUDGET);
    }

    private static void write(Path path, long size) throws IOException {
        var bytes = new byte[PIECE];
        new SplittableRandom(1).nextBytes(bytes);
        var piece = ByteBuffer.wrap(bytes);
        try (var file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long at = 0; at < size; at += PIECE) {
                file.write(piece.rewind(), at);
            }
            file.force(false);
        }
    }

    private static long peak(String pid) throws IOException {
        List<String> status = Files.readAllLines(Path.of("/proc", pid, "status"));
        var line = status.stream().filter(each -> each.startsWith("VmHWM:")).findFirst().orElseThrow();
        return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
    }
}
