package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.vfs.PosixContract.bytes;
import static volsh.vfs.PosixContract.noise;
import static volsh.vfs.PosixContract.refused;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import volsh.fs.FsError;

/** Bytes written are the bytes read. */
public interface ByteContract extends PosixContract {
    private void expect(String path, byte[] right) throws Exception {
        byte[] found = fs().load(path);
        assertThat(Arrays.mismatch(found, right)).as("first wrong byte of %s", path).isEqualTo(-1);
        assertThat(fs().stat(path).size()).isEqualTo(right.length);
    }

    @Test
    default void sizesAroundEveryBorderComeBack() throws Exception {
        int block = blockSize();
        for (int size : new int[] {0, 1, 4095, 4096, 4097, block - 1, block, block + 1, 2 * block + 3}) {
            byte[] bytes = noise(size, size);
            fs().save("/f", bytes);
            expect("/f", bytes);
        }
    }

    @Test
    default void readsStopAtTheEnd() throws Exception {
        fs().save("/f", "hello");
        int file = fs().open("/f", Posix.READ, 0);
        byte[] target = new byte[10];
        assertThat(fs().pread(file, target, 0)).isEqualTo(5);
        assertThat(fs().pread(file, target, 3)).isEqualTo(2);
        assertThat(target).startsWith(bytes("lo"));
        assertThat(fs().pread(file, target, 5)).isZero();
        assertThat(fs().pread(file, target, 1L << 40)).isZero();
        assertThat(fs().pread(file, new byte[0], 0)).isZero();
        fs().close(file);
    }

    @Test
    default void whatIsWrittenIsSeenAtOnceByEveryHandle() throws Exception {
        int writer = fs().open("/f", Posix.READ_WRITE | Posix.CREATE, 0644);
        int reader = fs().open("/f", Posix.READ, 0);
        byte[] right = new byte[0];
        for (int i = 0; i < 20; i++) {
            byte[] piece = noise(1000 + i, i);
            fs().pwrite(writer, piece, right.length);
            right = Arrays.copyOf(right, right.length + piece.length);
            System.arraycopy(piece, 0, right, right.length - piece.length, piece.length);
            assertThat(fs().load(reader)).isEqualTo(right);
            assertThat(fs().stat("/f").size()).isEqualTo(right.length);
            if (i % 7 == 3) {
                fs().fsync(writer);
            }
        }
        fs().close(writer);
        fs().close(reader);
        expect("/f", right);
    }

    @Test
    default void overlappingWritesAcrossBlockBorders() throws Exception {
        int block = blockSize();
        byte[] right = noise(3 * block, 1);
        fs().save("/f", right);
        int file = fs().open("/f", Posix.READ_WRITE, 0);
        int[][] writes = {{block - 10, 20}, {block - 5, 7}, {2 * block - 1, 2}, {0, 1}, {3 * block - 1, 100},
                {block / 2, block + 17}, {block, 1}};
        for (int[] write : writes) {
            byte[] piece = noise(write[1], write[0]);
            right = right.length < write[0] + write[1] ? Arrays.copyOf(right, write[0] + write[1]) : right;
            System.arraycopy(piece, 0, right, write[0], piece.length);
            fs().pwrite(file, piece, write[0]);
            if (write[0] % 2 == 0) {
                fs().fsync(file);
            }
        }
        fs().close(file);
        expect("/f", right);
    }

    /** Random writes of 4 KiB into 8 MiB, flushed again and again: a file of many extents. */
    @Test
    default void manySmallWritesIntoALargeFile() throws Exception {
        var random = new Random(5);
        byte[] right = noise(8 << 20, 2);
        fs().save("/f", right);
        int file = fs().open("/f", Posix.READ_WRITE, 0);
        for (int i = 0; i < 1200; i++) {
            int at = random.nextInt(right.length / 4096) * 4096;
            byte[] piece = noise(4096, i);
            System.arraycopy(piece, 0, right, at, piece.length);
            fs().pwrite(file, piece, at);
            if (i % 300 == 299) {
                fs().fsync(file);
            }
        }
        fs().close(file);
        expect("/f", right);
    }

