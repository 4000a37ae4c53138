package volsh.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Files and directories on a local disk. Nothing survives power loss until it was synced: the bytes and length of a
 * file by {@link File#sync}, its name (created, renamed, deleted) by {@link #syncDirectory} of its directory.
 */
public interface Disk {
    /** Opens an existing file for reading. @throws java.nio.file.NoSuchFileException if there is none */
    File open(Path path) throws IOException;

    /** Opens an existing file for reading and writing. @throws java.nio.file.NoSuchFileException if there is none */
    File edit(Path path) throws IOException;

    /**
     * Creates an empty file, mode 0600, open for reading and writing.
     * @throws java.nio.file.FileAlreadyExistsException if the name is taken
     */
    File create(Path path) throws IOException;

    /** Like {@link #create(Path)}, for a file that will be written at once with this many bytes: a hint for speed. */
    default File create(Path path, long size) throws IOException {
        return create(path);
    }

    /** Creates the directory (0700) and its missing parents, durably. */
    void makeDirectories(Path directory) throws IOException;

    /** Creates several directories in an existing one: faster than one by one. */
    default void makeDirectories(Path parent, List<String> names) throws IOException {
        for (var name : names) {
            makeDirectories(parent.resolve(name));
        }
    }

    /**
     * Like {@link #makeDirectories(Path)}, for a directory that must be {@link Trust trusted}: not a link, ours, and
     * not writable by others.
     *
     * @throws UntrustedException if it is not trusted
     */
    default void makePrivateDirectories(Path directory) throws IOException {
        makeDirectories(directory);
    }

    /**
     * This disk, holding open a directory that must be {@link Trust trusted}: everything below it is accessed through
     * the opened and checked directory, even if others move it away meanwhile or put a link in its place. The result
     * only accepts paths below it.
     *
     * @throws UntrustedException if it is not trusted
     */
    default Disk hold(Path directory) throws IOException {
        return this;
    }

    /** Like {@link #hold}, for a directory that is created if missing, with its parents, 0700 and durably. */
    default Disk makeHeld(Path directory) throws IOException {
        makePrivateDirectories(directory);
        return hold(directory);
    }

    /** The disk that looks up each path by name, as another process will. */
    default Disk byName() {
        return this;
    }

    /** A usable path for operations that the disk itself cannot do: locks. */
    default Path through(Path path) {
        return path;
    }

    /** Replaces {@code to} by {@code from} atomically. */
    void rename(Path from, Path to) throws IOException;

    /** Gives the file a second name. @throws java.nio.file.FileAlreadyExistsException if that is taken */
    void link(Path from, Path to) throws IOException;

    /** Removes the file if it exists. */
    void delete(Path path) throws IOException;

    /** The entries of the directory, by name; empty if it does not exist. */
    List<Listed> list(Path directory) throws IOException;

    /** Whether there is a directory of this name. A link to one does not count. */
    default boolean isDirectory(Path path) throws IOException {
        return list(directoryOf(path)).stream().anyMatch(each -> each.directory() && path.endsWith(each.name()));
    }

    /** The directory that a path lies in. @throws IllegalArgumentException if it lies in none */
    static Path directoryOf(Path path) {
        Path parent = path.getParent();
        if (parent == null) {
            throw new IllegalArgumentException("%s lies in no directory".formatted(path));
        }
        return parent;
    }

    /** The identity of the file of this name; empty if there is none. A link counts as itself. */
    Optional<Stamp> stamp(Path path) throws IOException;

    /** Makes the names in this directory survive power loss. */
    void syncDirectory(Path directory) throws IOException;

    /** An open file. Reads and writes are positional and may come from several threads. */
    interface File extends AutoCloseable {
        /** Reads until {@code target} is full or the file ends; returns the bytes read. */
        int read(ByteBuffer target, long position) throws IOException;

        /** Writes all that remains in {@code source}. */
        void write(ByteBuffer source, long position) throws IOException;

        long size() throws IOException;

        /** Makes bytes and length survive power loss. */
        void sync() throws IOException;

        @Override
        void close() throws IOException;
    }

    /** Two equal stamps mean the same file, unchanged in between, as far as its clock can tell. */
    record Stamp(Object file, long size, Object modified) {}

    /** One name in a directory. */
    record Listed(String name, boolean directory, long size, long modifiedMillis) {}
}
