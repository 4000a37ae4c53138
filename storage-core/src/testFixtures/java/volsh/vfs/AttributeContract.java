package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.vfs.PosixContract.bytes;
import static volsh.vfs.PosixContract.noise;
import static volsh.vfs.PosixContract.refused;

import org.junit.jupiter.api.Test;
import volsh.fs.FsError;

/** Modes, owners and extended attributes. */
public interface AttributeContract extends PosixContract {
    @Test
    default void modesAreKept() throws Exception {
        fs().mkdir("/d", 0751);
        assertThat(fs().stat("/d").mode()).isEqualTo(0751);
        fs().save("/f", "x");
        for (int mode : new int[] {0, 0600, 0777, 01777, 02755, 04755, 07777}) {
            fs().chmod("/f", mode);
            assertThat(fs().stat("/f").mode()).isEqualTo(mode);
            fs().chmod("/d", mode);
            assertThat(fs().stat("/d").mode()).isEqualTo(mode);
        }
    }

    @Test
    default void ownersAreKept() throws Exception {
        fs().save("/f", "x");
        fs().chown("/f", 1000, 2000);
        assertThat(fs().stat("/f").uid()).isEqualTo(1000);
        assertThat(fs().stat("/f").gid()).isEqualTo(2000);
        fs().chown("/f", -1, 7);
        fs().chown("/f", 8, -1);
        assertThat(fs().stat("/f").uid()).isEqualTo(8);
        assertThat(fs().stat("/f").gid()).isEqualTo(7);
    }

    @Test
    default void aNewOwnerGetsNoSetIdBits() throws Exception {
        fs().save("/f", "x");
        fs().chmod("/f", 06755);
        fs().chown("/f", 1000, 1000);
        assertThat(fs().stat("/f").mode()).isEqualTo(0755);
    }

    @Test
    default void setIdBitsSetAfterAWriteSurviveTheClose() throws Exception {
        int file = fs().open("/f", Posix.WRITE | Posix.CREATE, 0600);
        fs().pwrite(file, noise(10_000, 1), 0);
        fs().fchmod(file, 04755);
        fs().close(file);
        assertThat(fs().stat("/f").mode()).isEqualTo(04755);
    }

    @Test
    default void setGroupIdDirectoriesHandTheirGroupOn() throws Exception {
        fs().mkdir("/d", 0755);
        fs().chown("/d", 0, 4242);
        fs().save("/d/before", "x");
        assertThat(fs().stat("/d/before").gid()).isZero();
        fs().chmod("/d", 02755);
        fs().save("/d/f", "x");
        fs().mkdir("/d/e", 0700);
        fs().symlink("x", "/d/l");
        assertThat(fs().stat("/d/f").gid()).isEqualTo(4242);
        assertThat(fs().stat("/d/f").mode() & 02000).isZero();
        assertThat(fs().stat("/d/e").gid()).isEqualTo(4242);
        assertThat(fs().stat("/d/e").mode()).isEqualTo(02700);
        assertThat(fs().lstat("/d/l").gid()).isEqualTo(4242);
    }

    @Test
    default void extendedAttributesAreKeptOnFilesAndDirectories() throws Exception {
        fs().save("/f", "x");
        fs().mkdir("/d", 0755);
        for (var path : new String[] {"/f", "/d"}) {
            assertThat(fs().listxattr(path)).isEmpty();
            fs().setxattr(path, "user.a", bytes("one"));
            fs().setxattr(path, "user.b", new byte[0]);
            fs().setxattr(path, "user.a", bytes("two"));
            assertThat(fs().getxattr(path, "user.a")).isEqualTo(bytes("two"));
            assertThat(fs().getxattr(path, "user.b")).isEmpty();
            assertThat(fs().listxattr(path)).containsExactlyInAnyOrder("user.a", "user.b");
            fs().removexattr(path, "user.a");
            refused(FsError.NO_DATA, () -> fs().getxattr(path, "user.a"));
            refused(FsError.NO_DATA, () -> fs().removexattr(path, "user.a"));
        }
        fs().rmdir("/d");
        fs().unlink("/f");
    }

    @Test
    default void extendedAttributesAreCreatedOrReplacedOnDemand() throws Exception {
        fs().save("/f", "x");
        refused(FsError.NO_DATA, () -> fs().setxattr("/f", "user.a", bytes("x"), true));
        fs().setxattr("/f", "user.a", bytes("x"), false);
        refused(FsError.EXISTS, () -> fs().setxattr("/f", "user.a", bytes("y"), false));
        fs().setxattr("/f", "user.a", bytes("y"), true);
        assertThat(fs().getxattr("/f", "user.a")).isEqualTo(bytes("y"));
    }

    @Test
    default void extendedAttributesMayBeLargeAndMany() throws Exception {
        fs().save("/f", "x");
        byte[] large = noise(64 << 10, 1);
        fs().setxattr("/f", "user.large", large);
        assertThat(fs().getxattr("/f", "user.large")).isEqualTo(large);
        for (int i = 0; i < 100; i++) {
            fs().setxattr("/f", "user." + i, bytes("v" + i));
        }
        assertThat(fs().listxattr("/f")).hasSize(101);
        assertThat(fs().getxattr("/f", "user.77")).isEqualTo(bytes("v77"));
    }
}
