package volsh.dataset;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;
import volsh.fs.ByteSource;

/**
 * A directory with the files of a dataset, on a local disk or in a volume. Names are relative paths with slashes; they
 * never lead out of the directory.
 */
public interface DatasetDirectory {
    /** Names of working files begin with this; they are no part of a dataset. */
    String WORK = ".volsh-pack";

    /** The name as messages show it, such as {@code data:/shards/train-000000.tar}. */
    String shown(String name);

    /**
     * Visits all files below, each directory in the order of its names. Files whose names begin with a dot are left
     * out.
     */
    void walk(Visitor visitor) throws IOException;

    /** Visits the files of a tree. */
    interface Visitor {
        /**
         * A regular file.
         *
         * @param stamp  changes when the file changes
         * @param handle what {@link #read} needs to find it again
         */
        void file(String name, long size, long stamp, long handle) throws IOException;

        /** A file or directory that cannot be a part of a dataset, and why. */
        void unusable(String name, String reason);
    }

    /** A file of this directory, for a list that names it. */
    record Found(long size, long stamp, long handle) {}

    /** @throws IOException if there is no such regular file */
    Found find(String name) throws IOException;

    /** The names of the files directly in a directory below this one, sorted; none if there is no such directory. */
    List<String> names(String directory) throws IOException;

    /** The size of a regular file; empty if there is none. */
    OptionalLong size(String name) throws IOException;

    /** The bytes of a file that {@link #walk} showed. */
    InputStream read(String name, long handle) throws IOException;

    /** Whether it is worth announcing what will be read. */
    default boolean readsAhead() {
        return false;
    }

    /** A file will soon be read as a whole: a distant directory may get it meanwhile. */
    default void willRead(String name, long size, long handle) {}

    /** The file, for reading at any offset. Close it. */
    OpenShard open(String name) throws IOException;

    /** A file open for reading. */
    interface OpenShard extends ByteSource, AutoCloseable {
        @Override
        void close() throws IOException;
    }

    /** Begins a file, with the directories above it; it appears under its name when it is committed. */
    PendingFile create(String name) throws IOException;

    /** Begins to create many files; those that exist are replaced or refused. */
    default FileBatch batch(boolean replace) throws IOException {
        return new SingleFiles(this, replace);
    }

    /** Makes a directory for {@link #create}, and those above it. */
    void makeDirectories() throws IOException;

    /** Removes a file, or an empty directory, if it exists. */
    void delete(String name) throws IOException;

    /** Whether a committed file survives power loss without {@link #sync}. */
    default boolean isDurable() {
        return false;
    }

    /** Makes these committed files survive power loss. */
    void sync(List<String> names) throws IOException;

    /** The whole of a small file. @throws IOException if it is larger than {@code most} */
    default byte[] content(String name, int most) throws IOException {
        try (var file = open(name)) {
            long size = file.size();
            if (size > most) {
                throw new IOException("%s: too large (%d bytes)".formatted(shown(name), size));
            }
            var bytes = ByteBuffer.allocate((int) size);
            while (bytes.hasRemaining() && file.read(bytes.position(), bytes) > 0) {
                // until it is full
            }
            if (bytes.hasRemaining()) {
                throw new IOException("%s: became shorter while it was read".formatted(shown(name)));
            }
            return bytes.array();
        }
    }

    /** Creates a small file. */
    default void write(String name, byte[] content) throws IOException {
        try (var file = create(name)) {
            file.stream().write(content);
            file.commit();
        }
    }
}
