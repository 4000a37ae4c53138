package volsh.bucketfs;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A file or directory that the kernel knows by a number, or that is open. Guarded by the table of nodes. */
final class BucketNode {
    final long id;
    final boolean directory;
    @Nullable BucketNode parent;   // null for the root
    String name;
    String segment;
    long references;
    int opens;
    boolean gone;   // its place is taken by another state of the object, or by nothing
    volatile @Nullable ObjectState state;   // null for directories, and for files that are not stored yet
    volatile long since;
    volatile @Nullable Map<String, String> metadata;   // of the next state to be stored; null if that is as it was
    volatile @Nullable ObjectWriter writer;   // null unless the file has bytes that are not stored

    BucketNode(long id, boolean directory, @Nullable BucketNode parent, String name, String segment) {
        this.id = id;
        this.directory = directory;
        this.parent = parent;
        this.name = name;
        this.segment = segment;
    }

    boolean isRoot() {
        return parent == null;
    }

    /** How the keys of everything in this directory begin. */
    String prefix() {
        return parent == null ? "" : parent.prefix() + segment + "/";
    }

    /** The prefix of the directory that it is in. */
    String parentPrefix() {
        return Objects.requireNonNull(parent).prefix();
    }

    String key() {
        return directory ? prefix() : parentPrefix() + segment;
    }

    /** Its path in the mount, without a slash at the beginning. */
    String path() {
        return parent == null ? "" : parent.isRoot() ? name : parent.path() + "/" + name;
    }

    boolean isBelow(BucketNode ancestor) {
        for (var each = this; each != null; each = each.parent) {
            if (each == ancestor) {
                return true;
            }
        }
        return false;
    }
}
