package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.vfs.PosixContract.refused;

import org.junit.jupiter.api.Test;
import volsh.fs.FileKind;
import volsh.fs.FsError;

/** Names come and go. */
public interface NameContract extends PosixContract {
    @Test
    default void filesAndDirectoriesAreMadeAndFound() throws Exception {
        fs().mkdir("/d", 0750);
        fs().save("/d/f", "hello");
        assertThat(fs().text("/d/f")).isEqualTo("hello");
        assertThat(fs().list("/")).containsExactly("d");
        assertThat(fs().list("/d")).containsExactly("f");
        assertThat(fs().stat("/d").kind()).isEqualTo(FileKind.DIRECTORY);
        assertThat(fs().stat("/d/f").kind()).isEqualTo(FileKind.REGULAR);
    }

    @Test
    default void aNameIsTakenOnlyOnce() throws Exception {
        fs().mkdir("/d", 0755);
        fs().save("/f", "x");
        for (var taken : new String[] {"/d", "/f"}) {
            refusedAsTaken(taken);
        }
    }

    private void refusedAsTaken(String taken) {
        refused(FsError.EXISTS, () -> fs().mkdir(taken, 0755));
        refused(FsError.EXISTS, () -> fs().mknod(taken, FileKind.FIFO, 0600, 0));
        refused(FsError.EXISTS, () -> fs().symlink("x", taken));
        refused(FsError.EXISTS, () -> fs().link("/f", taken));
        refused(FsError.EXISTS, () -> fs().open(taken, Posix.WRITE | Posix.CREATE | Posix.EXCLUSIVE, 0644));
    }

    @Test
    default void aSymbolicLinkTakesItsName() throws Exception {
        fs().save("/f", "x");
        fs().symlink("nowhere", "/l");
        refusedAsTaken("/l");
    }

    @Test
    default void whatIsMissingIsMissing() {
        refused(FsError.NO_ENTRY, () -> fs().stat("/none"));
        refused(FsError.NO_ENTRY, () -> fs().open("/none", Posix.READ, 0));
        refused(FsError.NO_ENTRY, () -> fs().unlink("/none"));
        refused(FsError.NO_ENTRY, () -> fs().rmdir("/none"));
        refused(FsError.NO_ENTRY, () -> fs().truncate("/none", 0));
        refused(FsError.NO_ENTRY, () -> fs().readlink("/none"));
        refused(FsError.NO_ENTRY, () -> fs().chmod("/none", 0644));
        refused(FsError.NO_ENTRY, () -> fs().chown("/none", 1, 1));
        refused(FsError.NO_ENTRY, () -> fs().utimens("/none", 1, 1));
        refused(FsError.NO_ENTRY, () -> fs().getxattr("/none", "user.a"));
        refused(FsError.NO_ENTRY, () -> fs().setxattr("/none", "user.a", new byte[1]));
        refused(FsError.NO_ENTRY, () -> fs().link("/none", "/b"));
        refused(FsError.NO_ENTRY, () -> fs().rename("/none", "/b"));
        refused(FsError.NO_ENTRY, () -> fs().opendir("/none"));
        refused(FsError.NO_ENTRY, () -> fs().mkdir("/none/d", 0755));
        refused(FsError.NO_ENTRY, () -> fs().save("/none/f", "x"));
        refused(FsError.NO_ENTRY, () -> fs().symlink("x", "/none/l"));
        refused(FsError.NO_ENTRY, () -> fs().mknod("/none/p", FileKind.FIFO, 0600, 0));
    }

    @Test
    default void nothingLiesBelowAFile() throws Exception {
        fs().save("/f", "x");
        refused(FsError.NOT_DIRECTORY, () -> fs().stat("/f/x"));
        refused(FsError.NOT_DIRECTORY, () -> fs().stat("/f/"));
        refused(FsError.NOT_DIRECTORY, () -> fs().stat("/f/."));
        refused(FsError.NOT_DIRECTORY, () -> fs().save("/f/x", "x"));
        refused(FsError.NOT_DIRECTORY, () -> fs().mkdir("/f/x", 0755));
        refused(FsError.NOT_DIRECTORY, () -> fs().rmdir("/f"));
        refused(FsError.NOT_DIRECTORY, () -> fs().opendir("/f"));
        refused(FsError.NOT_DIRECTORY, () -> fs().unlink("/f/x"));
        refused(FsError.NOT_DIRECTORY, () -> fs().rename("/f/x", "/y"));
    }

    @Test
    default void directoriesAreNotFiles() throws Exception {
        fs().mkdir("/d", 0755);
        refused(FsError.IS_DIRECTORY, () -> fs().unlink("/d"));
        refused(FsError.IS_DIRECTORY, () -> fs().open("/d", Posix.WRITE, 0));
        refused(FsError.IS_DIRECTORY, () -> fs().truncate("/d", 0));
    }

