package volsh.lifecycle;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.time.InstantSource;
import volsh.assembly.ShippingSwitch;
import volsh.assembly.VolumeParts;
import volsh.block.BlockStore;
import volsh.block.MissingStoreException;
import volsh.catalog.Catalog;
import volsh.catalog.Host;
import volsh.catalog.KnownCaches;
import volsh.catalog.Ownership;
import volsh.catalog.Records;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeSpec;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaUnavailableException;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.fs.FsException;
import volsh.inventory.Superblock;
import volsh.meta.Session;
import volsh.ship.AttachedElsewhereException;
import volsh.ship.DamagedShipmentException;
import volsh.ship.RecordingEngine;
import volsh.ship.Shipments;
import volsh.ship.Shipping;

/**
 * Deletes a volume for good. First it can no longer be opened, here or, if its metadata is shipped, anywhere; then
 * its blocks are deleted, then their copies in caches of this machine, its metadata, and finally its name. Of a volume
 * that another host has taken over, only the copy here is deleted. Stopped anywhere, it can be run again. The catalog
 * is not locked while blocks are deleted, which may take long.
 */
public final class Destruction {
    private final Catalog catalog;
    private final VolumeParts parts;
    private final KnownCaches caches;
    private final InstantSource clock;

    public Destruction(Catalog catalog, VolumeParts parts, KnownCaches caches, InstantSource clock) {
        this.catalog = catalog;
        this.parts = parts;
        this.caches = caches;
        this.clock = clock;
    }

    public void run(VolumeSpec spec, boolean force, DestructionWatcher watcher) throws IOException {
        boolean ours = catalog.exclusively(() -> {
            requireRight(spec);
            boolean begun = !catalog.contains(Catalog.VOLUMES, spec.name());
            boolean mine = begun || retire(spec, force);
            if (!mine) {
                parts.removeMetadata(spec);
                catalog.remove(Catalog.VOLUMES, spec.name());
            } else if (!begun) {
                catalog.move(Catalog.VOLUMES, Catalog.DESTROYING, spec.name());
            }
            return mine;
        });
        if (ours) {
            finish(spec, force, watcher);
        }
    }

    /**
     * The database decides which roles may destroy a volume that machines share, and it is asked before anything
     * changes: stores know no tokens. Where it cannot be asked, only the machine that made the volume goes on.
     *
     * @throws Refusal FORBIDDEN, or UNAVAILABLE if the database does not say
     */
    public void requireRight(VolumeSpec spec) throws IOException {
        var database = parts.database(spec);
        if (database.isEmpty()) {
            return;
        }
        boolean owner;
        try {
            owner = PostgresMetaEngine.isOwner(database.get(), spec.id());
        } catch (FsException refused) {
            throw new Refusal(Reason.FORBIDDEN, "the database does not allow this machine to destroy volume '%s': %s"
                    .formatted(spec.name(), refused.getMessage()), refused, forgetting(spec));
        } catch (IOException unknown) {
            if (parts.areMadeHere(spec)) {
                return;
            }
            throw new Refusal(Reason.UNAVAILABLE,
                    "volume '%s' was attached here, and its database cannot be asked whether it may be destroyed: %s"
                    .formatted(spec.name(), unknown.getMessage()), unknown, forgetting(spec));
        }
        if (!owner) {
            throw new Refusal(Reason.FORBIDDEN, "only the database role that created the volume can destroy it",
                    forgetting(spec));
        }
    }

    private static String forgetting(VolumeSpec spec) {
        return "to forget it on this machine: volsh volume detach " + spec.name();
    }

    private void finish(VolumeSpec spec, boolean force, DestructionWatcher watcher) throws IOException {
        deleteBlocks(spec, force, watcher);
        caches.remove(spec.id());
        catalog.exclusively(() -> {
            var still = catalog.find(Catalog.DESTROYING, spec.name(), Records::volume);
            if (still.isPresent() && still.get().id().equals(spec.id())) {
                parts.removeJournals(spec);
                removeMetadata(spec);
                catalog.remove(Catalog.DESTROYING, spec.name());
            }
            return null;
        });
        parts.tidyStores(spec);   // last: until then a part that is missing was not emptied
    }

    private void removeMetadata(VolumeSpec spec) throws IOException {
        try {
            parts.removeMetadata(spec);
        } catch (MetaUnavailableException away) {
            throw new Refusal(Reason.UNAVAILABLE,
                    "the blocks of volume '%s' are deleted, but its metadata is still in the database: %s"
                    .formatted(spec.name(), away.getMessage()), away,
                    "when the database answers: volsh volume destroy %1$s --confirm %1$s".formatted(spec.name()),
                    forgetting(spec));
        }
    }

