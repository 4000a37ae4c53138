package volsh.meta;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import volsh.fs.BlockRow;
import volsh.fs.Name;

/**
 * Gives back what nobody can read any more: the rows of unlinked files and of trees that were replaced or never finished, then the blocks no row names. Only what died
 * before every live session's low-water is touched. Each step is a small transaction; it may be stopped and resumed
 * anywhere.
 */
public final class Reclaim {
    private static final int BATCH = 50;

    private final MetaEngine engine;
    private final Changes changes;

    public Reclaim(MetaEngine engine, InstantSource clock, long session) {
        this.engine = engine;
        this.changes = new Changes(engine, clock, session);
    }

    /** Frees one batch of orphans; false when there is nothing left to do. */
    public boolean freeOrphans() throws IOException {
        var found = changes.look(view -> {
            var keys = new ArrayList<MetaKey>();
            long lowWater = Sessions.lowWater(view.tx);
            for (var row : view.tx.scan(Keys.kind('o'), Keys.orphan(lowWater, 0), BATCH)) {
                keys.add(row.key());
            }
            return keys;
        });
        for (var key : found) {
            while (!changes.change(edit -> freeSome(edit, key))) {
                // a large file goes in several transactions
            }
        }
        return !found.isEmpty();
    }

    private static boolean freeSome(Edit edit, MetaKey orphan) throws IOException {
        if (edit.tx.get(orphan) == null || Keys.number(orphan, 0) >= Sessions.lowWater(edit.tx)) {
            return true;
        }
        long ino = Keys.number(orphan, 1);
        if (edit.node(ino).isDirectory()) {
            return emptySome(edit, orphan, ino);
        }
        if (new FileRows(edit, ino).clear(0, Long.MAX_VALUE) != Long.MAX_VALUE || !edit.removeAll(Keys.attributes(ino), BATCH)) {
            return false;
        }
        edit.remove(Keys.inline(ino));
        edit.remove(Keys.target(ino));
        edit.remove(Keys.node(ino));
        edit.tx.delete(orphan);
        return true;
    }

    /** Takes names out of a directory that is out of reach: what they lead to is out of reach as long, and follows. */
    private static boolean emptySome(Edit edit, MetaKey orphan, long directory) throws IOException {
        long since = Keys.number(orphan, 0);
        var prefix = Keys.entries(directory);
        var rows = edit.tx.scan(prefix, prefix.afterPrefix(), BATCH);
        for (var row : rows) {
            var entry = View.entry(Name.of(Keys.name(row.key())), View.content(row.value()));
            var node = edit.node(entry.ino());
            edit.remove(row.key());
            edit.count(directory, -1, node.isDirectory() ? -1 : 0);
            if (node.isDirectory()) {
                edit.orphanDirectory(entry.ino(), node, since);
            } else {
                edit.putNode(entry.ino(), node.links() > 1 ? node.withLinks(node.links() - 1).withCtime(edit.now) : edit.orphan(entry.ino(), node, since));
            }
        }
        if (rows.size() == BATCH) {
            return false;
        }
        new Removal(edit).dropDirectory(directory);
        edit.tx.delete(orphan);
        return true;
    }

    /** A block that may be deleted from its store, then {@link #forget forgotten}. */
    public record Dead(long tick, BlockRow block) {}

    /** At most {@code limit} dead blocks, oldest first. Their death survives power loss: no metadata will ever name them again. */
    public List<Dead> dead(int limit) throws IOException {
        var found = changes.look(view -> {
            var rows = new ArrayList<Dead>();
            for (var row : view.tx.scan(Keys.kind('d'), Keys.dead(Sessions.lowWater(view.tx), 0), limit)) {
                rows.add(new Dead(Keys.number(row.key(), 0), view.block(Keys.number(row.key(), 1))));
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
            changes.change(edit -> {
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
