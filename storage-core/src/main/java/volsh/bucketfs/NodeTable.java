package volsh.bucketfs;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fuse.FuseFileSystem;

/**
 * The nodes that the kernel refers to or that are open. The number of a node follows from its path when it is made, so
 * that it is the same after a remount. While a file is open its node stands for one state of the object: another state
 * gets another node, so that no reader sees a mixture of the two. Thread-safe.
 */
final class NodeTable {
    /** Beyond this, directories are read without attributes, which the kernel then asks for by name. */
    private static final int NODES_MAX = 300_000;

    private volatile int most = NODES_MAX;

    private final BucketNode root = new BucketNode(FuseFileSystem.ROOT, true, null, "", "");
    private final Map<Long, BucketNode> byId = new HashMap<>();
    private final Map<Long, Map<String, BucketNode>> children = new HashMap<>();

    NodeTable() {
        byId.put(root.id, root);
    }

    BucketNode root() {
        return root;
    }

    synchronized boolean isCrowded() {
        return byId.size() > most;
    }

    /** For tests of what happens beyond it. */
    void limit(int nodes) {
        most = nodes;
    }

    /** @throws FsException NO_ENTRY if it was forgotten */
    synchronized BucketNode require(long id) throws FsException {
        var node = byId.get(id);
        if (node == null) {
            throw new FsException(FsError.NO_ENTRY);
        }
        return node;
    }

    synchronized BucketNode requireDirectory(long id) throws FsException {
        var node = require(id);
        if (!node.directory) {
            throw new FsException(FsError.NOT_DIRECTORY);
        }
        return node;
    }

    synchronized @Nullable BucketNode at(BucketNode directory, String name) {
        var below = children.get(directory.id);
        return below == null ? null : below.get(name);
    }

    /** The node of an item, made if necessary, with one more reference. */
    synchronized BucketNode enter(BucketNode directory, DirectoryItem item, long since) {
        var node = at(directory, item.name());
        if (node != null && node.directory != item.isDirectory()) {
            detach(node);
            node = null;
        }
        if (node != null && !node.directory) {
            node = refreshed(node, item.state(), since);
        }
        if (node == null) {
            node = make(directory, item.name(), item.segment(), item.isDirectory());
            node.state = item.state();
            node.since = since;
        } else if (node.directory && since - node.since > 0) {
            node.since = since;
        }
        node.references++;
        return node;
    }

    /** The node with what the bucket has; null if that is another state of a file that is open. */
    synchronized @Nullable BucketNode refreshed(BucketNode node, @Nullable ObjectState found, long since) {
        var known = node.state;
        if (node.writer != null || since - node.since < 0 || found == null) {
            return node;
        }
        if (known != null && node.opens > 0 && !known.sameBytes(found)) {
            detach(node);
            return null;
        }
        boolean keepsMetadata = known != null && found.metadata() == null && known.sameBytes(found)
                && known.mtime() == found.mtime();
        node.state = keepsMetadata ? known : found;
        node.since = since;
        return node;
    }

    /** A new node in this place, whatever was there before; without a reference. */
    synchronized BucketNode make(BucketNode directory, String name, String segment, boolean isDirectory) {
        var before = at(directory, name);
        if (before != null) {
            detach(before);
        }
        var node = new BucketNode(newId(directory, name, isDirectory), isDirectory, directory, name, segment);
        byId.put(node.id, node);
        children.computeIfAbsent(directory.id, _ -> new HashMap<>()).put(name, node);
        return node;
    }

    private long newId(BucketNode directory, String name, boolean isDirectory) {
        long id = id(directory, name, isDirectory);
        while (byId.containsKey(id) || id <= FuseFileSystem.ROOT) {
            id = id + 1 & Long.MAX_VALUE;
        }
        return id;
    }

    /** The number that an entry has, or gets unless that is taken. */
    synchronized long idOf(BucketNode directory, DirectoryItem item) {
        var known = at(directory, item.name());
        return known != null ? known.id : id(directory, item.name(), item.isDirectory());
    }

    private static long id(BucketNode directory, String name, boolean isDirectory) {
        long hash = 0xcbf29ce484222325L ^ (isDirectory ? 1 : 0);
        for (byte each : (directory.prefix() + name).getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ each & 0xff) * 0x100000001b3L;
        }
        hash = (hash ^ hash >>> 32) * 0xd6e8feb86659fd93L;
        return hash >>> 1;
    }

    /** Takes a node out of its place; programs that have it open keep it. */
    synchronized void detach(BucketNode node) {
        if (node.gone || node.parent == null) {
            return;
        }
        node.gone = true;
        unplace(node);
        clean(node);
    }

    private void unplace(BucketNode node) {
        var parent = node.parent;
        var below = parent == null ? null : children.get(parent.id);
        if (parent != null && below != null && below.remove(node.name, node) && below.isEmpty()) {
            children.remove(parent.id);
        }
    }

    /** Gives a node another place. */
    synchronized void move(BucketNode node, BucketNode directory, String name, String segment) {
        var before = at(directory, name);
        if (before != null && before != node) {
            detach(before);
        }
        unplace(node);
        node.parent = directory;
        node.name = name;
        node.segment = segment;
        children.computeIfAbsent(directory.id, _ -> new HashMap<>()).put(name, node);
    }

    synchronized void opened(BucketNode node) {
        node.opens++;
    }

    synchronized void closed(BucketNode node) {
        node.opens--;
        clean(node);
    }

    synchronized void refer(BucketNode node) {
        node.references++;
    }

    synchronized void unrefer(BucketNode node) {
        node.references--;   // not cleaned: the caller uses it
    }

    synchronized void forget(long id, long references) {
        var node = byId.get(id);
        if (node != null && node != root) {
            node.references -= references;
            clean(node);
        }
    }

    /** Removes a node that nothing refers to. */
    synchronized void clean(BucketNode node) {
        if (node.references <= 0 && node.opens == 0 && node.writer == null) {
            unplace(node);
            byId.remove(node.id, node);
        }
    }

    /** Files in this directory that have bytes which are not stored, in no order. */
    synchronized List<BucketNode> unstored(BucketNode directory) {
        var below = children.get(directory.id);
        var found = new ArrayList<BucketNode>();
        if (below != null) {
            below.values().stream().filter(node -> node.writer != null).forEach(found::add);
        }
        return found;
    }

    /** All files below this directory that have bytes which are not stored. */
    synchronized List<BucketNode> unstoredBelow(BucketNode ancestor) {
        return byId.values().stream().filter(node -> node.writer != null && !node.gone && node.isBelow(ancestor))
                .toList();
    }

    synchronized int size() {
        return byId.size();
    }
}
