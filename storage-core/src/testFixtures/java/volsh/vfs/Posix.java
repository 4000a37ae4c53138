package volsh.vfs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import volsh.fs.Attributes;
import volsh.fs.FileKind;
import volsh.fs.FsException;
import volsh.fs.RenameMode;

/**
 * The system calls of a file system, by path, as a program makes them. What {@link VfsContract} promises is said in
 * these words, so that it holds for a {@link Vfs} and for a mount alike. Refusals are {@link FsException}.
 *
 * <p>Paths are text; a name that is not UTF-8 has the character {@code U+DC00 + b} for each odd byte {@code b}.
 */
public interface Posix extends AutoCloseable {
    int READ = 0;
    int WRITE = 1;
    int READ_WRITE = 2;
    int CREATE = 0100;
    int EXCLUSIVE = 0200;
    int TRUNCATE = 01000;
    int NO_FOLLOW = 0400000;

    int KEEP_SIZE = 1;
    int PUNCH_HOLE = 2;
    int ZERO_RANGE = 16;

    /** As a time to set: leave it as it is. */
    long OMIT = Long.MIN_VALUE;

    int open(String path, int flags, int mode) throws IOException;

    void close(int file) throws IOException;

    /** Reads until {@code target} is full or the file ends; returns the bytes read. */
    int pread(int file, byte[] target, long offset) throws IOException;

    void pwrite(int file, byte[] bytes, long offset) throws IOException;

    void fsync(int file) throws IOException;

    void ftruncate(int file, long size) throws IOException;

    void truncate(String path, long size) throws IOException;

    void fallocate(int file, int mode, long offset, long length) throws IOException;

    long seekData(int file, long offset) throws IOException;

    long seekHole(int file, long offset) throws IOException;

    long copyRange(int source, long from, int target, long to, long length) throws IOException;

    void mkdir(String path, int mode) throws IOException;

    void rmdir(String path) throws IOException;

    void mknod(String path, FileKind kind, int mode, int device) throws IOException;

    void unlink(String path) throws IOException;

    void link(String existing, String path) throws IOException;

    void symlink(String target, String path) throws IOException;

    String readlink(String path) throws IOException;

    void rename(String from, String to, RenameMode mode) throws IOException;

    Attributes stat(String path) throws IOException;

    Attributes lstat(String path) throws IOException;

    Attributes fstat(int file) throws IOException;

    void chmod(String path, int mode) throws IOException;

    void fchmod(int file, int mode) throws IOException;

    /** -1 leaves user or group as it is. */
    void chown(String path, int uid, int gid) throws IOException;

    void utimens(String path, long atime, long mtime) throws IOException;

    void futimens(int file, long atime, long mtime) throws IOException;

    byte[] getxattr(String path, String name) throws IOException;

    void setxattr(String path, String name, byte[] value) throws IOException;

    /** {@code mustExist}: only replaces; else only creates. */
    void setxattr(String path, String name, byte[] value, boolean mustExist) throws IOException;

    List<String> listxattr(String path) throws IOException;

    void removexattr(String path, String name) throws IOException;

    Directory opendir(String path) throws IOException;

    @Override
    void close() throws IOException;

    /** A directory being read. {@code .} and {@code ..} are left out. */
    interface Directory extends AutoCloseable {
        /** The next name, or null at the end. */
        String read() throws IOException;

        void rewind() throws IOException;

        @Override
        void close() throws IOException;
    }

    // ---- what tests say most

    default void rename(String from, String to) throws IOException {
        rename(from, to, RenameMode.REPLACE);
    }

    /** Makes or replaces a file with these bytes. */
    default void save(String path, byte[] bytes) throws IOException {
        int file = open(path, WRITE | CREATE | TRUNCATE, 0644);
        try {
            pwrite(file, bytes, 0);
        } finally {
            close(file);
        }
    }

    default void save(String path, String text) throws IOException {
        save(path, text.getBytes(StandardCharsets.UTF_8));
    }

    /** All bytes of a file. */
    default byte[] load(String path) throws IOException {
        int file = open(path, READ, 0);
        try {
            return load(file);
        } finally {
            close(file);
        }
    }

    default byte[] load(int file) throws IOException {
        byte[] bytes = new byte[Math.toIntExact(fstat(file).size())];
        int count = pread(file, bytes, 0);
        if (count != bytes.length) {
            throw new IOException("read %d bytes of a file that has %d".formatted(count, bytes.length));
        }
        return bytes;
    }

    default String text(String path) throws IOException {
        return new String(load(path), StandardCharsets.UTF_8);
    }

    /** The names in a directory, in the order they come. */
    default List<String> list(String path) throws IOException {
        var names = new ArrayList<String>();
        try (var directory = opendir(path)) {
            for (String name = directory.read(); name != null; name = directory.read()) {
                names.add(name);
            }
        }
        return names;
    }
}
