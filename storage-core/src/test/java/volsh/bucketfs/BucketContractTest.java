package volsh.bucketfs;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.vfs.PosixContract.refused;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.RenameMode;
import volsh.object.MemoryObjects;
import volsh.vfs.ByteContract;
import volsh.vfs.ListingContract;
import volsh.vfs.MountPosix;
import volsh.vfs.NameContract;
import volsh.vfs.Posix;
import volsh.vfs.RenameContract;

/**
 * What the table of plain mounts in docs/SEMANTICS.md promises of names, renames, listings and bytes, by system calls.
 * What it does not promise is overridden here by how it is refused.
 */
@Tag("mount")
final class BucketContractTest implements NameContract, RenameContract, ListingContract, ByteContract {
    @TempDir
    Path directory;

    private final MemoryObjects store = new MemoryObjects();
    private MountedBucket bucket;
    private Posix posix;

    @BeforeEach
    void mount() throws IOException {
        bucket = MountedBucket.of(directory, MountedBucket.settings(), store);
        posix = new MountPosix(bucket.directory());
    }

    @AfterEach
    void unmount() throws IOException {
        try {
            posix.close();
        } finally {
            bucket.close();
        }
    }

    @Override
    public Posix fs() {
        return posix;
    }

    @Override
    public void letTimePass() {}

    @Override
    public int blockSize() {
        return 8 << 20;   // of parts
    }

    @Override
    public int many() {
        return 1_500;
    }

    @Override
    public FileKind manyOf() {
        return FileKind.REGULAR;
    }

    /** Directories do not count those in them; 1 tells programs so. */
    @Override
    public int links(int directories) {
        return 1;
    }

    /** Keys are text. */
    @Override
    @Test
    public void namesNeedNotBeUtf8() {
        refused(FsError.INVALID, () -> posix.save("/\udcff", "x"));
        refused(FsError.NO_ENTRY, () -> posix.stat("/\udcff"));
    }

    @Override
    @Test
    public void specialFilesKeepKindAndDevice() {
        for (var kind : List.of(FileKind.FIFO, FileKind.SOCKET, FileKind.BLOCK_DEVICE, FileKind.CHARACTER_DEVICE)) {
            refused(FsError.NOT_PERMITTED, () -> posix.mknod("/s", kind, 0600, 0x103));
        }
    }

    /** The number of a file follows from its path. */
    @Override
    @Test
    public void inodesAreNeverTheSameTwice() throws IOException {
        posix.save("/a", "x");
        long first = posix.stat("/a").ino();
        posix.unlink("/a");
        posix.save("/a", "y");
        try (var again = MountedBucket.of(directory, MountedBucket.settings(), store);
                var other = new MountPosix(again.directory())) {
            assertThat(other.stat("/a").ino()).isEqualTo(first);
        }
    }

    @Override
    @Test
    public void theLongestNameHasExtendedAttributes() throws IOException {
        posix.save("/f", "x");
        refused(FsError.NOT_SUPPORTED, () -> posix.setxattr("/f", "user.x", new byte[1]));
        refused(FsError.NOT_SUPPORTED, () -> posix.getxattr("/f", "user.x"));
    }

    @Override
    @Test
    public void aSymbolicLinkTakesItsName() {
        refused(FsError.NOT_PERMITTED, () -> posix.symlink("nowhere", "/l"));
    }

    @Override
    @Test
    public void renameToTheSameFileIsNothing() throws IOException {
        posix.save("/a", "x");
        refused(FsError.NOT_PERMITTED, () -> posix.link("/a", "/b"));
    }

    /** Two objects cannot swap their keys. */
    @Override
    @Test
    public void exchangeSwapsAnythingWithAnything() throws IOException {
        posix.save("/a", "x");
        posix.save("/b", "y");
        refused(FsError.INVALID, () -> posix.rename("/a", "/b", RenameMode.EXCHANGE));
        assertThat(posix.text("/a")).isEqualTo("x");
    }
}
