package volsh.care;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import volsh.assembly.PlacedParts;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.catalog.HistorySpan;
import volsh.engine.MetaEngine;
import volsh.history.Purge;
import volsh.inventory.GcTurns;
import volsh.inventory.Strays;
import volsh.inventory.Superblock;
import volsh.meta.Session;
import volsh.meta.Ticks;
import volsh.pack.Reclaimer;
import volsh.place.Part;

/**
 * Collects the garbage of a volume: history first, then what died with it, then unreferenced objects. May be stopped
 * anywhere.
 */
public final class GarbageCollection {
    private static final String BLOCKS = "blocks/";
    private static final int BATCH = 200;
    private static final Duration WAIT_FOR_TICK = Duration.ofSeconds(3);
    private static final int ROUNDS = 3;
    private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

    private final MetaEngine engine;
    private final BlockStore store;
    private final Optional<PlacedParts> parts;
    private final InstantSource clock;

    /** {@code parts}: of blocks, if the volume has several stores. */
    public GarbageCollection(MetaEngine engine, BlockStore store, Optional<PlacedParts> parts, InstantSource clock) {
        this.engine = engine;
        this.store = store;
        this.parts = parts;
        this.clock = clock;
    }

    /** Deletes it; objects only if they are older than {@code age}. */
    public Garbage run(SessionLease lease, Housekeeping housekeeping, Duration age, Garbage.Watcher watcher)
            throws IOException {
        lease.renew();
        var purged = new Purge(engine, clock, lease.session().id()).run(looking(watcher));
        lease.renewForGood();   // nothing is open here: what just died may go
        var reclaimed = reclaim(housekeeping, watcher);
        var strays = strays(OptionalLong.of(lease.session().id()), age, watcher);
        delete(strays, watcher);
        return new Garbage(purged.versions(), reclaimed.blocks(), reclaimed.bytes(), strays.found().size(),
                strays.bytes(), strays.spared(), cutOff().remove(clock.instant(), age, watcher), left(age, strays));
    }

    /**
     * A mount lets go of what was removed when it is asked, and of what was removed in the running second when that is
     * over. Freeing an unlinked file takes its blocks in one second, and deleting them is for the next: so what is left
     * is tried again for as long as that frees something.
     */
    private Reclaimer.Reclaimed reclaim(Housekeeping housekeeping, Garbage.Watcher watcher) throws IOException {
        if (watcher.cancelled()) {
            return new Reclaimer.Reclaimed(0, 0, false, true);
        }
        watcher.release();
        var all = housekeeping.runNow(watcher::cancelled);
        for (int round = 0; round < ROUNDS && housekeeping.hasMore() && !new Strays(engine).holders().isEmpty();
                round++) {
            awaitNextTick(watcher);
            watcher.release();
            var more = housekeeping.runNow(watcher::cancelled);
            all = new Reclaimer.Reclaimed(all.blocks() + more.blocks(), all.bytes() + more.bytes(),
                    all.freed() || more.freed(), false);
            if (!more.freed()) {
                break;
            }
        }
        return all;
    }

    private void awaitNextTick(Garbage.Watcher watcher) throws IOException {
        long running = new Ticks(engine, clock).advance();
        long end = System.nanoTime() + WAIT_FOR_TICK.toNanos();
        while (clock.instant().getEpochSecond() <= running && System.nanoTime() < end && !watcher.cancelled()) {
            LockSupport.parkNanos(LOOK_AGAIN.toNanos());
        }
    }

    private Garbage.Left left(Duration age, Found strays) throws IOException {
        var waiting = new Strays(engine).waiting(Strays.ENOUGH);
        var holders = waiting.blocks() == 0 ? List.<Session>of() : new Strays(engine).holders();
        var kept = Optional.of(new HistorySpan(new Ticks(engine, clock).retained()))
                .filter(span -> span.seconds() != 0);
        return new Garbage.Left(waiting, holders, strays.young(), strays.youngest().map(youngest -> youngest.plus(age)),
                kept);
    }

    /** The same while files are open here: what dies stays until the reclaimer finds that no session needs it. */
    public Garbage runBeside(long session, GcTurns.Turn turn, Duration age, Garbage.Watcher watcher)
            throws IOException {
        var purged = turn.purge() ? new Purge(engine, clock, session).run(looking(watcher))
                : new Purge.Purged(0, 0, 0, 0);
        var strays = turn.sweep() && !watcher.cancelled() ? strays(OptionalLong.empty(), age, watcher)
                : new Found(List.of(), 0, 0, 0, Optional.empty());
        long deleted = delete(strays, watcher);
        var cutOff = turn.sweep() && !watcher.cancelled() ? cutOff().remove(clock.instant(), age, watcher)
                : Garbage.CutOff.NONE;
        return new Garbage(purged.versions(), purged.blocks(), purged.bytes(), deleted, strays.bytes(), strays.spared(),
                cutOff);
    }

    private CutOffPuts cutOff() {
        return new CutOffPuts(store, parts);
    }

