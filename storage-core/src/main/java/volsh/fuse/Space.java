package volsh.fuse;

import java.io.IOException;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.vfs.OpenFile;

/** What {@code statfs} tells: bytes in all and free, files there are, and for how many more there is room. */
public record Space(long totalBytes, long freeBytes, long files, long filesFree) {
    /** As many files as one is told there is room for where nothing limits them: inode numbers never run out. */
    public static final long FILES_FREE = 1L << 32;

    /** Programs that reserve little do it often: they hear of a full store when they write. */
    private static final long ASKED_FROM = 1 << 20;

    public Space(long totalBytes, long freeBytes, long files) {
        this(totalBytes, freeBytes, files, FILES_FREE);
    }

    /** Where a mount asks. */
    public interface Source {
        Space space() throws IOException;

        /** As seen from this inode: a directory with a quota is like a file system of its own. */
        default Space space(long ino) throws IOException {
            return space();
        }

        /** What the stores can still take, whatever quotas say: those have their own error. */
        default long storeBytes() throws IOException {
            return space().freeBytes();
        }

        /** Refuses to reserve more than the stores can take; a file that has bytes may have them there already. */
        default void requireRoom(OpenFile file, long length) throws IOException {
            if (length < ASKED_FROM) {
                return;
            }
            long free = storeBytes();
            if (length > free && length - file.attributes().allocated() > free) {
                throw new FsException(FsError.NO_SPACE, "%d bytes are free".formatted(free));
            }
        }
    }
}
