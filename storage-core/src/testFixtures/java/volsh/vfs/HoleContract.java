package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.vfs.Posix.KEEP_SIZE;
import static volsh.vfs.Posix.PUNCH_HOLE;
import static volsh.vfs.Posix.ZERO_RANGE;
import static volsh.vfs.PosixContract.bytes;
import static volsh.vfs.PosixContract.noise;
import static volsh.vfs.PosixContract.refused;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import volsh.fs.FsError;

/** Sparse files: what was never written reads as zeros and takes no room. */
public interface HoleContract extends PosixContract {
    @Test
    default void writesFarOutLeaveAHole() throws Exception {
        int file = fs().open("/f", Posix.READ_WRITE | Posix.CREATE, 0644);
        long far = (1L << 60) - 5;
        fs().pwrite(file, bytes("hello"), far);
        fs().pwrite(file, bytes("middle"), 1L << 40);
        fs().pwrite(file, bytes("start"), 0);
        for (int round = 0; round < 2; round++) {
            byte[] target = new byte[12];
            assertThat(fs().fstat(file).size()).isEqualTo(1L << 60);
            assertThat(fs().pread(file, target, far - 3)).isEqualTo(8);
            assertThat(target).startsWith(bytes("\0\0\0hello"));
            assertThat(fs().pread(file, target, (1L << 40) - 2)).isEqualTo(12);
            assertThat(target).isEqualTo(bytes("\0\0middle\0\0\0\0"));
            assertThat(fs().pread(file, target, 1L << 50)).isEqualTo(12);
            assertThat(target).containsOnly(0);
            fs().fsync(file);
        }
        assertThat(fs().fstat(file).allocated()).isBetween(16L, 1L << 20);
        fs().close(file);
    }

    @Test
    default void allocatedFollowsTheBytesThatAreThere() throws Exception {
        int block = blockSize();
        int file = fs().open("/f", Posix.READ_WRITE | Posix.CREATE, 0644);
        fs().ftruncate(file, 100L * block);
        assertThat(fs().fstat(file).allocated()).isZero();
        fs().pwrite(file, noise(block, 1), 10L * block);
        fs().pwrite(file, noise(block, 2), 20L * block);
        fs().fsync(file);
        assertThat(fs().fstat(file).allocated()).isBetween(2L * block, 2L * block + 8192);
        fs().pwrite(file, noise(block, 3), 20L * block);
        fs().fsync(file);
        assertThat(fs().fstat(file).allocated()).isBetween(2L * block, 2L * block + 8192);
        fs().fallocate(file, PUNCH_HOLE | KEEP_SIZE, 10L * block, block);
        assertThat(fs().fstat(file).allocated()).isBetween((long) block, block + 8192L);
        fs().ftruncate(file, 0);
        assertThat(fs().fstat(file).allocated()).isZero();
        fs().close(file);
    }

    @Test
    default void punchedRangesReadAsZeros() throws Exception {
        int block = blockSize();
        for (int size : new int[] {3000, 20_000, 2 * block + 500}) {
            byte[] right = noise(size, size);
            fs().save("/f", right);
            int file = fs().open("/f", Posix.READ_WRITE, 0);
            fs().fallocate(file, PUNCH_HOLE | KEEP_SIZE, 1000, 500);
            Arrays.fill(right, 1000, 1500, (byte) 0);
            fs().fallocate(file, PUNCH_HOLE | KEEP_SIZE, size - 100, 10_000);
            Arrays.fill(right, size - 100, size, (byte) 0);
            fs().pwrite(file, bytes("inside"), 1100);
            System.arraycopy(bytes("inside"), 0, right, 1100, 6);
            assertThat(fs().load(file)).isEqualTo(right);
            fs().close(file);
            assertThat(fs().load("/f")).isEqualTo(right);
        }
    }

    @Test
    default void zeroRangeMayMakeTheFileLonger() throws Exception {
        fs().save("/f", noise(5000, 1));
        int file = fs().open("/f", Posix.READ_WRITE, 0);
        fs().fallocate(file, ZERO_RANGE | KEEP_SIZE, 4000, 5000);
        assertThat(fs().fstat(file).size()).isEqualTo(5000);
        fs().fallocate(file, ZERO_RANGE, 3000, 5000);
        assertThat(fs().fstat(file).size()).isEqualTo(8000);
        byte[] right = Arrays.copyOf(Arrays.copyOf(noise(5000, 1), 3000), 8000);
        assertThat(fs().load(file)).isEqualTo(right);
        fs().close(file);
    }

