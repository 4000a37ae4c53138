package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.fs.RenameMode.EXCHANGE;
import static volsh.fs.RenameMode.NO_REPLACE;
import static volsh.vfs.PosixContract.refused;

import org.junit.jupiter.api.Test;
import volsh.fs.FsError;
import volsh.fs.RenameMode;

/** Rename, in its three modes. */
public interface RenameContract extends PosixContract {
    @Test
    default void renameMovesFilesAndTrees() throws Exception {
        fs().mkdir("/a", 0755);
        fs().mkdir("/b", 0755);
        fs().mkdir("/a/tree", 0755);
        fs().save("/a/tree/f", "x");
        long ino = fs().stat("/a/tree").ino();
        fs().rename("/a/tree", "/b/moved");
        assertThat(fs().text("/b/moved/f")).isEqualTo("x");
        assertThat(fs().stat("/b/moved").ino()).isEqualTo(ino);
        assertThat(fs().stat("/b/moved/..").ino()).isEqualTo(fs().stat("/b").ino());
        assertThat(fs().list("/a")).isEmpty();
        fs().rename("/b/moved/f", "/g");
        assertThat(fs().list("/b/moved")).isEmpty();
        assertThat(fs().text("/g")).isEqualTo("x");
    }

    @Test
    default void renameReplacesLikeByLike() throws Exception {
        fs().save("/a", "new");
        fs().save("/b", "old");
        fs().rename("/a", "/b");
        assertThat(fs().text("/b")).isEqualTo("new");
        refused(FsError.NO_ENTRY, () -> fs().stat("/a"));
        fs().mkdir("/d", 0755);
        fs().save("/d/f", "x");
        fs().mkdir("/e", 0755);
        fs().rename("/d", "/e");
        assertThat(fs().list("/e")).containsExactly("f");
        assertThat(fs().list("/")).containsExactlyInAnyOrder("b", "e");
        assertThat(fs().stat("/").links()).isEqualTo(links(1));
    }

    @Test
    default void renameRefusesUnlikeAndFull() throws Exception {
        fs().mkdir("/d", 0755);
        fs().mkdir("/full", 0755);
        fs().save("/full/x", "x");
        fs().save("/f", "x");
        refused(FsError.IS_DIRECTORY, () -> fs().rename("/f", "/d"));
        refused(FsError.NOT_DIRECTORY, () -> fs().rename("/d", "/f"));
        refused(FsError.NOT_EMPTY, () -> fs().rename("/d", "/full"));
        refused(FsError.NOT_EMPTY, () -> fs().rename("/full/x", "/full"));
        refused(FsError.NO_ENTRY, () -> fs().rename("/f", "/none/f"));
        refused(FsError.NOT_DIRECTORY, () -> fs().rename("/f", "/f/f"));
        assertThat(fs().list("/")).containsExactlyInAnyOrder("d", "full", "f");
    }

    @Test
    default void noDirectoryMovesBelowItself() throws Exception {
        fs().mkdir("/a", 0755);
        fs().mkdir("/a/b", 0755);
        fs().mkdir("/a/b/c", 0755);
        fs().save("/a/b/f", "x");
        refused(FsError.INVALID, () -> fs().rename("/a", "/a/x"));
        refused(FsError.INVALID, () -> fs().rename("/a", "/a/b/c/x"));
        refused(FsError.INVALID, () -> fs().rename("/a", "/a/b/f"));
        refused(FsError.INVALID, () -> fs().rename("/a", "/a/b/c", EXCHANGE));
        refused(FsError.INVALID, () -> fs().rename("/a/b/c", "/a", EXCHANGE));
        refused(FsError.NOT_EMPTY, () -> fs().rename("/a/b/c", "/a"));
        fs().rename("/a/b/c", "/c");
        fs().rename("/a", "/c/a");
        assertThat(fs().text("/c/a/b/f")).isEqualTo("x");
    }

    @Test
    default void renameToTheSameFileIsNothing() throws Exception {
        fs().save("/a", "x");
        fs().link("/a", "/b");
        fs().rename("/a", "/b");
        fs().rename("/a", "/b", EXCHANGE);
        assertThat(fs().list("/")).containsExactlyInAnyOrder("a", "b");
        assertThat(fs().stat("/a").links()).isEqualTo(2);
        refused(FsError.EXISTS, () -> fs().rename("/a", "/b", NO_REPLACE));
    }

    @Test
    default void renameToItselfIsNothing() throws Exception {
        fs().save("/a", "x");
        fs().rename("/a", "/a");
        assertThat(fs().text("/a")).isEqualTo("x");
        fs().mkdir("/d", 0755);
        fs().rename("/d", "/d");
        assertThat(fs().list("/")).containsExactlyInAnyOrder("a", "d");
        refused(FsError.EXISTS, () -> fs().rename("/a", "/a", NO_REPLACE));
    }

    @Test
    default void noReplaceReplacesNothing() throws Exception {
        fs().save("/a", "a");
        fs().save("/b", "b");
        fs().mkdir("/d", 0755);
        refused(FsError.EXISTS, () -> fs().rename("/a", "/b", NO_REPLACE));
        refused(FsError.EXISTS, () -> fs().rename("/a", "/d", NO_REPLACE));
        refused(FsError.NO_ENTRY, () -> fs().rename("/none", "/b", NO_REPLACE));
        fs().rename("/a", "/c", NO_REPLACE);
        assertThat(fs().text("/b")).isEqualTo("b");
        assertThat(fs().text("/c")).isEqualTo("a");
    }

    @Test
    default void exchangeSwapsAnythingWithAnything() throws Exception {
        fs().mkdir("/d", 0755);
        fs().mkdir("/d/sub", 0755);
        fs().save("/d/sub/x", "x");
        fs().save("/f", "f");
        fs().rename("/d/sub", "/f", EXCHANGE);
        assertThat(fs().text("/d/sub")).isEqualTo("f");
        assertThat(fs().text("/f/x")).isEqualTo("x");
        assertThat(fs().stat("/d").links()).isEqualTo(2);
        assertThat(fs().stat("/").links()).isEqualTo(4);
        assertThat(fs().stat("/f/..").ino()).isEqualTo(fs().stat("/").ino());
        refused(FsError.NO_ENTRY, () -> fs().rename("/f", "/none", EXCHANGE));
        refused(FsError.NO_ENTRY, () -> fs().rename("/none", "/f", EXCHANGE));
    }

    @Test
    default void aRefusedRenameChangesNothing() throws Exception {
        fs().mkdir("/full", 0755);
        fs().save("/full/x", "x");
        fs().mkdir("/d", 0755);
        var before = fs().stat("/");
        letTimePass();
        for (var mode : RenameMode.values()) {
            refused(FsError.NO_ENTRY, () -> fs().rename("/none", "/d", mode));
        }
        refused(FsError.NOT_EMPTY, () -> fs().rename("/d", "/full"));
        assertThat(fs().stat("/").mtime()).isEqualTo(before.mtime());
        assertThat(fs().stat("/").ctime()).isEqualTo(before.ctime());
    }

    @Test
    default void anOpenFileFollowsItsName() throws Exception {
        int file = fs().open("/a", Posix.READ_WRITE | Posix.CREATE, 0644);
        fs().pwrite(file, PosixContract.bytes("before "), 0);
        fs().rename("/a", "/b");
        fs().pwrite(file, PosixContract.bytes("after"), 7);
        fs().close(file);
        assertThat(fs().text("/b")).isEqualTo("before after");
    }
}
