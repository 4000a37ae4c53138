package volsh.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;

/**
 * Files without a name that are open somewhere. Each waits to be freed since a tick that a session's low-water has to stay behind. A session that has it
 * open dates it anew now and then: so it is kept, and the session's low-water goes on all the same.
 */
final class OpenOrphans {
    private static final int BATCH = 50;

    private final Changes changes;

    OpenOrphans(Changes changes) {
        this.changes = changes;
    }

    /** Dates these files anew, those of them that have no name; returns them. Nothing else of them changes. */
    Set<Long> keep(List<Long> inos) throws IOException {
        var kept = new HashSet<Long>();
        for (int from = 0; from < inos.size(); from += BATCH) {
            var some = inos.subList(from, Math.min(from + BATCH, inos.size()));
            kept.addAll(changes.free(edit -> keep(edit, some)));
        }
        return kept;
    }

    private static Set<Long> keep(Edit edit, List<Long> inos) throws IOException {
        var kept = new HashSet<Long>();
        var rows = edit.tx.getAll(inos.stream().map(Keys::node).toList());
        for (long ino : inos) {
            byte[] row = rows.get(Keys.node(ino));
            var node = row == null ? null : NodeRow.read(Keys.node(ino), row);
            if (node != null && node.links() == 0 && edit.tx.get(Keys.orphan(node.parent(), ino)) != null) {
                edit.tx.delete(Keys.orphan(node.parent(), ino));
                edit.tx.put(Keys.orphan(edit.tick(), ino), new byte[0]);
                edit.tx.put(Keys.node(ino), sameSince(row, node.withParent(edit.tick()).toBytes()));
                kept.add(ino);
            }
        }
        return kept;
    }

    /** Written as if it always had been so: history has nothing to tell of it. */
    private static byte[] sameSince(byte @Nullable [] row, byte[] content) {
        return ByteBuffer.allocate(View.SINCE_BYTES + content.length).put(row, 0, View.SINCE_BYTES).put(content).array();
    }
}
