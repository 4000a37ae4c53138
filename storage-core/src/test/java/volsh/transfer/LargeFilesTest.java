package volsh.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.vfs.Vfs;
import volsh.volume.Volume;

/** Files of several blocks, which are stored side by side as they are read. */
final class LargeFilesTest {
    private static final int BLOCK = 1 << 20;
    private static final int PART = 128 << 10;

    @TempDir
    Path directory;

    private Workspace workspace;
    private Volume volume;

    @BeforeEach
    void prepare() throws Exception {
        workspace = new Workspace(directory);
        volume = workspace.create("data", BLOCK);
    }

    @AfterEach
    void close() throws Exception {
        volume.close();
    }

    private Path source(byte[] bytes) throws Exception {
        return Files.write(workspace.local("source"), bytes);
    }

    private boolean isThere(String path) throws Exception {
        return volume.paths().place(path).found().isPresent();
    }

    /** Puts and gets a file; what was moved is counted once. */
    private void comesBack(byte[] bytes) throws Exception {
        var moved = new AtomicLong();
        Workspace.put(volume, source(bytes), "file", new Observer() {
            @Override
            public void done(long files, long count) {
                moved.addAndGet(count);
            }
        });
        assertThat(moved).hasValue(bytes.length);
        var copy = workspace.local("copy");
        Workspace.get(volume, "/file", copy, Observer.NONE);
        assertThat(Files.readAllBytes(copy)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {2 * BLOCK, 2 * BLOCK + 1, 3 * BLOCK - 1, 40 * BLOCK + 12345})
    void aBlockEach(int size) throws Exception {
        comesBack(Workspace.noise(size, size));
        volume.close();   // gives back what is no longer needed
        assertThat(workspace.blocks()).isEqualTo((size + BLOCK - 1) / BLOCK);
        volume = workspace.open("data");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void runsOfZerosAnywhere(long seed) throws Exception {
        var random = new Random(seed);
        byte[] bytes = Workspace.noise(9 * BLOCK + random.nextInt(BLOCK), seed);
        for (int i = 0; i < 6; i++) {
            int from = random.nextInt(bytes.length / PART) * PART;
            int to = Math.min(bytes.length, from + (1 + random.nextInt(12)) * PART);
            Arrays.fill(bytes, from, to, (byte) 0);
        }
        if (seed > 4) {
            Arrays.fill(bytes, bytes.length - 2 * BLOCK, bytes.length, (byte) 0);
        }
        comesBack(bytes);
        assertThat(volume.paths().resolve("/file").allocated()).isLessThan(bytes.length);
    }

    @Test
    void aBlockEachFromAStreamToo() throws Exception {
        byte[] bytes = Workspace.noise(60 * BLOCK, 3);
        try (var put = new Put(volume.vfs(), Optional.empty(), 1, Observer.NONE)) {
            put.add(new ByteArrayInputStream(bytes), Vfs.ROOT, Name.of("file"), 0644, Owner.ROOT);
            put.finish();
        }
        assertThat(workspace.blocks()).isEqualTo(60);
        var copy = workspace.local("copy");
        Workspace.get(volume, "/file", copy, Observer.NONE);
        assertThat(Files.readAllBytes(copy)).isEqualTo(bytes);
    }

    @Test
    void whatCannotBeReadAnywhereIsReadInTurn() throws Exception {
        byte[] bytes = Workspace.noise(5 * BLOCK + 3, 4);
        var source = source(bytes);
        Workspace.output(directory, "mkfifo", "pipe");
        var writer = new ProcessBuilder("sh", "-c", "cat \"$0\" > pipe", source.toString())
                .directory(directory.toFile()).start();
        try (var pipe = new FileInputStream(workspace.local("pipe").toFile());
                var put = new Put(volume.vfs(), Optional.empty(), 1, Observer.NONE)) {
            put.add(pipe, Vfs.ROOT, Name.of("file"), 0644, Owner.ROOT);
            put.finish();
        }
        assertThat(writer.waitFor()).isZero();
        var copy = workspace.local("copy");
        Workspace.get(volume, "/file", copy, Observer.NONE);
        assertThat(Files.readAllBytes(copy)).isEqualTo(bytes);
    }

    @Test
    void nothingButZeros() throws Exception {
        comesBack(new byte[5 * BLOCK]);
        assertThat(volume.paths().resolve("/file").allocated()).isZero();
    }

    @Test
    void whatIsCancelledIsNotThere() throws Exception {
        var moved = new AtomicLong();
        var observer = new Observer() {
            @Override
            public void done(long files, long count) {
                moved.addAndGet(count);
            }

            @Override
            public boolean cancelled() {
                return moved.get() >= 5 * BLOCK;
            }
        };
        var source = source(Workspace.noise(60 * BLOCK, 1));
        assertThatThrownBy(() -> Workspace.put(volume, source, "file", observer))
                .isInstanceOf(InterruptedIOException.class);
        assertThat(isThere("/file")).isFalse();
        assertThat(moved.get()).as("it stopped soon").isLessThan(30 * BLOCK);
        volume.close();
        assertThat(workspace.blocks()).as("what was stored is given back").isZero();
        volume = workspace.open("data");
    }

    @Test
    void whatBecomesShorterIsReadAgain() throws Exception {
        byte[] bytes = Workspace.noise(20 * BLOCK, 2);
        var source = source(bytes);
        var cut = new AtomicBoolean();
        Workspace.put(volume, source, "file", new Observer() {
            @Override
            public void done(long files, long count) {
                if (cut.compareAndSet(false, true)) {
                    truncate(source, 3 * BLOCK + 5);
                }
            }
        });
        var copy = workspace.local("copy");
        Workspace.get(volume, "/file", copy, Observer.NONE);
        assertThat(Files.readAllBytes(copy)).isEqualTo(Arrays.copyOf(bytes, 3 * BLOCK + 5));
    }

    private static void truncate(Path file, long size) {
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(size);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
