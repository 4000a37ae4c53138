package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.vfs.PosixContract.bytes;

import org.junit.jupiter.api.Test;
import volsh.fs.Attributes;
import volsh.fs.FileKind;
import volsh.fs.RenameMode;

/** Which call changes which time of what. Reading changes none: access times are set by hand only. */
public interface TimeContract extends PosixContract {
    /** A call whose effect on times is watched. */
    interface Act {
        void run() throws Exception;
    }

    private void changes(String path, boolean content, Act act) throws Exception {
        var before = fs().lstat(path);
        letTimePass();
        act.run();
        var after = fs().lstat(path);
        assertThat(after.ctime()).as("ctime of %s", path).isGreaterThan(before.ctime());
        assertThat(after.mtime() > before.mtime()).as("mtime of %s moved", path).isEqualTo(content);
        assertThat(after.atime()).as("atime of %s", path).isEqualTo(before.atime());
    }

    private void keeps(String path, Act act) throws Exception {
        var before = fs().lstat(path);
        letTimePass();
        act.run();
        assertSame(before, fs().lstat(path));
    }

    private static void assertSame(Attributes before, Attributes after) {
        assertThat(after.mtime()).isEqualTo(before.mtime());
        assertThat(after.ctime()).isEqualTo(before.ctime());
        assertThat(after.atime()).isEqualTo(before.atime());
    }

    @Test
    default void entriesThatComeAndGoChangeTheirDirectory() throws Exception {
        fs().mkdir("/d", 0755);
        fs().mkdir("/other", 0755);
        fs().save("/x", "x");
        changes("/d", true, () -> fs().save("/d/f", "x"));
        changes("/d", true, () -> fs().mkdir("/d/sub", 0755));
        changes("/d", true, () -> fs().symlink("x", "/d/l"));
        changes("/d", true, () -> fs().mknod("/d/p", FileKind.FIFO, 0600, 0));
        changes("/d", true, () -> fs().link("/x", "/d/x"));
        changes("/d", true, () -> fs().unlink("/d/x"));
        changes("/d", true, () -> fs().rmdir("/d/sub"));
        changes("/d", true, () -> fs().rename("/d/f", "/d/g"));
        changes("/d", true, () -> fs().rename("/d/g", "/other/g"));
        changes("/other", true, () -> fs().rename("/d/p", "/other/p"));
        changes("/d", true, () -> fs().rename("/other/g", "/d/l", RenameMode.EXCHANGE));
        keeps("/", () -> fs().save("/d/deep", "x"));
    }

    @Test
    default void writingChangesTheFileAlone() throws Exception {
        fs().mkdir("/d", 0755);
        fs().save("/d/f", "hello");
        int file = fs().open("/d/f", Posix.READ_WRITE, 0);
        changes("/d/f", true, () -> fs().pwrite(file, bytes("x"), 0));
        changes("/d/f", true, () -> fs().ftruncate(file, 2));
        changes("/d/f", true, () -> fs().ftruncate(file, 20_000));
        changes("/d/f", true, () -> fs().fallocate(file, Posix.PUNCH_HOLE | Posix.KEEP_SIZE, 0, 10));
        changes("/d/f", true, () -> fs().fallocate(file, 0, 0, 10));
        changes("/d/f", true, () -> fs().fallocate(file, Posix.KEEP_SIZE, 0, 10));
        keeps("/d", () -> fs().pwrite(file, bytes("y"), 5));
        fs().close(file);
    }

    @Test
    default void whatIsWrittenKeepsTheTimeItWasWrittenAt() throws Exception {
        int file = fs().open("/f", Posix.READ_WRITE | Posix.CREATE, 0644);
        fs().pwrite(file, bytes("x"), 0);
        var written = fs().fstat(file);
        letTimePass();
        fs().fsync(file);
        letTimePass();
        fs().close(file);
        assertSame(written, fs().stat("/f"));
    }

    @Test
    default void readingChangesNoTime() throws Exception {
        fs().mkdir("/d", 0755);
        fs().save("/d/f", "hello");
        fs().symlink("f", "/d/l");
        keeps("/d/f", () -> fs().load("/d/f"));
        keeps("/d", () -> fs().list("/d"));
        keeps("/d/l", () -> fs().readlink("/d/l"));
    }

    @Test
    default void changesOfTheInodeMoveItsChangeTime() throws Exception {
        fs().save("/f", "x");
        changes("/f", false, () -> fs().chmod("/f", 0600));
        changes("/f", false, () -> fs().chown("/f", 3, 4));
        changes("/f", false, () -> fs().link("/f", "/g"));
        changes("/f", false, () -> fs().unlink("/g"));
        changes("/f", false, () -> fs().setxattr("/f", "user.a", bytes("x")));
        changes("/f", false, () -> fs().removexattr("/f", "user.a"));
        fs().mkdir("/d", 0755);
        changes("/d", false, () -> fs().chmod("/d", 0700));
        changes("/d", false, () -> fs().setxattr("/d", "user.a", bytes("x")));
    }

    @Test
    default void timesAreSetToTheNanosecond() throws Exception {
        fs().save("/f", "x");
        fs().mkdir("/d", 0755);
        for (var path : new String[] {"/f", "/d"}) {
            fs().utimens(path, 1_234_567_890_123_456_789L, 987_654_321_987_654_321L);
            assertThat(fs().stat(path).atime()).isEqualTo(1_234_567_890_123_456_789L);
            assertThat(fs().stat(path).mtime()).isEqualTo(987_654_321_987_654_321L);
            letTimePass();
            fs().utimens(path, Posix.OMIT, 5);
            assertThat(fs().stat(path).atime()).isEqualTo(1_234_567_890_123_456_789L);
            assertThat(fs().stat(path).mtime()).isEqualTo(5);
            fs().utimens(path, 7, Posix.OMIT);
            assertThat(fs().stat(path).atime()).isEqualTo(7);
            assertThat(fs().stat(path).mtime()).isEqualTo(5);
        }
    }

    @Test
    default void aTimeSetByHandOutlivesBytesWrittenBefore() throws Exception {
        int file = fs().open("/f", Posix.READ_WRITE | Posix.CREATE, 0644);
        fs().pwrite(file, bytes("x"), 0);
        fs().futimens(file, 1, 2);
        assertThat(fs().fstat(file).mtime()).isEqualTo(2);
        fs().fsync(file);
        assertThat(fs().fstat(file).mtime()).isEqualTo(2);
        fs().close(file);
        assertThat(fs().stat("/f").mtime()).isEqualTo(2);
    }

    @Test
    default void aTimeInTheFutureGivesWayToTheNextChange() throws Exception {
        long future = 4_000_000_000_000_000_000L;
        fs().mkdir("/d", 0755);
        fs().utimens("/d", future, future);
        assertThat(fs().stat("/d").mtime()).isEqualTo(future);
        fs().save("/d/f", "x");
        assertThat(fs().stat("/d").mtime()).isLessThan(future);
        fs().utimens("/d/f", future, future);
        fs().save("/d/f", "y");
        assertThat(fs().stat("/d/f").mtime()).isLessThan(future);
    }
}
