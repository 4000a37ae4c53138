package volsh.history;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.fs.DirectoryEntry;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.meta.Changes;
import volsh.meta.Edit;
import volsh.meta.Namespace;
import volsh.meta.NodeRow;
import volsh.meta.Removal;
import volsh.meta.View;

/**
 * Copies trees within a volume, as of some tick; no data is copied. A copy is built out of reach, in many small
 * transactions, and placed when it is complete, in one. It waits like an unlinked file: if its maker is killed it is
 * reclaimed. While it is built its session must hold the copied tick.
 */
public final class Trees {
    private static final int PAGE = 200;
    /** Names of the root exchanged in one transaction. */
    private static final int NAMES = 40;
    /** Extended attributes exchanged in one transaction. */
    private static final int ATTRIBUTES = 20;

    private final MetaEngine engine;
    private final InstantSource clock;
    private final Namespace names;

    public Trees(MetaEngine engine, InstantSource clock, Namespace names) {
        this.engine = engine;
        this.clock = clock;
        this.names = names;
    }

    /** Watches a copy, and may stop it. */
    public interface Watcher {
        Watcher NONE = new Watcher() {};

        /** {@code files} more files with {@code bytes} bytes are copied. */
        default void copied(int files, long bytes) {}

        /** Called often. A stopped copy leaves nothing. */
        default boolean cancelled() {
            return false;
        }
    }

    /**
     * Copies inode {@code ino} as of {@code tick} with everything below it, for a place in {@code directory}. Returns
     * the copy, to be {@link #place placed}.
     *
     * @throws FsException INTERRUPTED if the watcher stopped it
     */
    public long copy(long tick, long ino, long directory, Watcher watcher) throws IOException {
        return copy(new PastEngine(engine, tick), ino, directory, watcher);
    }

    /** Like the other {@code copy}, from this past state. */
    public long copy(MetaEngine past, long ino, long directory, Watcher watcher) throws IOException {
        return new TreeCopy(new Changes(past, clock, 0), names, directory, watcher).run(ino);
    }

    /**
     * Gives a copy its name, replacing an existing one if {@code replace}.
     * @throws FsException EXISTS, or STALE if the copy was reclaimed
     */
    public void place(long copy, long parent, Name name, boolean replace) throws IOException {
        names.changes().change(edit -> {
            var node = requireCopy(edit, copy);
            edit.directory(parent);
            var taken = edit.find(parent, name);
            if (taken != null && !replace) {
                throw new FsException(FsError.EXISTS);
            }
            edit.holdDirectory(parent);
            int gone = taken == null ? 0 : discard(edit, parent, taken);
            edit.tx.delete(Keys.orphan(node.parent(), copy));
            if (node.isDirectory()) {
                edit.putNode(copy, node.withParent(parent));
            } else {
                edit.use(copy, node, node.size(), 1);
                edit.putNode(copy, node.withLinks(1).withParent(parent));
            }
            edit.put(Keys.entry(parent, name), View.entryRow(copy, node.kind()));
            edit.count(parent, taken == null ? 1 : 0, (node.isDirectory() ? 1 : 0) - gone);
            return null;
        });
    }

    private static NodeRow requireCopy(Edit edit, long copy) throws IOException {
        var node = edit.findNode(copy);
        if (node == null || edit.tx.get(Keys.orphan(node.parent(), copy)) == null) {
            throw new FsException(FsError.STALE, "the copy took too long and was reclaimed; retry");
        }
        return node;
    }

    /** Removes this name and makes its inode unreachable; returns how many directories that affects. */
    private static int discard(Edit edit, long parent, DirectoryEntry entry) throws IOException {
        if (entry.kind() != FileKind.DIRECTORY) {
            new Removal(edit).replace(parent, entry);
            return 0;
        }
        edit.keepLast(parent, entry);
        edit.orphanDirectory(entry.ino(), edit.node(entry.ino()), edit.tick());
        return 1;
    }

    /**
     * Replaces the content of the root by the copy of the root at {@code tick}. With up to {@value #NAMES} names before
     * and after, this is one step; otherwise new names come first, some at a time, then the old ones are removed.
     */
    public void placeAsRoot(long copy, long tick) throws IOException {
        var past = new Changes(new PastEngine(engine, tick), clock, 0);
        var coming = names.list(copy, null, NAMES + 1);
        while (coming.size() > NAMES) {
            var some = coming.subList(0, NAMES);
            names.changes().change(edit -> {
                requireCopy(edit, copy);
                moveIn(edit, copy, some);
                return null;
            });
            coming = names.list(copy, null, NAMES + 1);
        }
        var leaving = leftOver(past);
        while (leaving.size() == NAMES) {
            var some = leaving;
            names.changes().change(edit -> {
                remove(edit, some);
                return null;
            });
            leaving = leftOver(past);
        }
        var last = coming;
        var rest = leaving;
        boolean few = names.changes().look(view -> attributes(view, Namespace.ROOT) + attributes(view, copy))
                <= ATTRIBUTES;
        if (!few) {   // they do not fit into one step
            names.changes().change(edit -> {
                moveIn(edit, copy, last);
                remove(edit, rest);
                return null;
            });
            exchangeAttributes(copy);
        }
        names.changes().change(edit -> {
            var node = requireCopy(edit, copy);
            if (few) {
                moveIn(edit, copy, last);
                remove(edit, rest);
                exchangeAttributes(edit, copy);
            }
            becomeRoot(edit, copy, node);
            return null;
        });
    }

