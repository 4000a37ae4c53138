package volsh.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;

/**
 * Files without a name that are open somewhere. An orphan is freed once every session's low-water has passed the tick
 * it was orphaned in. A session that has the file open renews that tick now and then: the file is kept, and the
 * session's low-water can still advance.
 */
final class OpenOrphans {
    private static final int BATCH = 50;

    private final Changes changes;

    OpenOrphans(Changes changes) {
        this.changes = changes;
    }

    /** Renews the tick of those of these files that have no name, and returns them. Nothing else about them changes. */
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

    /** Rewrites the row as if it had always been so: this leaves no trace in history. */
    private static byte[] sameSince(byte @Nullable [] row, byte[] content) {
        return ByteBuffer.allocate(View.SINCE_BYTES + content.length).put(row, 0, View.SINCE_BYTES).put(content)
                .array();
    }
}
