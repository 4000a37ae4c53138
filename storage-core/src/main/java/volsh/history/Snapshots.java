package volsh.history;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.meta.Moments;
import volsh.meta.Snapshot;

/** The snapshots of a volume. Creating one takes one small transaction, however large the volume is. */
public final class Snapshots {
    private static final int PAGE = 500;

    private final MetaEngine engine;
    private final InstantSource clock;

    public Snapshots(MetaEngine engine, InstantSource clock) {
        this.engine = engine;
        this.clock = clock;
    }

    /**
     * Closes the running tick and names it: everything committed so far is in the snapshot.
     * @throws FsException EXISTS
     */
    public Snapshot create(String name, String label) throws IOException {
        Snapshot.requireName(name);
        var now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        return engine.transact(tx -> {
            if (tx.get(Keys.snapshot(name)) != null) {
                throw new FsException(FsError.EXISTS, "snapshot '%s' already exists".formatted(name));
            }
            var snapshot = new Snapshot(name, Moments.close(tx, clock), now, label);
            tx.put(Keys.RETAINED, Moments.pinned(tx, snapshot.tick()));
            tx.put(Keys.snapshot(name), snapshot.toBytes());
            tx.put(Keys.snapshotTick(snapshot.tick()), new byte[0]);
            return snapshot;
        });
    }

    public Optional<Snapshot> find(String name) throws IOException {
        Snapshot.requireName(name);
        return engine.read(tx -> {
            byte[] row = tx.get(Keys.snapshot(name));
            return row == null ? Optional.empty() : Optional.of(Snapshot.parse(name, row));
        });
    }

    /** All snapshots, oldest first. */
    public List<Snapshot> list() throws IOException {
        var all = new ArrayList<Snapshot>();
        var from = Keys.snapshots();
        while (true) {
            var start = from;
            var page = engine.read(tx -> tx.scan(start, Keys.kind('n').afterPrefix(), PAGE));
            for (var row : page) {
                byte[] key = row.key().bytes();
                all.add(Snapshot.parse(new String(key, 1, key.length - 1, StandardCharsets.US_ASCII), row.value()));
            }
            if (page.size() < PAGE) {
                all.sort(Comparator.comparingLong(Snapshot::tick));
                return all;
            }
            from = page.getLast().key().next();
        }
    }

    /**
     * Destroys the snapshot; current readers are not affected. What only it kept is reclaimed by gc.
     * @throws FsException NO_ENTRY
     */
    public Snapshot destroy(String name) throws IOException {
        Snapshot.requireName(name);
        return engine.transactFreeing(tx -> {
            byte[] row = tx.get(Keys.snapshot(name));
            if (row == null) {
                throw new FsException(FsError.NO_ENTRY, "no such snapshot: '%s'".formatted(name));
            }
            var snapshot = Snapshot.parse(name, row);
            tx.delete(Keys.snapshot(name));
            tx.delete(Keys.snapshotTick(snapshot.tick()));
            if (!Moments.isRead(tx, snapshot.tick())) {
                Moments.unpin(tx, snapshot.tick());
            }
            return snapshot;
        });
    }
}
