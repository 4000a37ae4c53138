package volsh.tree;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Files below a place, wherever it is. Paths are relative to the place; the empty path is the place itself. All kinds
 * of trees list in one order, that of the UTF-8 bytes of keys, so two of them are compared in one pass.
 *
 * <p>Thread-safe.
 */
public interface FileTree extends AutoCloseable {
    /** How a user writes this path of the tree. */
    String name(String path);

    /** The entry of the path, a link itself and not its target; empty if there is none. */
    Optional<TreeEntry> find(String path) throws IOException;

    /** What is directly in a directory. */
    TreeCursor children(String path) throws IOException;

    /**
     * Everything below a directory, directories before their contents. Buckets have no directories: only their markers
     * are listed as such.
     */
    TreeCursor below(String path) throws IOException;

    TreeReader open(TreeEntry file) throws IOException;

    /** What is stored with an object; empty for files. */
    default Map<String, String> metadata(TreeEntry file) throws IOException {
        return Map.of();
    }

    /** When the original of a copy was modified, as far as that is kept; else when the entry was. */
    default long originalModified(TreeEntry file) throws IOException {
        return file.modified();
    }

    /** Where a symbolic link leads. */
    String target(TreeEntry link) throws IOException;

    /** Begins a file; missing directories on its way are made. */
    TreeWriter create(NewEntry file) throws IOException;

    /** Makes a directory, and those on its way; one that exists is fine. A bucket needs none. */
    void makeDirectory(String path) throws IOException;

    /** Makes a symbolic link in place of any other file. @throws UnsupportedOperationException in a bucket */
    void makeLink(String path, String target) throws IOException;

    /** Removes files, links and empty directories, many at a time where that saves requests. Absent ones are fine. */
    void remove(List<TreeEntry> entries) throws IOException;

    /** Copies a file to another tree without moving its bytes through this process; false if that is not possible. */
    boolean copyTo(TreeEntry file, FileTree target, NewEntry copy) throws IOException;

    /** Whether files keep the modification time, mode and links of their originals. */
    boolean keepsAttributes();

    /** Everything that was written survives power loss when this returns. */
    void sync() throws IOException;

    /** The tree is all that it should be: removes what stopped copies to it have left for others to go on with. */
    default void complete() throws IOException {}

    @Override
    void close() throws IOException;
}
