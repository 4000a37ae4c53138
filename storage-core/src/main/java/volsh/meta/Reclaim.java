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

/**
 * Gives back what nobody can read any more: the rows of unlinked files and of trees that were replaced or never finished, then the blocks no row names. Only what died
 * before every live session's low-water is touched. Each step is a small transaction; it may be stopped and resumed
 * anywhere. A transaction takes as much as it has {@link Edit#room} for, whatever the files are like: what is left of one is freed by the next.
 */
public final class Reclaim {
    private static final int BATCH = 50;
    /** So many batches are looked at to choose one. */
    private static final int SIGHT = 8;
    /** Files of one transaction, if there is room for so many. */
    private static final int TOGETHER = 10;
    /** A transaction with less room than this begins no other file. */
    private static final int ROOM_MIN = 100;
    /** Keys of a directory's entry: it and its inode with their histories, the list of orphans, who is charged for it. */
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
     * Frees one batch of orphans; false when there is nothing left to do. Sessions that do so at the same time take different ones, as long as there are
     * many: with the same ones they would be in each other's way.
     */
    public boolean freeOrphans() throws IOException {
        // No session that opens later can need them: low-water never falls behind what is found here.
        var mine = changes.look(view -> {
            var keys = new ArrayList<MetaKey>();
            for (var row : view.tx.scan(Keys.kind('o'), Keys.orphan(Sessions.lowWater(view.tx), 0), SIGHT * BATCH)) {
                keys.add(row.key());
            }
            return mine(keys, BATCH);
        });
        for (int from = 0; from < mine.size(); ) {
            var next = mine.subList(from, Math.min(from + TOGETHER, mine.size()));
            from += changes.clear(edit -> freeSome(edit, next));
        }
        return !mine.isEmpty();
    }

    /** So many of what is to be done as this session is to begin with. */
    private List<MetaKey> mine(List<MetaKey> all, int limit) {
        if (all.size() > limit) {
            Collections.rotate(all, -(int) (changes.session().id() * limit % all.size()));
        }
        return List.copyOf(all.subList(0, Math.min(limit, all.size())));
    }

    /** Returns how many are gone now: a large file goes in several transactions. */
    private static int freeSome(Edit edit, List<MetaKey> orphans) throws IOException {
        var there = edit.tx.getAll(orphans).keySet();
        int gone = 0;
        while (gone < orphans.size() && (!there.contains(orphans.get(gone)) || edit.room() >= ROOM_MIN && freeSome(edit, orphans.get(gone)))) {
            gone++;
        }
        return gone;
    }

    private static boolean freeSome(Edit edit, MetaKey orphan) throws IOException {
        long ino = Keys.number(orphan, 1);
        var node = edit.findNode(ino);   // also one that is half gone
        if (node == null) {
            throw MetaDamagedException.of(Keys.node(ino), "is missing, and waits to be removed", null);
        }
        if (node.isDirectory()) {
            return emptySome(edit, orphan, ino);
        }
        var rows = new FileRows(edit, ino);
        boolean cleared = rows.clear(0, Long.MAX_VALUE) == Long.MAX_VALUE;
        if (!cleared || !edit.removeAll(Keys.attributes(ino), Math.min(BATCH, edit.room() / 2))) {
            // A file that is half gone says so: a session that was ended may still have it open, and must not take the rest for the whole.
            edit.putNode(ino, node.changed(node.storage(), node.size(), node.allocated() + rows.allocatedChange()).halfGone());
            return false;
        }
        edit.remove(Keys.inline(ino));
        edit.remove(Keys.target(ino));
        edit.remove(Keys.node(ino));
        edit.tx.delete(orphan);
        return true;
    }

    /**
     * Takes names out of a directory that is out of reach: directories below are so as long, and follow. A file may be open, and until now its links
     * said that it has a name, by which open files let go of the past (as {@code Vfs.refresh}): it is out of reach from this tick on.
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
                edit.putNode(entry.ino(), node.links() > 1 ? node.withLinks(node.links() - 1).withCtime(edit.now) : edit.orphan(entry.ino(), node));
            }
        }
        if (rows.size() == limit || edit.room() < DIRECTORY_KEYS) {
            return false;
        }
        new Removal(edit).dropDirectory(directory);
        edit.tx.delete(orphan);
        return true;
    }

    /** Does something wait to be given back, now or when no session can need it any more? */
    public boolean hasMore() throws IOException {
        return changes.look(view -> !view.tx.scan(Keys.kind('o'), Keys.kind('o').afterPrefix(), 1).isEmpty()
                || !view.tx.scan(Keys.kind('d'), Keys.kind('d').afterPrefix(), 1).isEmpty());
    }

    /** A block that may be deleted from its store, then {@link #forget forgotten}. */
    public record Dead(long tick, BlockRow block) {}

    /** At most {@code limit} dead blocks. Their death survives power loss: no metadata will ever name them again. */
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
                rows.add(new Dead(Keys.number(key, 0), row == null ? view.block(id) : View.parseBlock(id, row)));   // without a row it says what is wrong
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
