package volsh.vfs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static volsh.vfs.SystemCalls.run;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import volsh.fs.Attributes;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.RenameMode;

/**
 * The system calls, made for real below a directory: a mount, or a directory of the disk. A symbolic link to an
 * absolute path leads to that path below the directory, as it does in a volume; it is stored with the directory in
 * front.
 *
 * <p>While one is open the process has no file creation mask.
 */
public final class MountPosix implements Posix {
    private static final int AT_SYMLINK_NOFOLLOW = 0x100;
    private static final int AT_REMOVEDIR = 0x200;
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int O_DIRECTORY = 0200000;
    private static final int O_CLOEXEC = 02000000;
    private static final int O_PATH = 010000000;
    private static final int STATX_BASIC = 0x7ff;
    private static final int SEEK_DATA = 3;
    private static final int SEEK_HOLE = 4;
    private static final long UTIME_OMIT = 0x3ffffffeL;
    private static final int XATTR_CREATE = 1;
    private static final int XATTR_REPLACE = 2;
    private static final int LINK_MAX = 8192;
    private static final int XATTR_MAX = 65536;

    private static int open;
    private static int maskBefore;

    private final String root;
    private final int top;
    private final Set<Integer> files = ConcurrentHashMap.newKeySet();
    private boolean closed;

    public MountPosix(Path directory) throws IOException {
        this.root = directory.toRealPath().toString();
        this.top = (int) run((state, arena) -> (int) SystemCalls.OPENAT.invokeExact(
                state, -100, arena.allocateFrom(root), O_PATH | O_DIRECTORY | O_CLOEXEC, 0));
        clearMask();
    }

    /**
     * The mask belongs to the process: it is 0 while any of these is open, and what it was before when the last one
     * closes.
     */
    private static synchronized void clearMask() throws FsException {
        if (open++ == 0) {
            maskBefore = umask(0);
        }
    }

    private static synchronized void restoreMask() throws FsException {
        if (--open == 0) {
            umask(maskBefore);
        }
    }

    private static int umask(int mask) throws FsException {
        return (int) run((state, arena) -> (int) SystemCalls.UMASK.invokeExact(state, mask));
    }

    /** The path as seen from the top, above which there is nothing. */
    private static MemorySegment below(Arena arena, String path) {
        var rest = path;
        while (rest.startsWith("/../")) {
            rest = rest.substring(3);
        }
        return SystemCalls.bytes(arena, PathText.bytes(rest.startsWith("/") ? "." + rest : rest));
    }

    private MemorySegment whole(Arena arena, String path) {
        return SystemCalls.bytes(arena, PathText.bytes(root + path));
    }

    // ---- files

    @Override
    public int open(String path, int flags, int mode) throws IOException {
        int file = (int) run((state, arena) -> (int) SystemCalls.OPENAT.invokeExact(state, top, below(arena, path),
                flags | O_CLOEXEC, mode));
        files.add(file);
        // a kernel opens a fifo; the Posix here knows only files
        if (!fstat(file).isRegular() && !fstat(file).isDirectory()) {
            close(file);
            throw new FsException(FsError.INVALID);
        }
        return file;
    }

    @Override
    public void close(int file) throws IOException {
        files.remove(file);
        run((state, arena) -> (int) SystemCalls.CLOSE.invokeExact(state, file));
    }

    @Override
    public int pread(int file, byte[] target, long offset) throws IOException {
        return (int) run((state, arena) -> {
            var buffer = arena.allocate(target.length);
            long done = 0;
            while (done < target.length) {
                long count = (long) SystemCalls.PREAD.invokeExact(state, file, buffer.asSlice(done),
                        target.length - done, offset + done);
                if (count < 0) {
                    return -1;
                }
                if (count == 0) {
                    break;
                }
                done += count;
            }
            MemorySegment.copy(buffer, JAVA_BYTE, 0, target, 0, (int) done);
            return done;
        });
    }

    @Override
    public void pwrite(int file, byte[] bytes, long offset) throws IOException {
        run((state, arena) -> {
            var buffer = SystemCalls.bytes(arena, bytes);
            long done = 0;
            do {
                long count = (long) SystemCalls.PWRITE.invokeExact(state, file, buffer.asSlice(done),
                        bytes.length - done, offset + done);
                if (count < 0) {
                    return -1;
                }
                done += count;
            } while (done < bytes.length);
            return done;
        });
    }

