package volsh.history;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.BlockRow;
import volsh.inventory.Row;
import volsh.meta.Changes;
import volsh.meta.Edit;
import volsh.meta.Moments;
import volsh.meta.Retained;
import volsh.meta.View;

/**
 * Removes versions that are visible from no kept tick: neither a pinned one, which includes those being read, nor one
 * of the window. Blocks that only they name die with them. Each step is a small transaction that checks again what is
 * kept; it can be stopped anywhere, and the next run continues.
 */
public final class Purge {
    private static final int PAGE = 500;
    private static final int BATCH = 100;
    /** The most blocks remembered while only counting. */
    private static final int BLOCKS_MAX = 1 << 20;
    private static final Duration SLACK = Duration.ofMinutes(1);

    private final MetaEngine engine;
    private final InstantSource clock;
    private final Changes changes;

    public Purge(MetaEngine engine, InstantSource clock, long session) {
        this.engine = engine;
        this.clock = clock;
        this.changes = new Changes(engine, clock, session);
    }

    /** What was or would be removed: versions, unneeded pins, and dying blocks with their stored bytes. */
    public record Purged(long versions, long pins, long blocks, long bytes) {}

    /** Watches, and may stop it. */
    public interface Watcher {
        Watcher NONE = new Watcher() {};

        /** {@code versions} more were checked. */
        default void looked(long versions) {}

        /** Called often; a stopped run can be repeated. */
        default boolean cancelled() {
            return false;
        }
    }

    /**
     * Why the clock cannot be trusted for retention: it is behind the last change, or has advanced by more than {@code
     * idle} since, without an open session that would have noticed. Empty if it can be trusted.
     */
    public Optional<String> distrust(Duration idle) throws IOException {
        return engine.read(tx -> {
            var last = Instant.ofEpochSecond(Moments.running(tx));
            var now = clock.instant();
            if (last.isAfter(now.plus(SLACK))) {
                return Optional.of(("the clock of this machine is wrong: it says %s, but the last change of the volume "
                        + "was at %s").formatted(now, last));
            }
            if (Retained.parse(tx.get(Keys.RETAINED)).window() > 0 && last.isBefore(now.minus(idle))) {
                return Optional.of(("the clock of this machine may have jumped: it says %s, "
                        + "but the last change of the volume was at %s").formatted(now, last));
            }
            return Optional.empty();
        });
    }

    /** What {@link #run} would remove. */
    public Purged count(Watcher watcher) throws IOException {
        var kept = engine.read(this::kept);
        var releases = new HashMap<Long, Long>();
        long versions = 0;
        for (var from = Keys.kind('e'); from != null && !watcher.cancelled(); ) {
            var page = page(from, watcher);
            for (var row : page) {
                if (!kept.shows(row)) {
                    versions++;
                    block(row).ifPresent(block -> {
                        if (releases.size() < BLOCKS_MAX) {
                            releases.merge(block, 1L, Long::sum);
                        }
                    });
                }
            }
            from = next(from, page);
        }
        return dying(versions, kept.spare().size(), releases);
    }

    private Purged dying(long versions, long pins, Map<Long, Long> releases) throws IOException {
        long blocks = 0;
        long bytes = 0;
        for (var release : releases.entrySet()) {
            long stored = engine.read(tx -> {
                byte[] uses = tx.get(Keys.uses(release.getKey()));
                long count = uses == null ? 1 : ByteBuffer.wrap(uses).getLong();
                return count > release.getValue() ? -1 : new View(tx).block(release.getKey()).ownBytes();
            });
            blocks += stored < 0 ? 0 : 1;
            bytes += Math.max(0, stored);
        }
        return new Purged(versions, pins, blocks, bytes);
    }

    /** Removes it. */
    public Purged run(Watcher watcher) throws IOException {
        long pins = forget();
        long versions = 0;
        long blocks = 0;
        long bytes = 0;
        for (var from = Keys.kind('e'); from != null && !watcher.cancelled(); ) {
            var page = page(from, watcher);
            var kept = engine.read(this::pinned);
            var gone = page.stream().filter(row -> !kept.shows(row)).toList();
            for (int at = 0; at < gone.size(); at += BATCH) {
                var purged = purge(gone.subList(at, Math.min(at + BATCH, gone.size())));
                versions += purged.versions();
                blocks += purged.blocks();
                bytes += purged.bytes();
            }
            from = next(from, page);
        }
        return new Purged(versions, pins, blocks, bytes);
    }

    private List<MetaEngine.Entry> page(MetaKey from, Watcher watcher) throws IOException {
        var page = engine.read(tx -> tx.scan(from, Keys.kind((char) from.bytes()[0]).afterPrefix(), PAGE));
        watcher.looked(page.size());
        return page;
    }

    /** Where to continue: rows of removed names come first, then versions. */
    private static @Nullable MetaKey next(MetaKey from, List<MetaEngine.Entry> page) {
        if (page.size() == PAGE) {
            return page.getLast().key().next();
        }
        return from.bytes()[0] == 'e' ? Keys.kind('h') : null;
    }

