package volsh.fuse.jnr;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import volsh.fs.FsException;
import volsh.fuse.Handles;

/**
 * Which inode is behind a node of the kernel, while the file is open. Learned when a file is opened; of a file just made
 * libfuse does not tell the node, so there it is learned when the handle is first used.
 */
final class OpenNodes {
    private final Handles handles;
    private final Map<Long, Long> nodes = new ConcurrentHashMap<>();
    private final Map<Long, Opened> inodes = new ConcurrentHashMap<>();

    OpenNodes(Handles handles) {
        this.handles = handles;
    }

    private record Opened(long inode, int handles) {}

    /** A handle of the node came by. */
    void used(long node, long handle) {
        if (!nodes.containsKey(handle)) {
            try {
                opened(node, handle, handles.file(handle).ino());
            } catch (FsException unknown) {
                // whoever answers the request says so
            }
        }
    }

    void opened(long node, long handle, long inode) {
        if (nodes.putIfAbsent(handle, node) == null) {
            inodes.compute(node, (key, known) -> new Opened(inode, known == null ? 1 : known.handles() + 1));
        }
    }

    void released(long handle) {
        Long node = nodes.remove(handle);
        if (node != null) {
            inodes.computeIfPresent(node, (key, known) -> known.handles() == 1 ? null : new Opened(known.inode(), known.handles() - 1));
        }
    }

    /** The inode of this node if it is known to be open; else 0. */
    long inode(long node) {
        var known = inodes.get(node);
        return known == null ? 0 : known.inode();
    }
}