    @Test
    default void onlyEmptyDirectoriesAreRemoved() throws Exception {
        fs().mkdir("/d", 0755);
        fs().mkdir("/d/e", 0755);
        refused(FsError.NOT_EMPTY, () -> fs().rmdir("/d"));
        fs().rmdir("/d/e");
        fs().save("/d/f", "x");
        refused(FsError.NOT_EMPTY, () -> fs().rmdir("/d"));
        fs().unlink("/d/f");
        fs().rmdir("/d/");
        assertThat(fs().list("/")).isEmpty();
        fs().mkdir("/e", 0755);
        refused(FsError.INVALID, () -> fs().rmdir("/e/."));
    }

    @Test
    default void namesHaveUpTo255Bytes() throws Exception {
        var longest = "n".repeat(255);
        var wide = "ü".repeat(127) + "x";
        fs().save("/" + longest, "a");
        fs().save("/" + wide, "b");
        assertThat(fs().list("/")).containsExactlyInAnyOrder(longest, wide);
        assertThat(fs().text("/" + wide)).isEqualTo("b");
        refused(FsError.NAME_TOO_LONG, () -> fs().save("/" + longest + "n", "a"));
        refused(FsError.NAME_TOO_LONG, () -> fs().mkdir("/" + "ü".repeat(128), 0755));
        refused(FsError.NAME_TOO_LONG, () -> fs().stat("/" + longest + "n"));
        refused(FsError.NAME_TOO_LONG, () -> fs().rename("/" + longest, "/" + longest + "n"));
        refused(FsError.NAME_TOO_LONG, () -> fs().stat("/x".repeat(2048)));
    }

    @Test
    default void theLongestNameHasExtendedAttributes() throws Exception {
        var longest = "n".repeat(255);
        fs().save("/" + longest, "a");
        fs().setxattr("/" + longest, "user.x", new byte[] {7});
        assertThat(fs().getxattr("/" + longest, "user.x")).containsExactly(7);
    }

    @Test
    default void namesNeedNotBeUtf8() throws Exception {
        var odd = "\udcff\udc80x";
        fs().mkdir("/" + odd, 0755);
        fs().save("/" + odd + "/f\udcfe", "hello");
        assertThat(fs().list("/")).containsExactly(odd);
        assertThat(fs().list("/" + odd)).containsExactly("f\udcfe");
        fs().symlink(odd + "/f\udcfe", "/l");
        assertThat(fs().readlink("/l")).isEqualTo(odd + "/f\udcfe");
        assertThat(fs().text("/l")).isEqualTo("hello");
        fs().rename("/" + odd + "/f\udcfe", "/plain");
        assertThat(fs().text("/plain")).isEqualTo("hello");
    }

    @Test
    default void namesThatLookAlikeDiffer() throws Exception {
        fs().save("/a", "1");
        fs().save("/A", "2");
        fs().save("/ä", "3");
        fs().save("/a\u0308", "4");
        fs().save("/a ", "5");
        fs().save("/...", "6");
        assertThat(fs().list("/")).hasSize(6);
        assertThat(fs().text("/ä")).isEqualTo("3");
        assertThat(fs().text("/a\u0308")).isEqualTo("4");
    }

    @Test
    default void pathsWalkThroughDotsAndSlashes() throws Exception {
        fs().mkdir("/d", 0755);
        fs().mkdir("/d/e", 0755);
        fs().save("/d/e/f", "x");
        long ino = fs().stat("/d/e/f").ino();
        for (var same : new String[] {"//d//e/f", "/d/./e/f", "/d/e/../e/f", "/d/e/../../d/e/f", "/../d/e/f"}) {
            assertThat(fs().stat(same).ino()).as(same).isEqualTo(ino);
        }
        refused(FsError.NO_ENTRY, () -> fs().stat("/d/none/../e"));
    }

    @Test
    default void inodesAreNeverTheSameTwice() throws Exception {
        fs().save("/a", "x");
        long first = fs().stat("/a").ino();
        fs().unlink("/a");
        fs().save("/a", "x");
        assertThat(fs().stat("/a").ino()).isNotEqualTo(first);
    }

    @Test
    default void specialFilesKeepKindAndDevice() throws Exception {
        fs().mknod("/p", FileKind.FIFO, 0600, 0);
        fs().mknod("/s", FileKind.SOCKET, 0600, 0);
        fs().mknod("/c", FileKind.CHARACTER_DEVICE, 0600, 0x103);
        fs().mknod("/b", FileKind.BLOCK_DEVICE, 0600, 0x801);
        fs().mknod("/r", FileKind.REGULAR, 0600, 0);
        assertThat(fs().lstat("/p").kind()).isEqualTo(FileKind.FIFO);
        assertThat(fs().lstat("/s").kind()).isEqualTo(FileKind.SOCKET);
        assertThat(fs().lstat("/c").kind()).isEqualTo(FileKind.CHARACTER_DEVICE);
        assertThat(fs().lstat("/c").device()).isEqualTo(0x103);
        assertThat(fs().lstat("/b").device()).isEqualTo(0x801);
        assertThat(fs().load("/r")).isEmpty();
        for (var name : fs().list("/")) {
            fs().unlink("/" + name);
        }
        assertThat(fs().list("/")).isEmpty();
    }
}