    @Override
    public void fsync(int file) throws IOException {
        run((state, arena) -> (int) SystemCalls.FSYNC.invokeExact(state, file));
    }

    @Override
    public void ftruncate(int file, long size) throws IOException {
        run((state, arena) -> (int) SystemCalls.FTRUNCATE.invokeExact(state, file, size));
    }

    @Override
    public void truncate(String path, long size) throws IOException {
        run((state, arena) -> (int) SystemCalls.TRUNCATE.invokeExact(state, whole(arena, path), size));
    }

    @Override
    public void fallocate(int file, int mode, long offset, long length) throws IOException {
        run((state, arena) -> (int) SystemCalls.FALLOCATE.invokeExact(state, file, mode, offset, length));
    }

    @Override
    public long seekData(int file, long offset) throws IOException {
        return run((state, arena) -> (long) SystemCalls.LSEEK.invokeExact(state, file, offset, SEEK_DATA));
    }

    @Override
    public long seekHole(int file, long offset) throws IOException {
        return run((state, arena) -> (long) SystemCalls.LSEEK.invokeExact(state, file, offset, SEEK_HOLE));
    }

    @Override
    public long copyRange(int source, long from, int target, long to, long length) throws IOException {
        return run((state, arena) -> (long) SystemCalls.COPY_FILE_RANGE.invokeExact(
                state, source, arena.allocateFrom(JAVA_LONG, from), target, arena.allocateFrom(JAVA_LONG, to), length,
                0));
    }

    // ---- names

    @Override
    public void mkdir(String path, int mode) throws IOException {
        run((state, arena) -> (int) SystemCalls.MKDIRAT.invokeExact(state, top, below(arena, path), mode));
    }

    @Override
    public void rmdir(String path) throws IOException {
        run((state, arena) -> (int) SystemCalls.UNLINKAT.invokeExact(state, top, below(arena, path), AT_REMOVEDIR));
    }

    @Override
    public void mknod(String path, FileKind kind, int mode, int device) throws IOException {
        run((state, arena) -> (int) SystemCalls.MKNODAT.invokeExact(
                state, top, below(arena, path), kind.code() << 12 | mode, Integer.toUnsignedLong(device)));
    }

    @Override
    public void unlink(String path) throws IOException {
        run((state, arena) -> (int) SystemCalls.UNLINKAT.invokeExact(state, top, below(arena, path), 0));
    }

    @Override
    public void link(String existing, String path) throws IOException {
        run((state, arena) -> (int) SystemCalls.LINKAT.invokeExact(state, top, below(arena, existing), top,
                below(arena, path), 0));
    }

    @Override
    public void symlink(String target, String path) throws IOException {
        var stored = target.startsWith("/") ? root + target : target;
        run((state, arena) -> (int) SystemCalls.SYMLINKAT.invokeExact(
                state, SystemCalls.bytes(arena, PathText.bytes(stored)), top, below(arena, path)));
    }

    @Override
    public String readlink(String path) throws IOException {
        byte[] target = new byte[LINK_MAX];
        int length = (int) run((state, arena) -> {
            var buffer = arena.allocate(LINK_MAX);
            long count = (long) SystemCalls.READLINKAT.invokeExact(state, top, below(arena, path), buffer,
                    (long) LINK_MAX);
            MemorySegment.copy(buffer, JAVA_BYTE, 0, target, 0, (int) Math.max(0, count));
            return count;
        });
        var stored = PathText.text(Arrays.copyOf(target, length));
        return stored.startsWith(root + "/") ? stored.substring(root.length()) : stored;
    }

    @Override
    public void rename(String from, String to, RenameMode mode) throws IOException {
        int flags = switch (mode) {
            case REPLACE -> 0;
            case NO_REPLACE -> 1;
            case EXCHANGE -> 2;
        };
        run((state, arena) -> (int) SystemCalls.RENAMEAT2.invokeExact(state, top, below(arena, from), top,
                below(arena, to), flags));
    }