    private static int attributes(View view, long ino) throws IOException {
        var prefix = Keys.attributes(ino);
        return view.tx.scan(prefix, prefix.afterPrefix(), TreeCopy.ATTRIBUTES).size();
    }

    /** Removes those of the root, then adds those of the copy, some at a time. Can be run again if interrupted. */
    private void exchangeAttributes(long copy) throws IOException {
        var prefix = Keys.attributes(copy);
        while (!names.changes().change(edit -> edit.removeAll(Keys.attributes(Namespace.ROOT), ATTRIBUTES))) {
            // some at a time
        }
        for (int moved = ATTRIBUTES; moved == ATTRIBUTES; ) {
            moved = names.changes().change(edit -> {
                requireCopy(edit, copy);
                var rows = edit.tx.scan(prefix, prefix.afterPrefix(), ATTRIBUTES);
                for (var row : rows) {
                    edit.put(Keys.attribute(Namespace.ROOT, Keys.name(row.key())),
                            View.bytes(View.content(row.value())));
                    edit.remove(row.key());
                }
                return rows.size();
            });
        }
    }

    /** Names of the root that it did not have then, at most {@value #NAMES}. */
    private List<DirectoryEntry> leftOver(Changes past) throws IOException {
        var found = new ArrayList<DirectoryEntry>();
        Name last = null;
        while (true) {
            var page = names.list(Namespace.ROOT, last, PAGE);
            for (var entry : page) {
                if (past.look(view -> view.find(Namespace.ROOT, entry.name())) == null) {
                    found.add(entry);
                    if (found.size() == NAMES) {
                        return found;
                    }
                }
            }
            if (page.size() < PAGE) {
                return found;
            }
            last = page.getLast().name();
        }
    }

    private static void moveIn(Edit edit, long copy, List<DirectoryEntry> entries) throws IOException {
        for (var entry : entries) {
            int directory = entry.kind() == FileKind.DIRECTORY ? 1 : 0;
            var taken = edit.find(Namespace.ROOT, entry.name());
            int gone = taken == null ? 0 : discard(edit, Namespace.ROOT, taken);
            edit.remove(Keys.entry(copy, entry.name()));
            edit.countQuietly(copy, -1, -directory);
            edit.put(Keys.entry(Namespace.ROOT, entry.name()), View.entryRow(entry.ino(), entry.kind()));
            edit.putNode(entry.ino(), edit.node(entry.ino()).withParent(Namespace.ROOT));
            edit.count(Namespace.ROOT, taken == null ? 1 : 0, directory - gone);
        }
    }

    private static void remove(Edit edit, List<DirectoryEntry> entries) throws IOException {
        for (var entry : entries) {
            var there = edit.find(Namespace.ROOT, entry.name());
            if (there != null && there.ino() == entry.ino()) {
                int gone = discard(edit, Namespace.ROOT, there);
                edit.remove(Keys.entry(Namespace.ROOT, entry.name()));
                edit.count(Namespace.ROOT, -1, -gone);
            }
        }
    }

    private static void exchangeAttributes(Edit edit, long copy) throws IOException {
        edit.removeAll(Keys.attributes(Namespace.ROOT), ATTRIBUTES);
        var prefix = Keys.attributes(copy);
        for (var row : edit.tx.scan(prefix, prefix.afterPrefix(), ATTRIBUTES)) {
            edit.put(Keys.attribute(Namespace.ROOT, Keys.name(row.key())), View.bytes(View.content(row.value())));
        }
    }

    /** Gives the root the mode, owner and times of the copy, and removes the copy. */
    private static void becomeRoot(Edit edit, long copy, NodeRow node) throws IOException {
        var root = edit.foldCounters(Namespace.ROOT, edit.node(Namespace.ROOT));
        edit.putNode(Namespace.ROOT, edit.chown(Namespace.ROOT, root, node.uid(), node.gid()).withMode(node.mode())
                .withTimes(node.atime(), node.mtime(), edit.now));
        edit.tx.delete(Keys.orphan(node.parent(), copy));
        new Removal(edit).dropDirectory(copy);
    }
}
