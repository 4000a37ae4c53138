package volsh.inventory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.meta.Session;

/**
 * The directories in which many small files were written one by one, and the session that stores them together: one at
 * a time. A dead session does not block others. This only limits the load: two at once would do no harm.
 */
public final class PackingQueue {
    private static final MetaKey KEY = Keys.setting("small-files");
    /** More directories are forgotten: {@code volume compact} finds them. */
    private static final int DIRECTORIES_MAX = 4000;

    private final MetaEngine engine;
    private final InstantSource clock;
    private final long session;

    /** {@code session} packs. */
    public PackingQueue(MetaEngine engine, InstantSource clock, long session) {
        this.engine = engine;
        this.clock = clock;
        this.session = session;
    }

    /** The session that packs, 0 for none, and the directories that wait. */
    private record Row(long packer, List<Long> directories) {
        byte[] toBytes() {
            var words = new ArrayList<>(List.of(packer));
            words.addAll(directories);
            return String.join("\n", words.stream().map(String::valueOf).toList()).getBytes(StandardCharsets.UTF_8);
        }

        static Row parse(byte @Nullable [] row) throws MetaDamagedException {
            if (row == null) {
                return new Row(0, List.of());
            }
            try {
                var numbers = new String(row, StandardCharsets.UTF_8).lines().map(Long::valueOf).toList();
                return new Row(numbers.getFirst(), numbers.subList(1, numbers.size()));
            } catch (RuntimeException nonsense) {
                throw MetaDamagedException.of(KEY, "cannot be read: not a session and directories", nonsense);
            }
        }
    }

    /** The directories that wait. */
    public List<Long> waiting() throws IOException {
        return engine.read(tx -> Row.parse(tx.get(KEY)).directories());
    }

    /** Adds directories behind those that wait. */
    public void add(Collection<Long> more) throws IOException {
        change(row -> {
            var all = new LinkedHashSet<>(row.directories());
            all.addAll(more);
            return new Row(row.packer(), all.stream().limit(DIRECTORIES_MAX).toList());
        });
    }

    /** Begins to pack: what waits; empty if another session packs. */
    public Optional<List<Long>> begin() throws IOException {
        return engine.transactFreeing(tx -> {
            tx.hold(Keys.session(session));
            var row = Row.parse(tx.get(KEY));
            byte[] other = tx.get(Keys.session(row.packer()));
            if (row.packer() != 0 && row.packer() != session && other != null
                    && !Session.parse(row.packer(), other).lease().isBefore(clock.instant())) {
                return Optional.empty();
            }
            tx.put(KEY, new Row(session, row.directories()).toBytes());
            return Optional.of(row.directories());
        });
    }

    /** A directory is done; returns whether it is still this session's turn. */
    public boolean done(long directory) throws IOException {
        change(row -> new Row(row.packer(), row.directories().stream().filter(ino -> ino != directory).toList()));
        return engine.read(tx -> Row.parse(tx.get(KEY)).packer()) == session;
    }

    /** Ends the turn of this session. */
    public void end() throws IOException {
        change(row -> new Row(row.packer() == session ? 0 : row.packer(), row.directories()));
    }

    private interface Change {
        Row of(Row before);
    }

    private void change(Change change) throws IOException {
        engine.transactFreeing(tx -> {
            tx.hold(Keys.session(session));
            tx.put(KEY, change.of(Row.parse(tx.get(KEY))).toBytes());
            return null;
        });
    }
}