    // ---- attributes

    @Override
    public Attributes stat(String path) throws IOException {
        return stat(top, path, 0);
    }

    @Override
    public Attributes lstat(String path) throws IOException {
        var found = stat(top, path, AT_SYMLINK_NOFOLLOW);
        return found.kind() == FileKind.SYMLINK ? withSize(found, PathText.bytes(readlink(path)).length) : found;
    }

    @Override
    public Attributes fstat(int file) throws IOException {
        return stat(file, "", AT_EMPTY_PATH);
    }

    private static Attributes stat(int directory, String path, int flags) throws IOException {
        var found = new Attributes[1];
        run((state, arena) -> {
            var buffer = arena.allocate(256, 8);
            int result = (int) SystemCalls.STATX.invokeExact(state, directory, below(arena, path), flags, STATX_BASIC,
                    buffer);
            found[0] = result == 0 ? attributes(buffer) : null;
            return result;
        });
        return found[0];
    }

    private static Attributes attributes(MemorySegment statx) {
        int mode = Short.toUnsignedInt(statx.get(JAVA_SHORT, 28));
        int major = statx.get(JAVA_INT, 128);
        int minor = statx.get(JAVA_INT, 132);
        return new Attributes(
                statx.get(JAVA_LONG, 32), FileKind.of(mode >>> 12), mode & 07777, statx.get(JAVA_INT, 20),
                statx.get(JAVA_INT, 24), statx.get(JAVA_INT, 16), statx.get(JAVA_LONG, 40),
                statx.get(JAVA_LONG, 48) * 512, time(statx, 64), time(statx, 112), time(statx, 96),
                minor & 0xff | major << 8 | (minor & ~0xff) << 12, 0);
    }

    private static long time(MemorySegment statx, long at) {
        return statx.get(JAVA_LONG, at) * 1_000_000_000L + statx.get(JAVA_INT, at + 8);
    }

    private static Attributes withSize(Attributes found, long size) {
        return new Attributes(
                found.ino(), found.kind(), found.mode(), found.uid(), found.gid(), found.links(), size,
                found.allocated(), found.atime(), found.mtime(), found.ctime(), found.device(), found.version());
    }

    @Override
    public void chmod(String path, int mode) throws IOException {
        run((state, arena) -> (int) SystemCalls.FCHMODAT.invokeExact(state, top, below(arena, path), mode, 0));
    }

    @Override
    public void fchmod(int file, int mode) throws IOException {
        run((state, arena) -> (int) SystemCalls.FCHMOD.invokeExact(state, file, mode));
    }

    @Override
    public void chown(String path, int uid, int gid) throws IOException {
        run((state, arena) -> (int) SystemCalls.FCHOWNAT.invokeExact(state, top, below(arena, path), uid, gid, 0));
    }

    @Override
    public void utimens(String path, long atime, long mtime) throws IOException {
        run((state, arena) -> (int) SystemCalls.UTIMENSAT.invokeExact(state, top, below(arena, path),
                times(arena, atime, mtime), 0));
    }

    @Override
    public void futimens(int file, long atime, long mtime) throws IOException {
        run((state, arena) -> (int) SystemCalls.FUTIMENS.invokeExact(state, file, times(arena, atime, mtime)));
    }

    private static MemorySegment times(Arena arena, long atime, long mtime) {
        var times = arena.allocate(32, 8);
        time(times, 0, atime);
        time(times, 16, mtime);
        return times;
    }

    private static void time(MemorySegment times, long at, long time) {
        times.set(JAVA_LONG, at, time == OMIT ? 0 : Math.floorDiv(time, 1_000_000_000L));
        times.set(JAVA_LONG, at + 8, time == OMIT ? UTIME_OMIT : Math.floorMod(time, 1_000_000_000L));
    }

    // ---- extended attributes

    @Override
    public byte[] getxattr(String path, String name) throws IOException {
        return variable((state, arena, buffer) -> (long) SystemCalls.GETXATTR.invokeExact(
                state, whole(arena, path), arena.allocateFrom(name), buffer, (long) XATTR_MAX));
    }

    @Override
    public void setxattr(String path, String name, byte[] value) throws IOException {
        setxattr(path, name, value, 0);
    }

