package volsh.volume;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.meta.GcTurns;
import volsh.meta.MetaEngine;
import volsh.meta.Purge;
import volsh.meta.Strays;

/** Collects the garbage of a volume: history first, then what died with it, then objects that nothing knows. May be stopped anywhere. */
final class Collecting {
    private static final String BLOCKS = "blocks/";

    private final MetaEngine engine;
    private final BlockStore store;
    private final InstantSource clock;
    private final Lease lease;
    private final Housekeeping housekeeping;

    Collecting(MetaEngine engine, BlockStore store, InstantSource clock, Lease lease, Housekeeping housekeeping) {
        this.engine = engine;
        this.store = store;
        this.clock = clock;
        this.lease = lease;
        this.housekeeping = housekeeping;
    }

    /** Deletes it; objects only if they are older than {@code age}. */
    Garbage run(Duration age, Garbage.Watcher watcher) throws IOException {
        lease.renew();
        var purged = new Purge(engine, clock, lease.session().id()).run(looking(watcher));
        lease.renewForGood();   // nothing is open here: what just died may go
        var reclaimed = watcher.cancelled() ? new Reclaimer.Reclaimed(0, 0, true) : housekeeping.runNow(watcher::cancelled);
        var strays = strays(age, watcher);
        delete(strays, watcher);
        return new Garbage(purged.versions(), reclaimed.blocks(), reclaimed.bytes(), strays.found().size(), strays.bytes(), strays.spared());
    }

    /** The same while files are open here: what dies stays until whoever reclaims finds that nobody needs it. */
    Garbage runBeside(long session, GcTurns.Turn turn, Duration age, Garbage.Watcher watcher) throws IOException {
        var purged = turn.purge() ? new Purge(engine, clock, session).run(looking(watcher)) : new Purge.Purged(0, 0, 0, 0);
        var strays = turn.sweep() && !watcher.cancelled() ? strays(age, watcher) : new Found(List.of(), 0, 0);
        long deleted = delete(strays, watcher);
        return new Garbage(purged.versions(), purged.blocks(), purged.bytes(), deleted, strays.bytes(), strays.spared());
    }

    private long delete(Found strays, Garbage.Watcher watcher) throws IOException {
        long deleted = 0;
        for (var stray : strays.found()) {
            if (watcher.cancelled()) {
                break;
            }
            store.delete(stray);
            deleted++;
        }
        return deleted;
    }

    /** What would be deleted, as far as can be told. */
    static Garbage count(MetaEngine engine, BlockStore store, InstantSource clock, Duration age, Garbage.Watcher watcher) throws IOException {
        var purged = new Purge(engine, clock, 0).count(looking(watcher));
        var waiting = new Strays(engine).waiting();
        var strays = new Collecting(engine, store, clock, null, null).strays(age, watcher);
        return new Garbage(purged.versions(), purged.blocks() + waiting.blocks(), purged.bytes() + waiting.bytes(), strays.found().size(),
                strays.bytes(), strays.spared());
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

    private record Found(List<BlockKey> found, long bytes, long spared) {}

    private Found strays(Duration age, Garbage.Watcher watcher) throws IOException {
        var rows = new Strays(engine);
        var before = clock.instant().minus(age);
        var found = new ArrayList<BlockKey>();
        long bytes = 0;
        long spared = 0;
        // parts of blocks that are spread over stores are not looked at
        try (var listed = store.list(BLOCKS).filter(object -> object.key().block().isPresent())) {
            var page = new ArrayList<BlockStore.Listed>();
            for (var objects = listed.iterator(); objects.hasNext() && !watcher.cancelled(); ) {
                page.add(objects.next());
                if (page.size() == Strays.PAGE || !objects.hasNext()) {
                    watcher.looked(page.size());
                    var strays = rows.among(page.stream().map(object -> id(object.key())).toList());
                    for (var object : page) {
                        if (strays.spared().contains(id(object.key())) || strays.unknown().contains(id(object.key())) && isYoung(object, before)) {
                            spared++;
                        } else if (strays.unknown().contains(id(object.key()))) {
                            found.add(object.key());
                            bytes += object.size();
                        }
                    }
                    page.clear();
                }
            }
        }
        return new Found(found, bytes, spared);
    }

    private static boolean isYoung(BlockStore.Listed object, Instant before) {
        return !object.modified().isBefore(before);
    }

    private static long id(BlockKey key) {
        return key.block().orElseThrow();
    }
}
