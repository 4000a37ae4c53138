package volsh.fuse.jnr;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import volsh.fs.FsException;
import volsh.fuse.Handles;

/**
 * Maps a node of the kernel to its inode while the file is open. Learned when a file is opened; for a new file libfuse
 * does not report the node, so it is learned when the handle is first used. A file that lost a name here is used by its
 * inode from then on: libfuse has no path for its node.
 */
final class OpenNodes {
    private final Handles handles;
    private final Map<Long, Long> nodes = new ConcurrentHashMap<>();
    private final Map<Long, Opened> inodes = new ConcurrentHashMap<>();
    private final Set<Long> unnamed = ConcurrentHashMap.newKeySet();

    OpenNodes(Handles handles) {
        this.handles = handles;
    }

    private record Opened(long inode, int handles) {
        @Nullable Opened plus(int more) {
            return handles + more == 0 ? null : new Opened(inode, handles + more);
        }
    }

    /** A handle of the node was used. */
    void used(long node, long handle) {
        if (!nodes.containsKey(handle)) {
            try {
                opened(node, handle, handles.file(handle).ino());
            } catch (FsException unknown) {
                // the answer to the request reports it
            }
        }
    }

    void opened(long node, long handle, long inode) {
        if (nodes.putIfAbsent(handle, node) == null) {
            inodes.compute(node, (key, known) -> known == null ? new Opened(inode, 1) : known.plus(1));
        }
    }

    /** Whether this node is open as another file: it was replaced elsewhere, and libfuse knows files only by path. */
    boolean isOther(long node, long inode) {
        var known = inodes.get(node);
        return known != null && known.inode() != inode;
    }

    /** An open file lost a name. */
    void lostName(long inode) {
        unnamed.add(inode);
    }

    void released(long handle) {
        Long node = nodes.remove(handle);
        if (node != null) {
            inodes.computeIfPresent(node, (key, known) -> known.plus(-1));
        }
    }

    /** The file is no longer open. */
    void closed(long inode) {
        unnamed.remove(inode);
    }

    /** The inode of this node if it is open and has no path; otherwise 0. */
    long unnamed(long node) {
        var known = inodes.get(node);
        return known != null && unnamed.contains(known.inode()) ? known.inode() : 0;
    }
}