    @Override
    public void setxattr(String path, String name, byte[] value, boolean mustExist) throws IOException {
        setxattr(path, name, value, mustExist ? XATTR_REPLACE : XATTR_CREATE);
    }

    private void setxattr(String path, String name, byte[] value, int flags) throws IOException {
        run((state, arena) -> (int) SystemCalls.SETXATTR.invokeExact(
                state, whole(arena, path), arena.allocateFrom(name), SystemCalls.bytes(arena, value),
                (long) value.length, flags));
    }

    @Override
    public List<String> listxattr(String path) throws IOException {
        byte[] names = variable((state, arena, buffer) -> (long) SystemCalls.LISTXATTR.invokeExact(
                state, whole(arena, path), buffer, (long) XATTR_MAX));
        return names.length == 0 ? List.of() : List.of(PathText.text(names).split("\0"));
    }

    @Override
    public void removexattr(String path, String name) throws IOException {
        run((state, arena) -> (int) SystemCalls.REMOVEXATTR.invokeExact(state, whole(arena, path),
                arena.allocateFrom(name)));
    }

    private interface Filling {
        long on(MemorySegment state, Arena arena, MemorySegment buffer) throws Throwable;
    }

    private static byte[] variable(Filling filling) throws IOException {
        byte[] bytes = new byte[XATTR_MAX];
        int length = (int) run((state, arena) -> {
            var buffer = arena.allocate(XATTR_MAX);
            long count = filling.on(state, arena, buffer);
            MemorySegment.copy(buffer, JAVA_BYTE, 0, bytes, 0, (int) Math.max(0, count));
            return count;
        });
        return Arrays.copyOf(bytes, length);
    }

    // ---- directories

    @Override
    public Directory opendir(String path) throws IOException {
        int file = (int) run((state, arena) -> (int) SystemCalls.OPENAT.invokeExact(
                state, top, below(arena, path), O_DIRECTORY | O_CLOEXEC, 0));
        return new OpenDirectory(file);
    }

    /** Reads as the C library does: a buffer full of entries at a time. */
    private static final class OpenDirectory implements Directory {
        private static final int BUFFER = 4096;
        private static final int NAME_AT = 19;

        private final int file;
        private final ArrayDeque<String> names = new ArrayDeque<>();

        OpenDirectory(int file) {
            this.file = file;
        }

        @Override
        public String read() throws IOException {
            while (names.isEmpty()) {
                if (fill() == 0) {
                    return null;
                }
            }
            return names.removeFirst();
        }

        private long fill() throws IOException {
            return run((state, arena) -> {
                var buffer = arena.allocate(BUFFER, 8);
                long count = (long) SystemCalls.GETDENTS.invokeExact(state, file, buffer, (long) BUFFER);
                for (long at = 0; at < count; at += Short.toUnsignedInt(buffer.get(JAVA_SHORT, at + 16))) {
                    var name = name(buffer, at + NAME_AT);
                    if (!name.equals(".") && !name.equals("..")) {
                        names.addLast(name);
                    }
                }
                return count;
            });
        }

        private static String name(MemorySegment buffer, long start) {
            long end = start;
            while (buffer.get(JAVA_BYTE, end) != 0) {
                end++;
            }
            return PathText.text(buffer.asSlice(start, end - start).toArray(JAVA_BYTE));
        }

        @Override
        public void rewind() throws IOException {
            names.clear();
            run((state, arena) -> (long) SystemCalls.LSEEK.invokeExact(state, file, 0L, 0));
        }

        @Override
        public void close() throws IOException {
            run((state, arena) -> (int) SystemCalls.CLOSE.invokeExact(state, file));
        }
    }

    /** Also when the mount is dead and files say so, everything is closed and the mask is put back; once. */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            closeFiles();
        } finally {
            restoreMask();
            run((state, arena) -> (int) SystemCalls.CLOSE.invokeExact(state, top));
        }
    }

    private void closeFiles() throws IOException {
        RuntimeException first = null;
        for (int file : List.copyOf(files)) {
            try {
                close(file);
            } catch (RuntimeException dead) {
                first = first == null ? dead : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
