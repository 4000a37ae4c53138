package volsh.inventory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.fs.FileKind;
import volsh.meta.Moments;
import volsh.meta.NodeRow;
import volsh.meta.Retained;
import volsh.meta.View;

/**
 * Blocks that only unlinked files name: their rows are freed once no session can have them open. A block counts only if
 * every row that names it belongs to such a file and no history will keep that row, so that freeing the files frees it.
 */
final class UnlinkedBlocks {
    private static final int PAGE = 200;
    private static final int EXTENTS = 500;
    /** A file of one block takes two rows to find: the search ends after this many rows per requested block. */
    private static final int ROWS = 2;

    private final MetaEngine engine;
    private final long most;
    private final Map<Long, Long> named = new HashMap<>();   // how many rows of unlinked files name a block
    private final Set<Long> seen = new HashSet<>();
    private final Deque<Long> directories = new ArrayDeque<>();
    private Retained retained = Retained.parse(null);
    private long running;
    private long looked;
    private boolean more;

    /** Counts about {@code most} blocks. */
    UnlinkedBlocks(MetaEngine engine, long most) {
        this.engine = engine;
        this.most = most;
    }

    Strays.Waiting count() throws IOException {
        Optional<Instant> since = Optional.empty();
        retained = engine.read(tx -> Retained.parse(tx.get(Keys.RETAINED)));
        running = engine.read(Moments::running);
        for (var from = Keys.kind('o'); from != null && hasRoom(); ) {
            var start = from;
            var page = engine.read(tx -> tx.scan(start, Keys.kind('o').afterPrefix(), PAGE));
            if (since.isEmpty() && !page.isEmpty()) {
                since = Optional.of(Instant.ofEpochSecond(Keys.number(page.getFirst().key(), 0)));
            }
            look(page.stream().map(row -> Keys.number(row.key(), 1)).toList(), true);
            from = page.size() < PAGE ? null : page.getLast().key().next();
        }
        while (!directories.isEmpty() && hasRoom()) {
            lookInto(directories.pop());
        }
        var waiting = dying();
        return waiting.blocks() == 0 ? Strays.Waiting.NOTHING.withMore(more)
                : new Strays.Waiting(waiting.blocks(), waiting.bytes(), since, more, waiting.bytes());
    }

    private boolean hasRoom() {
        more |= named.size() >= most || looked > ROWS * most;
        return !more;
    }

    /** Files with other names stay, unless {@code unlinked} says that they have none. */
    private void look(List<Long> inodes, boolean unlinked) throws IOException {
        var fresh = inodes.stream().filter(seen::add).toList();
        looked += fresh.size();
        var rows = engine.read(tx -> tx.getAll(fresh.stream().map(Keys::node).toList()));
        var files = new ArrayList<Long>();
        for (long ino : fresh) {
            byte[] row = rows.get(Keys.node(ino));
            var node = row == null ? null : node(ino, row);   // an unreadable row is reported by a check
            if (node == null) {
                continue;
            }
            if (node.kind() == FileKind.DIRECTORY) {
                directories.push(ino);
            } else if (node.storage() == NodeRow.Storage.EXTENTS && (unlinked || node.links() <= 1)) {
                files.add(ino);
            }
        }
        addExtents(files);
    }

    private static @Nullable NodeRow node(long ino, byte[] row) {
        try {
            return NodeRow.read(Keys.node(ino), row);
        } catch (IOException damaged) {
            return null;
        }
    }

    private void lookInto(long directory) throws IOException {
        for (var from = Keys.entries(directory); from != null && hasRoom(); ) {
            var start = from;
            var page = engine.read(tx -> tx.scan(start, Keys.entries(directory).afterPrefix(), PAGE));
            var inodes = new ArrayList<Long>();
            for (var row : page) {
                inodes.add(View.content(row.value()).getLong());
            }
            look(inodes, false);
            from = page.size() < PAGE ? null : page.getLast().key().next();
        }
    }

    /** The first extents of all of them in one transaction: most files have few. */
    private void addExtents(List<Long> files) throws IOException {
        var first = engine.read(tx -> {
            var pages = new ArrayList<List<MetaEngine.Entry>>();
            for (long ino : files) {
                pages.add(tx.scan(Keys.extents(ino), Keys.extents(ino).afterPrefix(), EXTENTS));
            }
            return pages;
        });
        for (int i = 0; i < files.size() && hasRoom(); i++) {
            long ino = files.get(i);
            var page = first.get(i);
            add(page);
            while (page.size() == EXTENTS && hasRoom()) {
                var start = page.getLast().key().next();
                page = engine.read(tx -> tx.scan(start, Keys.extents(ino).afterPrefix(), EXTENTS));
                add(page);
            }
        }
    }

    private void add(List<MetaEngine.Entry> extents) {
        looked += extents.size();
        for (var row : extents) {
            if (!retained.needs(ByteBuffer.wrap(row.value()).getLong(), running + 1)) {
                named.merge(View.content(row.value()).getLong(View.SINCE_BYTES + Long.BYTES), 1L, Long::sum);
            }
        }
    }

    private record Dying(long blocks, long bytes) {}

    private Dying dying() throws IOException {
        long blocks = 0;
        long bytes = 0;
        var all = List.copyOf(named.keySet());
        for (int from = 0; from < all.size(); from += PAGE) {
            var some = all.subList(from, Math.min(from + PAGE, all.size()));
            var uses = engine.read(tx -> tx.getAll(some.stream().map(Keys::uses).toList()));
            var dying = some.stream().filter(block -> uses(uses.get(Keys.uses(block))) <= named.getOrDefault(block, 0L))
                    .toList();
            var rows = engine.read(tx -> tx.getAll(dying.stream().map(Keys::block).toList()));
            for (long block : dying) {
                byte[] row = rows.get(Keys.block(block));
                blocks++;
                bytes += row == null ? 0 : View.parseBlock(block, row).ownBytes();
            }
        }
        return new Dying(blocks, bytes);
    }

    private static long uses(byte @Nullable [] row) {
        return row == null ? 1 : ByteBuffer.wrap(row).getLong();
    }
}