    private long delete(Found strays, Garbage.Watcher watcher) throws IOException {
        long deleted = 0;
        for (int from = 0; from < strays.found().size() && !watcher.cancelled(); from += BATCH) {
            var some = strays.found().subList(from, Math.min(from + BATCH, strays.found().size()));
            store.deleteAll(some.stream().filter(stray -> stray.part() == null).map(Stray::key).toList());
            for (var stray : some) {
                if (stray.part() != null) {
                    parts.orElseThrow().delete(stray.part().store(), stray.key());
                }
            }
            deleted += some.size();
        }
        return deleted;
    }

    /** What would be deleted, as far as can be told. */
    public static Garbage count(MetaEngine engine, BlockStore store, Optional<PlacedParts> parts, InstantSource clock,
            Duration age, Garbage.Watcher watcher) throws IOException {
        var purged = new Purge(engine, clock, 0).count(looking(watcher));
        var waiting = new Strays(engine).waiting(Integer.MAX_VALUE);
        var strays = new GarbageCollection(engine, store, parts, clock).strays(OptionalLong.empty(), age, watcher);
        return new Garbage(purged.versions(), purged.blocks() + waiting.blocks(),
                purged.bytes() + waiting.bytes(), strays.found().size(), strays.bytes(), strays.spared(),
                new CutOffPuts(store, parts).count(clock.instant(), age));
    }

    private static Purge.Watcher looking(Garbage.Watcher watcher) {
        return new Purge.Watcher() {
            @Override
            public void looked(long versions) {
                watcher.looked(versions);
            }

            @Override
            public boolean cancelled() {
                return watcher.cancelled();
            }
        };
    }

    /** Of the {@code spared} ones some are only too young, the last of them of the time {@code youngest}. */
    private record Found(List<Stray> found, long bytes, long spared, long young, Optional<Instant> youngest) {}

    /** An object of a block; {@code part} is null in a volume with one store. */
    private record Stray(long block, @Nullable Part part, BlockKey key, long size, Instant modified) {}

    /** {@code own}: the session of a caller that moves no blocks. */
    private Found strays(OptionalLong own, Duration age, Garbage.Watcher watcher) throws IOException {
        var search = new Page(own, clock.instant().minus(age), watcher);
        if (parts.isPresent()) {
            parts.get().each(each -> search.add(new Stray(each.named().block(), each.named().part(),
                    each.object().key(), each.object().size(), each.object().modified())));
        } else {
            try (var listed = store.list(BLOCKS).filter(object -> object.key().block().isPresent())) {
                for (var object : (Iterable<BlockStore.Listed>) listed::iterator) {
                    search.add(new Stray(object.key().block().orElseThrow(), null, object.key(), object.size(),
                            object.modified()));
                }
            } catch (UncheckedIOException failed) {
                throw failed.getCause();
            }
        }
        search.look();
        return new Found(search.found, search.bytes, search.spared, search.young, Optional.ofNullable(search.youngest));
    }

    /** Objects that are compared with the metadata together. */
    private final class Page {
        private final Instant before;
        private final Garbage.Watcher watcher;
        private final boolean shared;
        private final List<Stray> page = new ArrayList<>();
        private final List<Stray> found = new ArrayList<>();
        private long bytes;
        private long spared;
        private long young;
        private @Nullable Instant youngest;   // null if there is none

        Page(OptionalLong own, Instant before, Garbage.Watcher watcher) throws IOException {
            this.before = before;
            this.watcher = watcher;
            this.shared = new Superblock(engine, clock).sessions().list().stream()
                    .anyMatch(session -> own.isEmpty() || session.id() != own.getAsLong());
        }

        void add(Stray object) throws IOException {
            page.add(object);
            if (page.size() == Strays.PAGE) {
                look();
            }
        }

        void look() throws IOException {
            if (watcher.cancelled()) {
                page.clear();
                return;
            }
            watcher.looked(page.size());
            var strays = new Strays(engine).among(page.stream().map(Stray::block).distinct().toList());
            for (var object : page) {
                boolean unknown = strays.unknown().contains(object.block());
                boolean elsewhere = !unknown && !strays.spared().contains(object.block()) && isElsewhere(object);
                boolean isYoung = !object.modified().isBefore(before);
                if (strays.spared().contains(object.block()) || unknown && isYoung
                        || elsewhere && (isYoung || shared)) {
                    spared++;
                    if (isYoung && (unknown || elsewhere)) {
                        young++;
                        youngest = youngest == null || object.modified().isAfter(youngest) ? object.modified()
                                : youngest;
                    }
                } else if (unknown || elsewhere) {
                    found.add(object);
                    bytes += object.size();
                }
            }
            page.clear();
        }

        /**
         * The block has a row, which says that this part of it is not here: a move was interrupted. While others have
         * the volume open one of them may be moving it back.
         */
        private boolean isElsewhere(Stray object) throws IOException {
            return object.part() != null && parts.orElseThrow().isElsewhere(object.block(), object.part());
        }
    }
}
