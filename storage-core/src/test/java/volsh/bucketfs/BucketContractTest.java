package volsh.bucketfs;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import volsh.object.MemoryObjects;
import volsh.vfs.ByteContract;
import volsh.vfs.ListingContract;
import volsh.vfs.MountPosix;
import volsh.vfs.NameContract;
import volsh.vfs.Posix;
import volsh.vfs.RenameContract;

/**
 * What the table of plain mounts in docs/SEMANTICS.md promises of names, renames, listings and bytes, by system calls.
 * What it does not promise is switched off here, and nothing else.
 */
@Tag("mount")
final class BucketContractTest implements NameContract, RenameContract, ListingContract, ByteContract {
    @TempDir
    Path directory;

    private MountedBucket bucket;
    private Posix posix;

    @BeforeEach
    void mount() throws IOException {
        bucket = MountedBucket.of(directory, MountedBucket.settings(), new MemoryObjects());
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

    /** Keys are text. */
    @Override
    public void namesNeedNotBeUtf8() {}

    /** Fifos, sockets and devices are refused. */
    @Override
    public void specialFilesKeepKindAndDevice() {}

    /** The number of a file follows from its path. */
    @Override
    public void inodesAreNeverTheSameTwice() {}

    /** There are no extended attributes. */
    @Override
    public void namesHaveUpTo255Bytes() {}

    /** There are no hard links. */
    @Override
    public void aNameIsTakenOnlyOnce() {}

    @Override
    public void renameToTheSameFileIsNothing() {}

    @Override
    public void listingIsStableWhileTheDirectoryChanges() {}

    @Override
    public void aSecondReadingShowsTheDirectoryAsItIsThen() {}

    @Override
    public void everythingListedCanBeRemovedWhileListing() {}

    /** Directories do not count those in them. */
    @Override
    public void renameReplacesLikeByLike() {}

    @Override
    public void aDirectoryOfDirectories() {}

    /** Two objects cannot swap their keys. */
    @Override
    public void exchangeSwapsAnythingWithAnything() {}
}
