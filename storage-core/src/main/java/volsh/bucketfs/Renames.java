package volsh.bucketfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.RenameMode;
import volsh.object.ObjectQuery;
import volsh.object.ObjectStore;

/**
 * Renames: the server copies the object, then the old one is deleted. A directory is renamed object by object: nothing
 * is deleted before everything is copied, so an interrupted rename leaves objects under both names, and loses none.
 */
public final class Renames {
    private static final int COPIES_MAX = 16;
    private static final int DELETE_MAX = 1000;

    private final ObjectStore store;
    private final BucketFileSystem files;
    private final NodeTable nodes;
    private final Set<Progress> running = ConcurrentHashMap.newKeySet();

    Renames(ObjectStore store, BucketFileSystem files, NodeTable nodes) {
        this.store = store;
        this.files = files;
        this.nodes = nodes;
    }

    /** A directory that is being renamed. */
    private record Progress(String from, String to, int objects, AtomicInteger copied) {}

    /** One line for each directory that is being renamed. */
    public List<String> running() {
        return running.stream().map(each -> "rename %s to %s: %d of %d objects copied".formatted(each.from, each.to,
                each.copied.get(), each.objects)).toList();
    }

    void rename(BucketNode parent, Name name, BucketNode newParent, Name newName, RenameMode mode)
            throws IOException {
        var node = files.child(parent, name);
        var text = files.creatable(newParent, newName, node.directory);
        var target = files.lookup(newParent.id, newName).attributes();
        var replaced = target == null ? null : nodes.require(target.ino());
        if (replaced != null) {
            nodes.unrefer(replaced);
            if (replaced == node) {
                return;
            }
            requireReplaceable(node, replaced, mode);
        }
        if (node.directory && newParent.isBelow(node)) {
            throw new FsException(FsError.INVALID);
        }
        String segment = Objects.requireNonNull(SegmentName.parse(text).orElseThrow().segment());
        if (node.directory) {
            directory(node, newParent, text, segment);
        } else {
            file(node, newParent, text, segment, replaced);
        }
        files.kept(parent);
        files.emptied().remove(newParent.prefix());
    }

    private void requireReplaceable(BucketNode node, BucketNode replaced, RenameMode mode) throws IOException {
        if (mode == RenameMode.NO_REPLACE) {
            throw new FsException(FsError.EXISTS);
        }
        if (replaced.directory != node.directory) {
            throw new FsException(replaced.directory ? FsError.IS_DIRECTORY : FsError.NOT_DIRECTORY);
        }
        if (replaced.directory && (!files.isEmpty(replaced.prefix()) || !nodes.unstoredBelow(replaced).isEmpty())) {
            throw new FsException(FsError.NOT_EMPTY);
        }
    }

    private void file(BucketNode node, BucketNode newParent, String name, String segment,
            @Nullable BucketNode replaced) throws IOException {
        paused(replaced == null ? null : replaced.writer, other -> paused(node.writer, writer -> {
            if (writer != null && writer.isUploading()) {
                throw new FsException(FsError.BUSY, "%s is being uploaded under this name".formatted(node.key()));
            }
            moveFile(node, newParent, name, segment);
            if (writer != null) {
                writer.became(node.state);
            }
            if (other != null) {
                other.unlinked();
            }
        }));
    }

    private interface Move {
        void run(@Nullable ObjectWriter paused) throws IOException;
    }

    /** Moves while nothing is written or stored by this writer, if there is one. */
    private static void paused(@Nullable ObjectWriter writer, Move move) throws IOException {
        if (writer == null) {
            move.run(null);
        } else {
            writer.paused(() -> move.run(writer));
        }
    }

    private void moveFile(BucketNode node, BucketNode newParent, String name, String segment) throws IOException {
        String from = node.key();
        String to = newParent.prefix() + segment;
        String oldPrefix = node.parentPrefix();
        String oldName = node.name;
        var state = node.state;
        if (state != null) {
            store.copy(from, to, null);
            store.delete(List.of(from));
            var found = store.head(to);
            state = ObjectState.of(found);
        }
        files.names().changed(oldPrefix, oldName, null);
        nodes.move(node, newParent, name, segment);
        if (state != null) {
            node.state = state;
            node.since = files.names().now();
            files.names().changed(newParent.prefix(), name, new DirectoryItem(name, segment, state));
        }
    }