    /**
     * Makes sure that nothing to be removed is read: no session can enter a tick before the window, or one without a
     * name and a reader. Returns the number of removed pins.
     */
    private long forget() throws IOException {
        changes.free(edit -> {
            var earliest = Moments.earliest(edit.tx, edit.tick());
            if (earliest.isPresent()) {
                Moments.completeSince(edit.tx, earliest.getAsLong());
            }
            return null;
        });
        forgetReaders();
        long unpinned = 0;
        var spare = engine.read(this::kept).spare();
        for (int at = 0; at < spare.size(); at += BATCH) {
            var some = spare.subList(at, Math.min(at + BATCH, spare.size()));
            unpinned += changes.free(edit -> unpin(edit, some));
        }
        return unpinned;
    }

    /** Removes reader rows of dead sessions. */
    private void forgetReaders() throws IOException {
        for (var from = Keys.readers(); from != null; ) {
            var start = from;
            var page = engine.read(tx -> tx.scan(start, Keys.readers().afterPrefix(), BATCH));
            changes.free(edit -> {
                var alive = edit.tx.getAll(page.stream().map(row -> Keys.session(Keys.readerSession(row.key())))
                        .toList()).keySet();
                for (var row : page) {
                    if (!alive.contains(Keys.session(Keys.readerSession(row.key())))) {
                        edit.tx.delete(row.key());
                    }
                }
                return null;
            });
            from = page.size() < BATCH ? null : page.getLast().key().next();
        }
    }

    /** Unpins those of these ticks that are still unneeded. */
    private static long unpin(Edit edit, List<Long> pins) throws IOException {
        var before = Retained.parse(edit.tx.get(Keys.RETAINED));
        var retained = before;
        for (long pin : pins) {
            if (isSpare(edit.tx, pin)) {
                retained = retained.withoutPin(pin);
            }
        }
        if (retained.pins().length < before.pins().length) {
            edit.tx.put(Keys.RETAINED, retained.toBytes());
        }
        return (long) before.pins().length - retained.pins().length;
    }

    private static boolean isSpare(MetaEngine.Transaction tx, long pin) throws IOException {
        return tx.get(Keys.snapshotTick(pin)) == null && !Moments.isRead(tx, pin);
    }

    private Purged purge(List<MetaEngine.Entry> rows) throws IOException {
        return changes.free(edit -> {
            var kept = pinned(edit.tx);
            long versions = 0;
            var uses = edit.uses();
            for (var row : rows) {
                if (kept.shows(row) || edit.tx.get(row.key()) == null) {
                    continue;
                }
                edit.tx.delete(row.key());
                versions++;
                block(row).ifPresent(uses::release);
            }
            var died = uses.settle();
            return new Purged(versions, 0, died.size(), died.stream().mapToLong(BlockRow::ownBytes).sum());
        });
    }

    /** The block that a version names. */
    private static Optional<Long> block(MetaEngine.Entry row) {
        return row.key().bytes()[0] == 'h' && row.key().bytes()[1] == 'X'
                ? Optional.of(View.content(row.value()).getLong(View.SINCE_BYTES + Long.BYTES))
                : Optional.empty();
    }

    /** What is kept: everything from tick {@code first} on, and pins, of which the {@code spare} ones are unneeded. */
    private record Kept(Retained retained, List<Long> spare, long first) {
        boolean shows(MetaEngine.Entry row) {
            if (row.key().bytes()[0] == 'e') {   // unreadable ones stay, for a check to find
                return !(Row.of(row) instanceof Row.Removed removed) || removed.tick() >= first
                        || retained.isPinned(removed.tick());
            }
            return retained.shows(ByteBuffer.wrap(row.value()).getLong(), Keys.end(row.key()), first);
        }
    }

    /** Counts all pins as needed: a few rows, however many pins there are. */
    private Kept pinned(MetaEngine.Transaction tx) throws IOException {
        long running = Math.max(Moments.running(tx), clock.instant().getEpochSecond());
        OptionalLong earliest = Moments.earliest(tx, running);
        return new Kept(Retained.parse(tx.get(Keys.RETAINED)), List.of(), earliest.orElse(running));
    }

    /** Without unneeded pins, each of which is checked. */
    private Kept kept(MetaEngine.Transaction tx) throws IOException {
        var all = pinned(tx);
        var spare = new ArrayList<Long>();
        var named = new ArrayList<Long>();
        var names = tx.getAll(Arrays.stream(all.retained().pins()).mapToObj(Keys::snapshotTick).toList()).keySet();
        for (long pin : all.retained().pins()) {
            boolean needed = names.contains(Keys.snapshotTick(pin)) || Moments.isRead(tx, pin);
            (needed ? named : spare).add(pin);
        }
        var needed = new Retained(all.retained().window(), named.stream().mapToLong(Long::longValue).toArray());
        return new Kept(needed, spare, all.first());
    }
}
