package volsh.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Files and directories on a local disk. Nothing survives power loss until it was synced: the bytes and length of a
 * file
 * by {@link File#sync}, its name (created, renamed, deleted) by {@link #syncDirectory} of its directory.
 */
public interface Disk {
    /** Opens an existing file for reading. @throws java.nio.file.NoSuchFileException if there is none */
    File open(Path path) throws IOException;

    /** Opens an existing file for reading and writing. @throws java.nio.file.NoSuchFileException if there is none */
    File edit(Path path) throws IOException;

    /**
     * Makes a new, empty file, mode 0600, open for reading and writing. @throws
     * java.nio.file.FileAlreadyExistsException if the name is taken
     */
    File create(Path path) throws IOException;

    /**
     * The same for a file that will be written at once, with so many bytes: a hint that changes nothing but the speed.
     */
    default File create(Path path, long size) throws IOException {
        return create(path);
    }

    /** Makes the directory (0700) and its missing parents, durably. */
    void makeDirectories(Path directory) throws IOException;

    /** The same for several in one directory, which is there: faster than one after the other. */
    default void makeDirectories(Path parent, List<String> names) throws IOException {
        for (var name : names) {
            makeDirectories(parent.resolve(name));
        }
    }

    /**
     * The same for a directory that has to be {@link Trust trusted}: no link, ours, and nobody else may write to it.
     *
     * @throws UntrustedException if it is not
     */
    default void makePrivateDirectories(Path directory) throws IOException {
        makeDirectories(directory);
    }

    /**
     * This disk with hold of a directory that has to be {@link Trust trusted}: what is below it is used through what was
     * opened and checked, though others move it away meanwhile, or put a link in its place. Only paths below it may be
     * given to what is returned.
     *
     * @throws UntrustedException if it may not be trusted
     */
    default Disk hold(Path directory) throws IOException {
        return this;
    }

    /** The same, for a directory that is made if it is not there, with its missing parents, 0700 and durably. */
    default Disk makeHeld(Path directory) throws IOException {
        makePrivateDirectories(directory);
        return hold(directory);
    }

    /** The disk that looks each path up by its name, as another process will. */
    default Disk byName() {
        return this;
    }

    /** The way to a path of this disk, for what the disk itself cannot do: locks. */
    default Path through(Path path) {
        return path;
    }

    /** Moves {@code from} over {@code to} in one step. */
    void rename(Path from, Path to) throws IOException;

    /** Gives the file a second name. @throws java.nio.file.FileAlreadyExistsException if that is taken */
    void link(Path from, Path to) throws IOException;

    /** Removes the file if it is there. */
    void delete(Path path) throws IOException;

    /** What the directory holds, by name; empty if there is no such directory. */
    List<Listed> list(Path directory) throws IOException;

    /** Is there a directory of this name? A link to one does not count. */
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

    /** What the name stands for now; empty if for nothing. A link counts as itself. */
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

    /** Two that are equal are of one file that nobody wrote to in between, as far as its clock can tell. */
    record Stamp(Object file, long size, Object modified) {}

    /** One name in a directory. */
    record Listed(String name, boolean directory, long size, long modifiedMillis) {}
}