    private void directory(BucketNode node, BucketNode newParent, String name, String segment) throws IOException {
        var written = nodes.unstoredBelow(node);
        paused(written.iterator(), () -> {
            for (var each : written) {
                var writer = each.writer;
                if (writer != null && writer.isUploading()) {
                    throw new FsException(FsError.BUSY, "%s is being uploaded under this name".formatted(each.key()));
                }
            }
            copyAll(node, newParent, name, segment);
            for (var each : written) {
                restate(each);
            }
        });
    }

    /** Runs while nothing of these files is written or stored. */
    private static void paused(Iterator<BucketNode> written, ObjectWriter.Action action) throws IOException {
        if (written.hasNext()) {
            paused(written.next().writer, _ -> paused(written, action));
        } else {
            action.run();
        }
    }

    /** A file that is being written is to be stored over the copy of what it was. */
    private void restate(BucketNode node) throws IOException {
        var writer = node.writer;
        if (writer != null && node.state != null) {
            var state = ObjectState.of(store.head(node.key()));
            node.state = state;
            writer.became(state);
        }
    }

    private void copyAll(BucketNode node, BucketNode newParent, String name, String segment) throws IOException {
        String from = node.prefix();
        String to = newParent.prefix() + segment + "/";
        var keys = keys(from);
        var progress = new Progress(from, to, keys.size(), new AtomicInteger());
        running.add(progress);
        try {
            copy(keys, from, to, progress);
            for (int at = 0; at < keys.size(); at += DELETE_MAX) {
                store.delete(keys.subList(at, Math.min(keys.size(), at + DELETE_MAX)));
            }
        } finally {
            running.remove(progress);
        }
        files.names().forget(from);
        files.names().forget(to);
        files.names().changed(node.parentPrefix(), node.name, null);
        var emptied = List.copyOf(files.emptied()).stream().filter(each -> each.startsWith(from)).toList();
        emptied.forEach(each -> {
            files.emptied().remove(each);
            files.emptied().add(to + each.substring(from.length()));
        });
        nodes.move(node, newParent, name, segment);
        files.names().changed(newParent.prefix(), name, DirectoryItem.directory(segment));
    }

    /** @throws FsException CROSS_DEVICE if there are too many: programs then copy and delete by themselves */
    private List<String> keys(String prefix) throws IOException {
        var keys = new ArrayList<String>();
        var query = ObjectQuery.all(prefix);
        while (true) {
            var page = store.list(query);
            page.objects().forEach(object -> keys.add(object.key()));
            if (keys.size() > files.settings().renameMax()) {
                throw new FsException(FsError.CROSS_DEVICE, "%s has more than %d objects".formatted(prefix,
                        files.settings().renameMax()));
            }
            if (page.next().isEmpty()) {
                return keys;
            }
            query = query.following(page.next().get());
        }
    }

    /** Copies all; if that fails, removes the copies. */
    private void copy(List<String> keys, String from, String to, Progress progress) throws IOException {
        var permits = new Semaphore(COPIES_MAX);
        var failures = new ConcurrentLinkedQueue<IOException>();
        var copied = new ConcurrentLinkedQueue<String>();
        var threads = new ArrayList<Thread>();
        try {
            for (var key : keys) {
                permits.acquire();
                if (!failures.isEmpty()) {
                    break;
                }
                threads.add(Thread.ofVirtual().name("bucket-copy").start(() -> {
                    try {
                        String target = to + key.substring(from.length());
                        store.copy(key, target, null);
                        copied.add(target);
                        progress.copied.incrementAndGet();
                    } catch (IOException failed) {
                        failures.add(failed);
                    } finally {
                        permits.release();
                    }
                }));
            }
            for (var thread : threads) {
                thread.join();
            }
        } catch (InterruptedException stop) {
            throw Failures.interrupted();
        }
        var failed = failures.peek();
        if (failed != null) {
            try {
                var made = List.copyOf(copied);
                for (int at = 0; at < made.size(); at += DELETE_MAX) {
                    store.delete(made.subList(at, Math.min(made.size(), at + DELETE_MAX)));
                }
            } catch (IOException second) {
                failed.addSuppressed(second);
            }
            throw failed;
        }
    }
}
