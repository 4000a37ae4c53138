package volsh.tree;

import java.nio.file.Path;
import volsh.fs.Attributes;
import volsh.object.KeyOrdering;

/**
 * A file, directory or link of a tree.
 *
 * @param path relative to the place of the tree, names separated by slashes; empty for the place itself. A key of a
 *     bucket may have empty names, {@code .} and {@code ..}
 * @param attributes of an object only kind, size and modification time are real; see {@link #isObject}
 * @param etag the state of an object; empty for files
 */
public record TreeEntry(String path, Attributes attributes, String etag, Origin origin) {
    /** What the tree opens it by. */
    public sealed interface Origin {
        record File(Path path) implements Origin {}

        record Inode(long number) implements Origin {}

        record Key(String key) implements Origin {}
    }

    public boolean isDirectory() {
        return attributes.isDirectory();
    }

    public boolean isRegular() {
        return attributes.isRegular();
    }

    public long size() {
        return attributes.size();
    }

    /** Nanoseconds since the epoch; of an object, when it was stored. */
    public long modified() {
        return attributes.mtime();
    }

    /** Whether it is an object of a bucket, or a common prefix: without inode, mode, owner and links. */
    public boolean isObject() {
        return origin instanceof Origin.Key;
    }

    /** The last name of the path. */
    public String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** The place of the entry in a listing: a directory comes where its contents do. */
    public String sortKey() {
        return isDirectory() && !path.isEmpty() ? path + '/' : path;
    }

    /** Compares by the order of listings, which is the same for all kinds of trees. */
    public static int compare(TreeEntry one, TreeEntry other) {
        return KeyOrdering.BYTES.compare(one.sortKey(), other.sortKey());
    }
}
