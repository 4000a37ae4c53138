package volsh.fuse.jnr;

import jnr.ffi.annotations.Delegate;

/**
 * The signatures of libfuse's operations; addresses and sizes are longs. Paths are addresses of bytes, not Strings:
 * names need not be text. Public for the classes that jnr generates.
 */
final class Callback {
    private Callback() {}

    /** {@code unlink(path)} and the like. */
    public interface Path {
        @Delegate
        int call(long path);
    }

    /** {@code chmod(path, mode)} and the like. */
    public interface PathInt {
        @Delegate
        int call(long path, int value);
    }

    /** {@code chown(path, uid, gid)}. */
    public interface PathIntInt {
        @Delegate
        int call(long path, int first, int second);
    }

    /** {@code create(path, mode, file)} and the like; {@code mknod(path, mode, device)}. */
    public interface PathIntLong {
        @Delegate
        int call(long path, int value, long third);
    }

    /** {@code open(path, file)}, {@code truncate(path, size)} and the like. */
    public interface PathLong {
        @Delegate
        int call(long path, long second);
    }

    /** {@code readlink(path, buffer, size)} and the like. */
    public interface PathLongLong {
        @Delegate
        int call(long path, long second, long third);
    }

    /** {@code getxattr(path, name, value, size)}. */
    public interface Named {
        @Delegate
        int call(long path, long name, long value, long size);
    }

    /** {@code setxattr(path, name, value, size, flags)}. */
    public interface NamedFlags {
        @Delegate
        int call(long path, long name, long value, long size, int flags);
    }

    /** {@code read}, {@code write} and {@code readdir}: {@code (path, buffer, size or filler, offset, file)}. */
    public interface Transfer {
        @Delegate
        int call(long path, long buffer, long second, long offset, long file);
    }

    /** {@code fallocate(path, mode, offset, length, file)}. */
    public interface Range {
        @Delegate
        int call(long path, int mode, long offset, long length, long file);
    }
}
