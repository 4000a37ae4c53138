package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.vfs.PosixContract.noise;
import static volsh.vfs.PosixContract.refused;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import volsh.fs.FsError;

/** {@code copy_file_range}: the bytes of one file become the bytes of another, shared where they can be. */
public interface CopyContract extends PosixContract {
    private byte[] copied(byte[] source, int from, byte[] target, int to, int length) {
        byte[] right = Arrays.copyOf(target, Math.max(target.length, to + length));
        System.arraycopy(source, from, right, to, length);
        return right;
    }

    @Test
    default void rangesAreCopiedWhereverTheyLie() throws Exception {
        int block = blockSize();
        byte[] source = noise(3 * block + 100, 1);
        int[][] ranges = {{0, 0, 3 * block + 100}, {0, block / 2, block}, {block - 7, 13, 2 * block}, {5, 5, 1},
                {block, 3 * block, 50}};
        fs().save("/a", source);
        for (int[] range : ranges) {
            byte[] target = noise(block + 50, 2);
            fs().save("/b", target);
            int from = fs().open("/a", Posix.READ, 0);
            int to = fs().open("/b", Posix.READ_WRITE, 0);
            assertThat(fs().copyRange(from, range[0], to, range[1], range[2])).isEqualTo(range[2]);
            assertThat(Arrays.mismatch(fs().load(to), copied(source, range[0], target, range[1], range[2])))
                    .isEqualTo(-1);
            fs().close(from);
            fs().close(to);
        }
        assertThat(Arrays.mismatch(fs().load("/a"), source)).isEqualTo(-1);
    }

    @Test
    default void smallFilesAreCopiedToo() throws Exception {
        fs().save("/a", "small");
        fs().save("/b", noise(20_000, 2));
        fs().save("/c", "tiny");
        for (var pair : new String[][] {{"/a", "/b"}, {"/b", "/c"}, {"/a", "/c"}}) {
            byte[] source = fs().load(pair[0]);
            byte[] target = fs().load(pair[1]);
            int from = fs().open(pair[0], Posix.READ, 0);
            int to = fs().open(pair[1], Posix.READ_WRITE, 0);
            fs().copyRange(from, 0, to, 2, 1 << 20);
            assertThat(fs().load(to)).isEqualTo(copied(source, 0, target, 2, source.length));
            fs().close(from);
            fs().close(to);
        }
    }

    /** The target is in more pieces than one transaction can replace. */
    @Test
    default void aCopyOverManyExtents() throws Exception {
        byte[] right = noise(2 << 20, 1);
        fs().save("/b", right);
        int to = fs().open("/b", Posix.READ_WRITE, 0);
        for (int i = 0; i < 400; i++) {
            fs().pwrite(to, noise(1000, i), 5000 * i);
            System.arraycopy(noise(1000, i), 0, right, 5000 * i, 1000);
        }
        fs().fsync(to);
        byte[] source = noise(1_900_000, 3);
        fs().save("/a", source);
        int from = fs().open("/a", Posix.READ_WRITE, 0);
        fs().copyRange(from, 100, to, 3, 1_800_000);
        right = copied(source, 100, right, 3, 1_800_000);
        assertThat(Arrays.mismatch(fs().load(to), right)).isEqualTo(-1);
        fs().copyRange(to, 0, from, 0, 2 << 20);
        assertThat(Arrays.mismatch(fs().load(from), right)).isEqualTo(-1);
        fs().close(from);
        fs().close(to);
    }

    @Test
    default void holesAreCopiedAsHoles() throws Exception {
        int block = blockSize();
        int from = fs().open("/a", Posix.READ_WRITE | Posix.CREATE, 0644);
        fs().pwrite(from, noise(block, 1), block);
        fs().ftruncate(from, 4L * block);
        fs().save("/b", noise(4 * block, 2));
        int to = fs().open("/b", Posix.READ_WRITE, 0);
        assertThat(fs().copyRange(from, 0, to, 0, 4L * block)).isEqualTo(4L * block);
        assertThat(Arrays.mismatch(fs().load(to), fs().load(from))).isEqualTo(-1);
        assertThat(fs().fstat(to).allocated()).isLessThan(2L * block);
        fs().close(from);
        fs().close(to);
    }

    @Test
    default void copiesAreIndependent() throws Exception {
        int block = blockSize();
        byte[] right = noise(2 * block, 1);
        fs().save("/a", right);
        fs().save("/b", "");
        int from = fs().open("/a", Posix.READ_WRITE, 0);
        int to = fs().open("/b", Posix.READ_WRITE, 0);
        fs().copyRange(from, 0, to, 0, 2L * block);
        fs().pwrite(from, noise(100, 2), block - 50);
        fs().fsync(from);
        assertThat(Arrays.mismatch(fs().load(to), right)).isEqualTo(-1);
        fs().close(from);
        fs().unlink("/a");
        assertThat(Arrays.mismatch(fs().load(to), right)).isEqualTo(-1);
        fs().close(to);
        assertThat(Arrays.mismatch(fs().load("/b"), right)).isEqualTo(-1);
    }

    @Test
    default void sharedBytesAreStoredOnce() throws Exception {
        int block = blockSize();
        fs().save("/a", noise(3 * block, 1));
        var before = blocks();
        int from = fs().open("/a", Posix.READ, 0);
        int to = fs().open("/b", Posix.READ_WRITE | Posix.CREATE, 0644);
        fs().copyRange(from, 0, to, 0, 3L * block);
        fs().fsync(to);
        fs().close(from);
        fs().close(to);
        assertThat(blocks()).isEqualTo(before);
        assertThat(Arrays.mismatch(fs().load("/b"), fs().load("/a"))).isEqualTo(-1);
    }

    @Test
    default void copiesEndWithTheSource() throws Exception {
        fs().save("/a", "hello");
        int from = fs().open("/a", Posix.READ_WRITE, 0);
        int to = fs().open("/b", Posix.READ_WRITE | Posix.CREATE, 0644);
        assertThat(fs().copyRange(from, 3, to, 0, 100)).isEqualTo(2);
        assertThat(fs().copyRange(from, 5, to, 0, 100)).isZero();
        assertThat(fs().copyRange(from, 1 << 30, to, 0, 100)).isZero();
        assertThat(fs().load(to)).isEqualTo(PosixContract.bytes("lo"));
        refused(FsError.INVALID, () -> fs().copyRange(from, 0, from, 2, 5));
        refused(FsError.INVALID, () -> fs().copyRange(from, -1, to, 0, 5));
        refused(FsError.INVALID, () -> fs().copyRange(from, 0, to, -1, 5));
        refused(FsError.FILE_TOO_BIG, () -> fs().copyRange(from, 0, to, (1L << 60) - 2, 5));
        fs().copyRange(from, 0, from, 5, 5);
        assertThat(fs().load(from)).isEqualTo(PosixContract.bytes("hellohello"));
        fs().close(from);
        fs().close(to);
    }
}