    /**
     * Ends the volume for all machines. Forced, it ignores metadata that cannot be opened. Returns false if it is not
     * ours to destroy, because another host has it: then it is over only here.
     */
    private boolean retire(VolumeSpec spec, boolean force) throws IOException {
        try (var engine = parts.openMetadata(spec)) {
            boolean mine = isMine(spec, engine);
            var superblock = new Superblock(mine ? engine : engine.engine(), clock);
            var live = superblock.retire(force);
            if (!live.isEmpty() && parts.deadSessions(spec).end(superblock.sessions())) {
                live = superblock.retire(force);
            }
            if (!live.isEmpty()) {
                throw busy(spec, live);
            }
            engine.sync();
            return mine && isMine(spec, engine);   // shipped, this ends it everywhere; or another was quicker
        } catch (UndecidedException unknown) {
            throw unknown.refusal(spec);
        } catch (Refusal busy) {
            if (!force || busy.reason() == Reason.BUSY) {
                throw busy;
            }
        } catch (IOException damaged) {
            if (!force) {
                throw damaged;
            }
        }
        return !spec.shipsMetadata() || hasShippedLast(spec);
    }

    /** What is left to go by when the metadata here cannot be read. */
    private boolean hasShippedLast(VolumeSpec spec) throws IOException {
        try (var store = parts.openShipped(spec)) {
            return Shipments.of(store, spec.id()).map(Shipments::host).orElse(Host.name()).equals(Host.name());
        } catch (DamagedShipmentException nobodyCanUseIt) {
            return true;
        }
    }

    /** Whether everything could be shipped: then no other host has the volume. */
    private boolean isMine(VolumeSpec spec, RecordingEngine engine) throws IOException {
        if (Shipping.status(engine).isEmpty()) {
            return true;
        }
        try (var store = parts.openShipped(spec)) {
            var shipping = parts.shipping(spec, engine, store);
            shipping.ship();
            shipping.requireMine();
            return true;
        } catch (AttachedElsewhereException elsewhere) {
            return false;
        } catch (MetaDamagedException here) {
            throw here;
        } catch (IOException store) {
            throw new UndecidedException(store);
        }
    }

    /** The store does not say whose the volume is: then not even force may delete it. */
    private static final class UndecidedException extends IOException {
        UndecidedException(IOException cause) {
            super(cause);
        }

        Refusal refusal(VolumeSpec spec) {
            return new Refusal(Reason.UNAVAILABLE,
                    "cannot ask the store of volume '%s' whether another host has attached it"
                    .formatted(spec.name()), getCause(), "volsh store probe " + spec.store());
        }
    }

    public static Refusal busy(VolumeSpec spec, Iterable<Session> live) {
        return busy(spec, live, "who uses it: volsh volume sessions " + spec.name());
    }

    /** For a caller that does less than destroy the volume. */
    public static Refusal busy(VolumeSpec spec, Iterable<Session> live, String hint) {
        var refusal = new Refusal(Reason.BUSY, "volume '%s' is in use".formatted(spec.name()), hint);
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
    private void deleteBlocks(VolumeSpec spec, boolean force, DestructionWatcher watcher) throws IOException {
        if (spec.shipsMetadata()) {
            try (var store = parts.openShipped(spec)) {
                new ShippingSwitch(parts).remove(spec, store);   // first: what has lost blocks must not be attached
            }
        }
        for (var name : spec.stores().reversed()) {   // the first, by which it is known, goes last
            try {
                deleteBlocks(spec, name, watcher);
            } catch (InterruptedIOException stopped) {
                throw stopped;
            } catch (IOException away) {
                if (away instanceof MissingStoreException && isOver(spec)) {
                    return;
                }
                if (!force || name.equals(spec.store()) && !(away instanceof MissingStoreException)) {
                    throw away;
                }
                System.getLogger("volsh.volume")
                        .log(Level.WARNING, "store '%s' does not answer: what volume '%s' has there stays, below %s"
                        .formatted(name, spec.name(), spec.prefix()));
            }
        }
    }

    /** Whether another has finished it meanwhile. */
    private boolean isOver(VolumeSpec spec) throws IOException {
        return catalog.find(Catalog.DESTROYING, spec.name(), Records::volume)
                .filter(still -> still.id().equals(spec.id())).isEmpty();
    }

    private void deleteBlocks(VolumeSpec spec, String name, DestructionWatcher watcher) throws IOException {
        try (var store = parts.openStore(spec, name)) {
            while (deletePass(store, watcher) > 0) {
                // until a pass finds nothing
            }
            discardUnfinished(store);
            store.delete(Ownership.MARK);
        }
    }

    /** Removes what puts left that were cut off, which no listing shows. A store that cannot do that keeps it. */
    static void discardUnfinished(BlockStore store) {
        try {
            for (var put : store.unfinished("")) {
                store.discard(put);
            }
        } catch (IOException unable) {
            System.getLogger("volsh.volume").log(Level.DEBUG, "unfinished puts stay in the store", unable);
        }
    }

    /** Several batches at a time, each in as few requests as the store can. */
    private static long deletePass(BlockStore store, DestructionWatcher watcher) throws IOException {
        try (var listed = store.list(""); var deletes = new BatchedDeletes(store, watcher)) {
            for (var it = listed.iterator(); it.hasNext(); ) {
                var object = it.next();
                if (!object.key().equals(Ownership.MARK)) {
                    deletes.add(object);
                }
            }
            return deletes.finish();
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }
}
