package volsh.meta;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.BlockRow;
import volsh.fs.FileKind;
import volsh.meta.NodeRow.Storage;

/**
 * Reclaims what no session can read any more: rows of unlinked files and of trees that were replaced or never finished,
 * then blocks that no row names. Touches only what died before every live session's low-water. Each step is a small
 * transaction; it can be stopped and resumed anywhere. A transaction frees as much as it has {@link Edit#room} for; the
 * next one frees the rest of a file.
 */
public final class Reclaim {
    private static final int BATCH = 50;
    /** Batches to choose from. */
    private static final int SIGHT = 8;
    /**
     * Files per transaction, if there is room: neighbours share pages of a database, so that together they cost a third
     * of what they cost ten at a time, and changes that programs wait for wait for few of these.
     */
    private static final int TOGETHER = 100;
    /** A transaction with less room than this starts no other file. */
    private static final int ROOM_MIN = 100;
    /** Keys of a directory's entry: it and its inode with their histories, the orphan list, the charged accounts. */
    private static final int ENTRY_KEYS = 10;
    /** Keys of a directory without entries: attributes with their history, counters, its row. */
    private static final int DIRECTORY_KEYS = 600;

    private final MetaEngine engine;
    private final Changes changes;

    public Reclaim(MetaEngine engine, InstantSource clock, long session) {
        this(engine, clock, new CurrentSession(engine, clock, session));
    }

    public Reclaim(MetaEngine engine, InstantSource clock, CurrentSession session) {
        this.engine = engine;
        this.changes = new Changes(engine, clock, session);
    }

    /**
     * Frees one batch of orphans; false when there is nothing left to do. Sessions that do so concurrently take
     * different batches as long as there are many, to avoid conflicts.
     */
    public boolean freeOrphans() throws IOException {
        // No session that opens later can need these: its low-water is never older than what is found here.
        var mine = changes.look(view -> {
            var keys = new ArrayList<MetaKey>();
            var end = Keys.orphan(Sessions.lowWater(view.tx), 0);
            for (var row : view.tx.scan(Keys.kind('o'), end, SIGHT / 2 * TOGETHER)) {
                keys.add(row.key());
            }
            return mine(keys, TOGETHER);
        });
        for (int from = 0; from < mine.size(); ) {
            var next = mine.subList(from, Math.min(from + TOGETHER, mine.size()));
            from += changes.clear(edit -> freeSome(edit, next));
        }
        return !mine.isEmpty();
    }

    /** The items that this session should start with, at most {@code limit}. */
    private List<MetaKey> mine(List<MetaKey> all, int limit) {
        if (all.size() > limit) {
            Collections.rotate(all, -(int) (changes.session().id() * limit % all.size()));
        }
        return List.copyOf(all.subList(0, Math.min(limit, all.size())));
    }

    /** Returns how many are completely freed: a large file takes several transactions. */
    private static int freeSome(Edit edit, List<MetaKey> orphans) throws IOException {
        var there = edit.tx.getAll(orphans).keySet();
        int gone = 0;
        while (gone < orphans.size() && (!there.contains(orphans.get(gone))
                || edit.room() >= ROOM_MIN && freeSome(edit, orphans.get(gone)))) {
            gone++;
        }
        return gone;
    }

    private static boolean freeSome(Edit edit, MetaKey orphan) throws IOException {
        long ino = Keys.number(orphan, 1);
        var node = edit.findNode(ino);   // also if it is partly freed
        if (node == null) {
            throw MetaDamagedException.of(Keys.node(ino), "is missing, but is listed as waiting to be reclaimed", null);
        }
        if (node.isDirectory()) {
            return emptySome(edit, orphan, ino);
        }
        var rows = new FileRows(edit, ino);
        boolean cleared = node.storage() != Storage.EXTENTS || rows.clear(0, Long.MAX_VALUE) == Long.MAX_VALUE;
        if (!cleared || !edit.removeAll(Keys.attributes(ino), Math.min(BATCH, edit.room() / 2))) {
            // A partly freed file is marked: a session that was ended may still have it open, and must not take the
            // rest for the whole.
            edit.putNode(ino, node.changed(node.storage(), node.size(), node.allocated() + rows.allocatedChange())
                    .halfGone());
            return false;
        }
        if (node.storage() == Storage.INLINE) {
            edit.remove(Keys.inline(ino));
        }
        if (node.kind() == FileKind.SYMLINK) {
            edit.remove(Keys.target(ino));
        }
        edit.remove(Keys.node(ino));
        edit.tx.delete(orphan);
        return true;
    }

