package volsh.fuse;

import java.io.IOException;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.vfs.OpenFile;

/** The values of {@code statfs}: total and free bytes, existing files, and how many more there is room for. */
public record Space(long totalBytes, long freeBytes, long files, long filesFree) {
    /** The number of free files if nothing limits them: inode numbers never run out. */
    public static final long FILES_FREE = 1L << 32;

    /** Smaller reservations are not checked, because they are frequent: a full store is reported at write. */
    private static final long ASKED_FROM = 1 << 20;

    public Space(long totalBytes, long freeBytes, long files) {
        this(totalBytes, freeBytes, files, FILES_FREE);
    }

    /** Provides the values. */
    public interface Source {
        Space space() throws IOException;

        /** As seen from this inode: a directory with a quota is like a file system of its own. */
        default Space space(long ino) throws IOException {
            return space();
        }

        /** What the stores can still hold, regardless of quotas, which have their own error. */
        default long storeBytes() throws IOException {
            return space().freeBytes();
        }

        /** Refuses to reserve more than the stores can hold; a file that has bytes may already have them there. */
        default void requireRoom(OpenFile file, long length) throws IOException {
            if (length < ASKED_FROM) {
                return;
            }
            long free = storeBytes();
            if (length > free && length - file.attributes().allocated() > free) {
                throw new FsException(FsError.NO_SPACE, "not enough space: only %d bytes are free".formatted(free));
            }
        }
    }
}
