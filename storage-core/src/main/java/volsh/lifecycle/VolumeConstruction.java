package volsh.lifecycle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import volsh.assembly.ShippingSwitch;
import volsh.assembly.VolumeParts;
import volsh.block.BlockStore;
import volsh.catalog.Catalog;
import volsh.catalog.HistorySpan;
import volsh.catalog.Ownership;
import volsh.catalog.Records;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeDraft;
import volsh.catalog.VolumeSpec;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.fs.Owner;
import volsh.fs.ShellWord;
import volsh.inventory.Superblock;
import volsh.ship.RecordingEngine;
import volsh.unit.ByteSize;

/**
 * Makes a volume, all of it or nothing: its part of each store is claimed, then its metadata is made with everything
 * that was asked for, and last it gets its name in the catalog. A note in the catalog precedes all this, so that the
 * next creation removes what a killed process left. The caller holds the catalog's lock, so a note that is found is of
 * a process that has ended.
 */
public final class VolumeConstruction {
    public static final String CREATING = "creating";
    private static final int ROOT_MODE = 0755;

    private final Catalog catalog;
    private final VolumeParts parts;
    private final InstantSource clock;
    private final Owner owner;

    /** The root directories of new volumes belong to {@code owner}. */
    public VolumeConstruction(Catalog catalog, VolumeParts parts, InstantSource clock, Owner owner) {
        this.catalog = catalog;
        this.parts = parts;
        this.clock = clock;
        this.owner = owner;
    }

    /** Makes it as designed from the draft. */
    public VolumeSpec run(VolumeSpec spec, VolumeDraft draft) throws IOException {
        if (draft.key().isEmpty()) {
            return run(spec, draft.database(), empty(spec, draft.limits()));
        }
        var encrypted = parts.keys().encrypt(spec, draft.key().get());
        var rows = empty(encrypted, draft.limits());
        return run(encrypted, draft.database(), (engine, store) -> {
            parts.keys().remember(encrypted, draft.key().get());
            rows.fill(engine, store);
        });
    }

    /** The rows of an empty volume, in one transaction. */
    Filling empty(VolumeSpec spec, VolumeDraft.Limits limits) {
        long history = limits.retention().map(HistorySpan::seconds).orElse(0L);
        long quota = limits.quota().map(ByteSize::bytes).orElse(Long.MAX_VALUE);
        return (engine, _) -> new Superblock(engine, clock)
                .format(owner, ROOT_MODE, Records.SPEC, Records.toBytes(spec), history, quota);
    }

    /** Puts the first rows into empty metadata, and blocks into the store if there are any. */
    public interface Filling {
        void fill(RecordingEngine engine, BlockStore store) throws IOException;
    }

    /** Makes one with other rows than those of an empty volume. */
    public VolumeSpec run(VolumeSpec spec, Optional<PostgresUrl> database, Filling filling) throws IOException {
        clearAway();
        if (database.isPresent()) {
            requireFree(database.get());
        }
        for (var name : spec.stores()) {
            try (var store = parts.openNewStore(spec, name)) {
                Ownership.requireFree(store, spec, name);
            }
        }
        try (var store = parts.openStore(spec)) {
            catalog.put(CREATING, spec.prefix(), Records.toBytes(spec));
            try {
                build(spec, database, store, filling);
            } catch (IOException | RuntimeException failed) {
                undo(failed, spec);
                throw failed;
            }
        }
        catalog.remove(CREATING, spec.prefix());
        return spec;
    }

    private void build(VolumeSpec spec, Optional<PostgresUrl> database, BlockStore store, Filling filling)
            throws IOException {
        for (var name : spec.stores()) {
            try (var each = parts.openNewStore(spec, name)) {
                Ownership.claim(each, spec);
            }
        }
        try (var engine = created(spec, database)) {
            filling.fill(engine, store);
            if (database.isPresent()) {
                new Superblock(engine, clock)
                        .set(SharedAttachment.STORE, SharedAttachment.toBytes(parts.storeUrl(spec)));
            }
            engine.sync();
            if (spec.shipsMetadata()) {
                try (var shipped = parts.openShipped(spec)) {
                    new ShippingSwitch(parts).begin(spec, engine, shipped);
                }
            }
        }
        catalog.put(Catalog.VOLUMES, spec.name(), Records.toBytes(spec));
    }

    private RecordingEngine created(VolumeSpec spec, Optional<PostgresUrl> database) throws IOException {
        try {
            return parts.createMetadata(spec, database);
        } catch (FileAlreadyExistsException taken) {
            throw database.isEmpty() ? taken : taken(database.get());
        }
    }

    /** Asks the database before anything is begun: what is begun in one that is away could not be undone. */
    private static void requireFree(PostgresUrl database) throws IOException {
        if (PostgresMetaEngine.volumes(database).contains(database.volume())) {
            throw taken(database);
        }
    }

    private static Refusal taken(PostgresUrl database) {
        return new Refusal(Reason.CONFLICT, "the database has a volume '%s' already".formatted(database.volume()),
                "use that one here: volsh volume attach %s".formatted(ShellWord.of(database)));
    }

    private void undo(Exception failed, VolumeSpec spec) {
        boolean interrupted = Thread.interrupted();
        try {
            if (isNamed(spec)) {
                catalog.remove(Catalog.VOLUMES, spec.name());
            }
            takeAway(spec);
        } catch (IOException second) {
            failed.addSuppressed(second);   // the next creation tries again
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Removes what other processes left unfinished; later, if its store does not answer now. */
    private void clearAway() throws IOException {
        for (var left : catalog.names(CREATING)) {
            try {
                var spec = catalog.find(CREATING, left, (entry, bytes) -> Records.volume(bytes)).orElseThrow();
                if (isNamed(spec)) {
                    catalog.remove(CREATING, left);
                } else {
                    takeAway(spec);
                }
            } catch (IOException notNow) {
                System.getLogger(VolumeConstruction.class.getName()).log(System.Logger.Level.DEBUG, left, notNow);
            }
        }
    }

    /** Whether it has a name, perhaps another one by now. @throws IOException if an entry of the catalog is damaged */
    private boolean isNamed(VolumeSpec spec) throws IOException {
        for (var kind : List.of(Catalog.VOLUMES, Catalog.DESTROYING)) {
            if (catalog.list(kind, Records::volume).stream().anyMatch(named -> named.id().equals(spec.id()))) {
                return true;
            }
        }
        return false;
    }

    private void takeAway(VolumeSpec spec) throws IOException {
        parts.removeMetadata(spec);
        if (spec.shipsMetadata()) {
            try (var store = parts.openShipped(spec)) {
                new ShippingSwitch(parts).remove(spec, store);
            }
        }
        for (var name : spec.stores()) {
            try (var store = parts.openNewStore(spec, name)) {
                removeBlocks(store);
                Destruction.discardUnfinished(store);
                Ownership.giveUp(store, spec);
            }
        }
        parts.tidyStores(spec);
        catalog.remove(CREATING, spec.prefix());
    }

    /** A volume that is loaded from a dump has blocks before it has a name. */
    private static void removeBlocks(BlockStore store) throws IOException {
        try (var there = store.list("blocks/")) {
            for (var block : (Iterable<BlockStore.Listed>) there::iterator) {
                store.delete(block.key());
            }
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }
}