    @Test
    default void truncateDownAndUpLeavesZeros() throws Exception {
        int block = blockSize();
        for (int size : new int[] {100, 4096, 5000, block + 100}) {
            byte[] right = noise(size, size);
            fs().save("/f", right);
            fs().truncate("/f", size / 2);
            fs().truncate("/f", size + 10);
            Arrays.fill(right, size / 2, size, (byte) 0);
            expect("/f", Arrays.copyOf(right, size + 10));
            fs().truncate("/f", 0);
            expect("/f", new byte[0]);
            fs().truncate("/f", 5);
            expect("/f", new byte[5]);
        }
    }

    @Test
    default void truncateOfUnwrittenBytes() throws Exception {
        int file = fs().open("/f", Posix.READ_WRITE | Posix.CREATE, 0644);
        fs().pwrite(file, bytes("0123456789"), 0);
        fs().ftruncate(file, 4);
        fs().pwrite(file, bytes("x"), 6);
        assertThat(fs().load(file)).isEqualTo(bytes("0123\0\0x"));
        fs().fsync(file);
        assertThat(fs().load(file)).isEqualTo(bytes("0123\0\0x"));
        fs().close(file);
        expect("/f", bytes("0123\0\0x"));
    }

    /** From inline to extents and back below the border, in every way there is. */
    @Test
    default void growingOutOfAndShrinkingIntoTheSmallest() throws Exception {
        int file = fs().open("/f", Posix.READ_WRITE | Posix.CREATE, 0644);
        byte[] right = new byte[0];
        int[] sizes = {10, 4000, 4096, 4097, 50, 9000, 1, 20_000, 0, 4096, 70_000, 3};
        for (int size : sizes) {
            if (size < right.length) {
                fs().ftruncate(file, size);
                right = Arrays.copyOf(right, size);
            } else {
                byte[] piece = noise(size - right.length, size);
                fs().pwrite(file, piece, right.length);
                int old = right.length;
                right = Arrays.copyOf(right, size);
                System.arraycopy(piece, 0, right, old, piece.length);
            }
            assertThat(fs().load(file)).isEqualTo(right);
            fs().fsync(file);
            assertThat(fs().load(file)).isEqualTo(right);
        }
        fs().close(file);
        expect("/f", right);
    }

    @Test
    default void openCanTruncate() throws Exception {
        fs().save("/f", noise(10_000, 1));
        fs().close(fs().open("/f", Posix.WRITE | Posix.TRUNCATE, 0));
        expect("/f", new byte[0]);
    }

    @Test
    default void impossibleOffsetsAndSizesAreRefused() throws Exception {
        int file = fs().open("/f", Posix.READ_WRITE | Posix.CREATE, 0644);
        refused(FsError.INVALID, () -> fs().pread(file, new byte[1], -1));
        refused(FsError.INVALID, () -> fs().pwrite(file, new byte[1], -1));
        refused(FsError.INVALID, () -> fs().ftruncate(file, -1));
        refused(FsError.INVALID, () -> fs().truncate("/f", -1));
        refused(FsError.FILE_TOO_BIG, () -> fs().ftruncate(file, (1L << 60) + 1));
        refused(FsError.FILE_TOO_BIG, () -> fs().pwrite(file, new byte[1], 1L << 60));
        assertThat(fs().fstat(file).size()).isZero();
        fs().close(file);
    }

    @Test
    default void closedFilesAreRefused() throws Exception {
        int file = fs().open("/f", Posix.READ_WRITE | Posix.CREATE, 0644);
        fs().close(file);
        refused(FsError.BAD_HANDLE, () -> fs().pread(file, new byte[1], 0));
        refused(FsError.BAD_HANDLE, () -> fs().pwrite(file, new byte[1], 0));
        refused(FsError.BAD_HANDLE, () -> fs().fsync(file));
        refused(FsError.BAD_HANDLE, () -> fs().close(file));
    }
}
