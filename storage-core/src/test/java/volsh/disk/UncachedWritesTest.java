package volsh.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whichever way large files are written, the bytes are the same. */
final class UncachedWritesTest {
    private static final int MEGABYTE = 1 << 20;

    @TempDir
    Path root;

    private final Disk disk = new OsDisk();

    /** A buffer of random bytes whose memory begins so many bytes behind a page. */
    private static ByteBuffer noise(int size, int shift) {
        byte[] bytes = new byte[size];
        new SplittableRandom(size).nextBytes(bytes);
        var memory = ByteBuffer.allocateDirect(size + 8192).alignedSlice(4096).slice(shift, size);
        return memory.put(bytes).flip();
    }

    private void comesBack(String name, ByteBuffer source, long position) throws IOException {
        var path = root.resolve(name);
        var expected = source.duplicate();
        try (var file = disk.create(path, source.remaining())) {
            file.write(source, position);
            assertThat(source.hasRemaining()).isFalse();
            file.sync();
        }
        byte[] there = Files.readAllBytes(path);
        assertThat(there.length).isEqualTo(position + expected.remaining());
        assertThat(ByteBuffer.wrap(there, (int) position, expected.remaining()).equals(expected)).as(name).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4096, MEGABYTE - 1, MEGABYTE, MEGABYTE + 1, MEGABYTE + 4096, 4 * MEGABYTE + 837,
            5 * MEGABYTE - 1})
    void everySize(int size) throws Exception {
        comesBack("aligned", noise(size, 0), 0);
        comesBack("shifted", noise(size, 16), 0);
        comesBack("elsewhere", noise(size, 0), 512);
        comesBack("later", noise(size, 0), 8192);
        byte[] heap = new byte[size];
        noise(size, 0).get(heap);
        comesBack("heap", ByteBuffer.wrap(heap), 0);
    }

    @Test
    void aChannelThatRefusesLeavesItAllToTheOrdinaryWay() throws Exception {
        var writes = new UncachedWrites();
        var path = Files.createFile(root.resolve("file"));
        var source = noise(MEGABYTE, 0);
        try (var readOnly = java.nio.channels.FileChannel.open(path, java.nio.file.StandardOpenOption.WRITE)) {
            writes.write(readOnly, source, 0);
            assertThat(source.hasRemaining()).as("the control: a channel that takes it").isFalse();
        }
        assertThat(writes.open(root.resolve("missing"), MEGABYTE)).isEmpty();
        source.rewind();
        assertThat(writes.open(path, MEGABYTE)).as("refused once, not tried again").isEmpty();
    }
}
