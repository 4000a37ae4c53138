package volsh.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whichever way much is read, the bytes are the same. */
final class UncachedReadsTest {
    private static final int MEGABYTE = 1 << 20;
    private static final int SIZE = 3 * MEGABYTE + 777;

    @TempDir
    Path root;

    private Path path;
    private byte[] bytes;

    /** A file that is not in the kernel's cache, but for its last bytes. */
    @BeforeEach
    void write() throws Exception {
        path = root.resolve("file");
        bytes = new byte[SIZE];
        new SplittableRandom(1).nextBytes(bytes);
        var source = ByteBuffer.allocateDirect(SIZE + 8192).alignedSlice(4096).limit(SIZE).put(bytes).flip();
        try (var file = new OsDisk().create(path, SIZE)) {
            file.write(source, 0);
            file.sync();
        }
    }

    /** Memory that begins so many bytes behind a page. */
    private static ByteBuffer memory(int length, int shift) {
        return ByteBuffer.allocateDirect(length + 3 * 4096).alignedSlice(4096).slice(shift, length);
    }

    private ByteBuffer read(UncachedReads reads, long position, ByteBuffer target) throws IOException {
        try (var cached = FileChannel.open(path, StandardOpenOption.READ)) {
            reads.read(path, cached, target, position);
        }
        return target;
    }

    private void isRight(ByteBuffer target, int position) {
        int count = target.position();
        byte[] got = new byte[count];
        target.flip().get(got);
        assertThat(Arrays.equals(got, 0, count, bytes, position, position + count)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"0,3146505", "0,2097152", "324,3146181", "324,1048576", "4096,1048577", "5000,1500000", "4095,3000000",
            "324,4000000"})
    void anyRange(int position, int length) throws Exception {
        var target = read(new UncachedReads(0), position, memory(length, position % 4096));
        assumeTrue(target.position() > 0, "this file system has no such reads");
        assertThat(target.position()).isEqualTo(Math.min(length, SIZE - position));
        isRight(target, position);
    }

    @Test
    void theOrdinaryWayForWhatDoesNotFit() throws Exception {
        var reads = new UncachedReads(0);
        assertThat(read(reads, 0, memory(MEGABYTE - 1, 0)).position()).as("small").isZero();
        assertThat(read(reads, 0, memory(MEGABYTE, 16)).position()).as("elsewhere in its page").isZero();
        assertThat(read(reads, 0, ByteBuffer.allocate(2 * MEGABYTE)).position()).as("on the heap").isZero();
        assertThat(read(new UncachedReads(0), SIZE, memory(MEGABYTE, SIZE % 4096)).position()).as("behind the end")
                .isZero();
        assertThat(read(new UncachedReads(2 * MEGABYTE), 0, memory(2 * MEGABYTE, 0)).position()).as("the first of it")
                .isZero();
    }

    @Test
    void fromTheCacheIfItIsThere() throws Exception {
        int uncached = 1;
        for (int tries = 0; tries < 10 && uncached > 0; tries++) {   // somebody may empty the kernel's caches just then
            assertThat(Files.readAllBytes(path)).isEqualTo(bytes);
            uncached = read(new UncachedReads(0), 0, memory(2 * MEGABYTE, 0)).position();
        }
        assertThat(uncached).isZero();
    }

    @Test
    void aDiskReadsTheSameBothWays() throws Exception {
        var disk = new OsDisk();
        for (int i = 0; i < 40; i++) {
            try (var file = disk.open(path)) {
                var target = memory(SIZE, 324);
                assertThat(file.read(target, 324)).isEqualTo(SIZE - 324);
                isRight(target, 324);
            }
        }
    }
}
