package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.vfs.PosixContract.bytes;
import static volsh.vfs.PosixContract.noise;
import static volsh.vfs.PosixContract.refused;

import org.junit.jupiter.api.Test;
import volsh.fs.FileKind;
import volsh.fs.FsError;

/** Several names for one file, names that are paths, and files that have lost their last name. */
public interface LinkContract extends PosixContract {
    @Test
    default void hardLinksAreOneFile() throws Exception {
        fs().mkdir("/d", 0755);
        fs().save("/a", "one");
        fs().link("/a", "/d/b");
        assertThat(fs().stat("/d/b").ino()).isEqualTo(fs().stat("/a").ino());
        assertThat(fs().stat("/a").links()).isEqualTo(2);
        fs().save("/d/b", "other");
        assertThat(fs().text("/a")).isEqualTo("other");
        fs().unlink("/a");
        assertThat(fs().stat("/d/b").links()).isEqualTo(1);
        assertThat(fs().text("/d/b")).isEqualTo("other");
        fs().unlink("/d/b");
        assertThat(fs().list("/d")).isEmpty();
    }

    @Test
    default void directoriesHaveOneName() throws Exception {
        fs().mkdir("/d", 0755);
        refused(FsError.NOT_PERMITTED, () -> fs().link("/d", "/e"));
    }

    @Test
    default void aSymbolicLinkCanHaveTwoNamesItself() throws Exception {
        fs().symlink("nowhere", "/l");
        fs().link("/l", "/m");
        assertThat(fs().lstat("/m").ino()).isEqualTo(fs().lstat("/l").ino());
        assertThat(fs().lstat("/m").links()).isEqualTo(2);
        assertThat(fs().readlink("/m")).isEqualTo("nowhere");
    }

    @Test
    default void directoriesCountTheDirectoriesInThem() throws Exception {
        fs().mkdir("/d", 0755);
        assertThat(fs().stat("/d").links()).isEqualTo(2);
        fs().mkdir("/d/a", 0755);
        fs().mkdir("/d/b", 0755);
        fs().save("/d/f", "x");
        assertThat(fs().stat("/d").links()).isEqualTo(4);
        fs().rename("/d/a", "/a");
        assertThat(fs().stat("/d").links()).isEqualTo(3);
        fs().rmdir("/d/b");
        assertThat(fs().stat("/d").links()).isEqualTo(2);
    }

    @Test
    default void symbolicLinksLeadWhereTheySay() throws Exception {
        fs().mkdir("/d", 0755);
        fs().save("/d/f", "hello");
        fs().symlink("d", "/l");
        fs().symlink("/d/f", "/absolute");
        fs().symlink("../d/f", "/d/up");
        fs().symlink("l/up", "/chain");
        assertThat(fs().readlink("/chain")).isEqualTo("l/up");
        assertThat(fs().text("/l/f")).isEqualTo("hello");
        assertThat(fs().text("/absolute")).isEqualTo("hello");
        assertThat(fs().text("/chain")).isEqualTo("hello");
        assertThat(fs().lstat("/l").kind()).isEqualTo(FileKind.SYMLINK);
        assertThat(fs().lstat("/l").size()).isEqualTo(1);
        assertThat(fs().lstat("/l").mode()).isEqualTo(0777);
        assertThat(fs().stat("/l/").kind()).isEqualTo(FileKind.DIRECTORY);
        assertThat(fs().lstat("/l/").kind()).isEqualTo(FileKind.DIRECTORY);
    }

    @Test
    default void symbolicLinksMayLeadNowhereOrInCircles() throws Exception {
        fs().symlink("none", "/l");
        fs().symlink("b", "/a");
        fs().symlink("a", "/b");
        refused(FsError.NO_ENTRY, () -> fs().stat("/l"));
        refused(FsError.SYMLINK_LOOP, () -> fs().stat("/a"));
        refused(FsError.SYMLINK_LOOP, () -> fs().stat("/a/x"));
        refused(FsError.SYMLINK_LOOP, () -> fs().open("/l", Posix.READ | Posix.NO_FOLLOW, 0));
        fs().save("/f", "x");
        refused(FsError.INVALID, () -> fs().readlink("/f"));
        refused(FsError.INVALID, () -> fs().readlink("/"));
    }

    @Test
    default void targetsHaveUpTo4095Bytes() throws Exception {
        var longest = "t".repeat(4095);
        fs().symlink(longest, "/l");
        assertThat(fs().readlink("/l")).isEqualTo(longest);
        assertThat(fs().lstat("/l").size()).isEqualTo(4095);
        refused(FsError.NAME_TOO_LONG, () -> fs().symlink(longest + "t", "/m"));
        refused(FsError.NO_ENTRY, () -> fs().symlink("", "/m"));
    }

    @Test
    default void unlinkedFilesLiveWhileTheyAreOpen() throws Exception {
        byte[] old = noise(20_000, 1);
        fs().save("/f", old);
        int file = fs().open("/f", Posix.READ_WRITE, 0);
        int second = fs().open("/f", Posix.READ, 0);
        fs().unlink("/f");
        refused(FsError.NO_ENTRY, () -> fs().stat("/f"));
        assertThat(fs().fstat(file).links()).isZero();
        assertThat(fs().load(file)).isEqualTo(old);
        fs().pwrite(file, bytes("new"), 10_000);
        fs().fsync(file);
        fs().ftruncate(file, 10_003);
        byte[] tail = new byte[10];
        assertThat(fs().pread(second, tail, 10_000)).isEqualTo(3);
        assertThat(tail).startsWith(bytes("new"));
        fs().close(file);
        assertThat(fs().fstat(second).size()).isEqualTo(10_003);
        fs().close(second);
    }

    @Test
    default void aNewFileOfTheNameIsAnotherFile() throws Exception {
        fs().save("/f", "old");
        int file = fs().open("/f", Posix.READ_WRITE, 0);
        fs().unlink("/f");
        fs().save("/f", "new");
        fs().pwrite(file, bytes("OLD"), 0);
        fs().close(file);
        assertThat(fs().text("/f")).isEqualTo("new");
    }

    @Test
    default void aReplacedFileLivesWhileItIsOpen() throws Exception {
        fs().save("/a", "winner");
        fs().save("/b", "loser");
        int file = fs().open("/b", Posix.READ_WRITE, 0);
        fs().rename("/a", "/b");
        assertThat(fs().load(file)).isEqualTo(bytes("loser"));
        assertThat(fs().fstat(file).links()).isZero();
        assertThat(fs().text("/b")).isEqualTo("winner");
        fs().close(file);
    }
}
