package volsh.volume;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import volsh.block.BlockStore;
import volsh.meta.Session;
import volsh.meta.Superblock;
import volsh.volume.Refusal.Reason;

/**
 * Takes a volume away for good. First nobody can open it any more, then its blocks go, then what caches of this machine
 * have of them, then its metadata, at last its name. Stopped anywhere, it can be run again and goes on. The catalog is
 * not locked while blocks are deleted, which may take long.
 */
final class Destruction {
    private final Catalog catalog;
    private final VolumeParts parts;
    private final KnownCaches caches;
    private final InstantSource clock;

    Destruction(Catalog catalog, VolumeParts parts, KnownCaches caches, InstantSource clock) {
        this.catalog = catalog;
        this.parts = parts;
        this.caches = caches;
        this.clock = clock;
    }

    void run(VolumeSpec spec, boolean force, Volumes.Watcher watcher) throws IOException {
        catalog.exclusively(() -> {
            if (catalog.contains(Volumes.VOLUMES, spec.name())) {
                retire(spec, force);
                catalog.move(Volumes.VOLUMES, Volumes.DESTROYING, spec.name());
            }
            return null;
        });
        deleteBlocks(spec, watcher);
        caches.remove(spec.id());
        catalog.exclusively(() -> {
            var still = catalog.find(Volumes.DESTROYING, spec.name(), Records::volume);
            if (still.isPresent() && still.get().id().equals(spec.id())) {
                parts.removeMetadata(spec);
                catalog.remove(Volumes.DESTROYING, spec.name());
            }
            return null;
        });
    }

    /** Ends the volume for everybody. Forced, it does not mind metadata that cannot be opened. */
    private void retire(VolumeSpec spec, boolean force) throws IOException {
        try (var engine = parts.openMetadata(spec)) {
            var live = new Superblock(engine, clock).retire(force);
            if (!live.isEmpty()) {
                throw busy(spec, live);
            }
            engine.sync();
        } catch (Refusal busy) {
            if (!force || busy.reason() == Reason.BUSY) {
                throw busy;
            }
        } catch (IOException damaged) {
            if (!force) {
                throw damaged;
            }
        }
    }

    static Refusal busy(VolumeSpec spec, Iterable<Session> live) {
        var refusal = new Refusal(Reason.BUSY, "volume '%s' is in use".formatted(spec.name()),
                "wait until they are done, or end them: volsh volume destroy %s --force".formatted(spec.name()));
        for (var session : live) {
            refusal = refusal.detail("%s by process %d on %s since %s".formatted(
                    session.purpose(), session.pid(), session.host(), session.started()));
        }
        return refusal;
    }

    /**
     * The mark goes last: until then the part is known to be this volume's. A writer that was ended may add a block
     * meanwhile.
     */
    private void deleteBlocks(VolumeSpec spec, Volumes.Watcher watcher) throws IOException {
        try (var store = parts.openStore(spec)) {
            while (deletePass(store, watcher) > 0) {
                // until a pass finds nothing
            }
            store.delete(Ownership.MARK);
        }
        parts.tidyStore(spec);
    }

    private static long deletePass(BlockStore store, Volumes.Watcher watcher) throws IOException {
        long deleted = 0;
        try (var blocks = store.list("")) {
            for (var it = blocks.iterator(); it.hasNext(); ) {
                var block = it.next();
                if (watcher.cancelled()) {
                    throw new InterruptedIOException("stopped half way; run it again to finish");
                }
                if (!block.key().equals(Ownership.MARK)) {
                    store.delete(block.key());
                    watcher.deleted(block.size());
                    deleted++;
                }
            }
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        return deleted;
    }
}
