package volsh.fuse.jnr;

import java.util.Arrays;
import java.util.Locale;

/** The operations that libfuse calls. */
enum Operation {
    GETATTR, FGETATTR, READLINK, MKNOD, MKDIR, UNLINK, RMDIR, SYMLINK, RENAME, LINK, CHMOD, CHOWN, TRUNCATE, FTRUNCATE,
    UTIMENS, OPEN, CREATE, READ, WRITE, FLUSH, RELEASE, FSYNC, FALLOCATE, STATFS, SETXATTR, GETXATTR, LISTXATTR,
    REMOVEXATTR,
    OPENDIR, READDIR, RELEASEDIR, FSYNCDIR;

    /** The names by ordinal, for people. */
    static String[] names() {
        return Arrays.stream(values()).map(Operation::toString).toArray(String[]::new);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