    /**
     * Removes names from an unreachable directory; directories below become unreachable in turn. A file may be open
     * and, until now, has a link count that says it has a name, by which open files release the past (as {@code
     * Vfs.refresh}): it becomes an orphan as of this tick.
     */
    private static boolean emptySome(Edit edit, MetaKey orphan, long directory) throws IOException {
        long since = Keys.number(orphan, 0);
        var prefix = Keys.entries(directory);
        int limit = Math.min(BATCH, edit.room() / ENTRY_KEYS);
        var rows = edit.tx.scan(prefix, prefix.afterPrefix(), limit);
        for (var row : rows) {
            var entry = View.entry(row);
            var node = edit.named(entry);
            edit.remove(row.key());
            edit.count(directory, -1, node.isDirectory() ? -1 : 0);
            if (node.isDirectory()) {
                edit.orphanDirectory(entry.ino(), node, since);
            } else {
                edit.putNode(entry.ino(), node.links() > 1 ? node.withLinks(node.links() - 1).withCtime(edit.now)
                        : edit.orphan(entry.ino(), node));
            }
        }
        if (rows.size() == limit || edit.room() < DIRECTORY_KEYS) {
            return false;
        }
        new Removal(edit).dropDirectory(directory);
        edit.tx.delete(orphan);
        return true;
    }

    /** Whether anything is waiting to be reclaimed, now or once no session can need it any more. */
    public boolean hasMore() throws IOException {
        return changes.look(view -> !view.tx.scan(Keys.kind('o'), Keys.kind('o').afterPrefix(), 1).isEmpty()
                || !view.tx.scan(Keys.kind('d'), Keys.kind('d').afterPrefix(), 1).isEmpty());
    }

    /** A block that may be deleted from its store, then {@link #forget forgotten}. */
    public record Dead(long tick, BlockRow block) {}

    /** At most {@code limit} dead blocks. Their death survives power loss: no metadata will name them again. */
    public List<Dead> dead(int limit) throws IOException {
        var found = changes.look(view -> {
            var keys = new ArrayList<MetaKey>();
            for (var row : view.tx.scan(Keys.kind('d'), Keys.dead(Sessions.lowWater(view.tx), 0), SIGHT * limit)) {
                keys.add(row.key());
            }
            var mine = mine(keys, limit);
            var blocks = view.tx.getAll(mine.stream().map(key -> Keys.block(Keys.number(key, 1))).toList());
            var rows = new ArrayList<Dead>();
            for (var key : mine) {
                long id = Keys.number(key, 1);
                byte[] row = blocks.get(Keys.block(id));
                // throws if there is no row
                rows.add(new Dead(Keys.number(key, 0), row == null ? view.block(id) : View.parseBlock(id, row)));
            }
            return rows;
        });
        if (!found.isEmpty()) {
            engine.sync();
        }
        return found;
    }

    /** Drops the rows of a block whose object is deleted. */
    public void forget(List<Dead> blocks) throws IOException {
        for (int from = 0; from < blocks.size(); from += BATCH) {
            var batch = blocks.subList(from, Math.min(from + BATCH, blocks.size()));
            changes.free(edit -> {
                edit.tx.expect(batch.stream().map(dead -> Keys.digestOf(dead.block().id())).toList());
                for (var dead : batch) {
                    SharedBlocks.forget(edit, dead.block().id());
                    edit.tx.delete(Keys.dead(dead.tick(), dead.block().id()));
                    edit.tx.delete(Keys.uses(dead.block().id()));
                    edit.tx.delete(Keys.block(dead.block().id()));
                }
                return null;
            });
        }
    }
}