    @Test
    default void fallocateMakesLongerAndNeverShorter() throws Exception {
        fs().save("/f", "hello");
        int file = fs().open("/f", Posix.READ_WRITE, 0);
        fs().fallocate(file, 0, 0, 3);
        assertThat(fs().fstat(file).size()).isEqualTo(5);
        fs().fallocate(file, KEEP_SIZE, 0, 1000);
        assertThat(fs().fstat(file).size()).isEqualTo(5);
        fs().fallocate(file, 0, 10, 10);
        assertThat(fs().load(file)).isEqualTo(Arrays.copyOf(bytes("hello"), 20));
        fs().close(file);
    }

    @Test
    default void impossibleRangesAreRefused() throws Exception {
        int file = fs().open("/f", Posix.READ_WRITE | Posix.CREATE, 0644);
        for (int mode : new int[] {0, PUNCH_HOLE | KEEP_SIZE, ZERO_RANGE}) {
            refused(FsError.INVALID, () -> fs().fallocate(file, mode, -1, 10));
            refused(FsError.INVALID, () -> fs().fallocate(file, mode, 0, 0));
            refused(FsError.INVALID, () -> fs().fallocate(file, mode, 0, -1));
            refused(FsError.FILE_TOO_BIG, () -> fs().fallocate(file, mode, Long.MAX_VALUE - 5, 10));
            refused(FsError.FILE_TOO_BIG, () -> fs().fallocate(file, mode, (1L << 60) - 5, 10));
        }
        refused(FsError.NOT_SUPPORTED, () -> fs().fallocate(file, PUNCH_HOLE, 0, 10));
        assertThat(fs().fstat(file).size()).isZero();
        fs().close(file);
    }

    @Test
    default void seekFindsDataAndHoles() throws Exception {
        int block = blockSize();
        int file = fs().open("/f", Posix.READ_WRITE | Posix.CREATE, 0644);
        refused(FsError.NO_MORE, () -> fs().seekData(file, 0));
        refused(FsError.NO_MORE, () -> fs().seekHole(file, 0));
        fs().ftruncate(file, 10L * block);
        fs().pwrite(file, noise(block, 1), 2L * block);
        fs().pwrite(file, noise(block, 2), 3L * block);
        fs().pwrite(file, noise(block, 3), 7L * block);
        assertThat(fs().seekData(file, 0)).isEqualTo(2L * block);
        assertThat(fs().seekData(file, 2L * block + 1)).isEqualTo(2L * block + 1);
        assertThat(fs().seekHole(file, 0)).isZero();
        assertThat(fs().seekHole(file, 2L * block)).isEqualTo(4L * block);
        assertThat(fs().seekData(file, 4L * block)).isEqualTo(7L * block);
        assertThat(fs().seekHole(file, 7L * block + 1)).isEqualTo(8L * block);
        refused(FsError.NO_MORE, () -> fs().seekData(file, 8L * block));
        assertThat(fs().seekHole(file, 8L * block)).isEqualTo(8L * block);
        refused(FsError.NO_MORE, () -> fs().seekHole(file, 10L * block));
        fs().ftruncate(file, 7L * block + 5);
        assertThat(fs().seekHole(file, 7L * block)).isEqualTo(7L * block + 5);
        fs().close(file);
    }

    /** Blocks of 4 KiB: programs look at what is between holes, and write where they found none. */
    @Test
    default void holesBeginAndEndWithBlocks() throws Exception {
        long block = Math.max(4096, blockSize());
        int file = fs().open("/f", Posix.READ_WRITE | Posix.CREATE, 0644);
        fs().ftruncate(file, 10 * block);
        fs().pwrite(file, noise(100, 1), 2 * block + 50);
        fs().pwrite(file, noise(4097, 2), 6 * block);
        fs().ftruncate(file, 10 * block - 116);
        fs().pwrite(file, noise(1, 3), 10 * block - 117);
        assertThat(fs().seekData(file, 0)).isEqualTo(2 * block);
        assertThat(fs().seekHole(file, 2 * block + 150)).isEqualTo(2 * block + 4096);
        assertThat(fs().seekData(file, 2 * block + 4095)).isEqualTo(2 * block + 4095);
        assertThat(fs().seekData(file, 2 * block + 4096)).isEqualTo(6 * block);
        assertThat(fs().seekHole(file, 6 * block)).isEqualTo(6 * block + 8192);
        assertThat(fs().seekHole(file, 10 * block - 4096)).isEqualTo(10 * block - 116);
        fs().close(file);
    }

    @Test
    default void smallFilesAreDataToTheirEnd() throws Exception {
        fs().save("/f", "hello");
        int file = fs().open("/f", Posix.READ, 0);
        assertThat(fs().seekData(file, 2)).isEqualTo(2);
        assertThat(fs().seekHole(file, 2)).isEqualTo(5);
        refused(FsError.NO_MORE, () -> fs().seekData(file, 5));
        fs().close(file);
    }
}
