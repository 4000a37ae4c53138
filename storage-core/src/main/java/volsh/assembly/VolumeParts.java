package volsh.assembly;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import volsh.block.BlockStore;
import volsh.block.StoreUrl;
import volsh.bucket.OpenBuckets;
import volsh.catalog.ChaosFiles;
import volsh.catalog.Home;
import volsh.catalog.Host;
import volsh.catalog.Migrations;
import volsh.catalog.Ownership;
import volsh.catalog.Records;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.StoreEntry;
import volsh.catalog.VolumeSpec;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.inventory.CheckedEngine;
import volsh.inventory.Journals;
import volsh.object.ObjectStore;
import volsh.ship.Identity;
import volsh.ship.RecordingEngine;
import volsh.ship.Replicas;
import volsh.ship.Shipping;
import volsh.writeback.JournalDirectory;
import volsh.writeback.Writeback;

/** What a volume consists of: a directory with its metadata in the home, and its part of a store. */
public final class VolumeParts {
    private final Home home;
    private final Assembly assembly;
    private final Stores stores;
    private final InstantSource clock;
    private final ChaosFiles chaos;
    private final VolumeKeys keys;
    private volatile BiConsumer<VolumeSpec, MetaDamagedException> damaged = (_, _) -> { };

    public VolumeParts(Home home, Assembly assembly, Stores stores, InstantSource clock) {
        this.home = home;
        this.assembly = assembly;
        this.stores = stores;
        this.clock = clock;
        this.chaos = new ChaosFiles(home.state().resolve("chaos"), assembly.disk(), clock);
        this.keys = new VolumeKeys(assembly.disk(), this::directory);
    }

    /** The keys of encrypted volumes. */
    public VolumeKeys keys() {
        return keys;
    }

    /** From now on the listener gets every damage that readers of metadata meet. */
    public void onDamage(BiConsumer<VolumeSpec, MetaDamagedException> listener) {
        damaged = listener;
    }

    /** The volume's part of its first store. */
    public BlockStore openStore(VolumeSpec spec) throws IOException {
        return openStore(spec, spec.store());
    }

    /** The volume's part of one of its stores. */
    public BlockStore openStore(VolumeSpec spec, String name) throws IOException {
        return open(spec, name, Assembly.Needs.PART);
    }

    private BlockStore open(VolumeSpec spec, String name, Assembly.Needs needs) throws IOException {
        boolean redundant = spec.spread().policy().stream().flatMap(policy -> policy.components().stream())
                .mapToInt(component -> component.layout().losses()).min().orElse(0) > 0;
        return chaos.over(name, assembly.part(stores.find(name), spec.prefix(), needs, redundant));
    }

    /** A store in which a volume that is being made gets a part: its directory is made, too. */
    public BlockStore openNewStore(VolumeSpec spec, String name) throws IOException {
        return open(spec, name, Assembly.Needs.NOTHING);
    }

    /** A store that is there, in which a volume gets a part, perhaps once more. */
    public BlockStore openNewPart(VolumeSpec spec, String name) throws IOException {
        return open(spec, name, stores.find(name).builtIn() ? Assembly.Needs.NOTHING : Assembly.Needs.STORE);
    }

    /**
     * The stores that the metadata of a volume is shipped to: as many as blocks have copies, so that as many may be
     * lost.
     */
    public static List<String> shippedTo(VolumeSpec spec) {
        int losses = spec.spread().policy().stream().flatMap(policy -> policy.components().stream())
                .mapToInt(component -> component.layout().losses()).max().orElse(0);
        return spec.stores().subList(0, Math.min(spec.stores().size(), losses + 1));
    }

    /** Where the metadata of a volume is shipped to. */
    public BlockStore openShipped(VolumeSpec spec) throws IOException {
        var names = shippedTo(spec);
        if (names.size() == 1) {
            return openStore(spec, names.getFirst());
        }
        return new Replicas(names.stream().map(name -> new Replicas.Source(name, () -> openOwn(spec, name))).toList());
    }

    /** The volume's part of one of its stores, if it is marked as that. */
    private BlockStore openOwn(VolumeSpec spec, String name) throws IOException {
        var store = openStore(spec, name);
        try {
            Ownership.require(store, spec, name);
            return store;
        } catch (IOException | RuntimeException failed) {
            store.close();
            throw failed;
        }
    }

    /** The bucket or directory of a URL, whose objects belong to others. */
    public ObjectStore openBucket(StoreUrl url) throws IOException {
        return OpenBuckets.open(url);
    }

    /** What the catalog says of a store of this name. */
    public StoreEntry store(String name) throws IOException {
        return stores.find(name);
    }

    /** Removes the empty directories that file stores keep. */
    public void tidyStores(VolumeSpec spec) throws IOException {
        for (var name : spec.stores()) {
            assembly.tidy(stores.find(name).url(), spec.prefix());
        }
    }

    /** A store as a whole, all volumes' parts below it. */
    BlockStore openWholeStore(String name) throws IOException {
        return assembly.store(stores.find(name));
    }

    /** Makes metadata in this database, or else beside everything of this machine. */
    public RecordingEngine createMetadata(VolumeSpec spec, Optional<PostgresUrl> database) throws IOException {
        assembly.disk().makeDirectories(directory(spec));
        return recording(spec, database.isPresent()
                ? assembly.sharedMetadata().create(directory(spec), database.get(), spec.id())
                : assembly.createMetadata(directory(spec)));
    }

    /** The database with the metadata; empty if the metadata is on this machine. */
    public Optional<PostgresUrl> database(VolumeSpec spec) throws IOException {
        return assembly.sharedMetadata().place(directory(spec));
    }

    /**
     * Whether this machine may decide alone over the volume: its metadata is here, or this machine created it in the
     * database.
     */
    public boolean areMadeHere(VolumeSpec spec) throws IOException {
        return database(spec).isEmpty() || assembly.sharedMetadata().areMadeHere(directory(spec));
    }

    /** The store, as another machine that attaches the volume needs it. */
    public StoreUrl storeUrl(VolumeSpec spec) throws IOException {
        return stores.find(spec.store()).url();
    }

    /** @throws Refusal UNAVAILABLE if the metadata is gone */
    public RecordingEngine openMetadata(VolumeSpec spec) throws IOException {
        var database = database(spec);
        return database.isPresent() ? openShared(spec, database.get()) : openEmbedded(spec);
    }

    private RecordingEngine openShared(VolumeSpec spec, PostgresUrl database) throws IOException {
        try {
            return recording(spec, assembly.sharedMetadata().open(database, spec.id()));
        } catch (NoSuchFileException gone) {
            throw new Refusal(Reason.UNAVAILABLE, "the metadata of volume '%s' is no longer in its database"
                    .formatted(spec.name()), "forget the volume here: volsh volume detach " + spec.name())
                    .detail("%s: %s".formatted(database, gone.getReason()));
        }
    }

    private RecordingEngine openEmbedded(VolumeSpec spec) throws IOException {
        try {
            return recording(spec, assembly.openMetadata(directory(spec)));
        } catch (MetaDamagedException damaged) {
            damaged.isOf(spec.name());
            throw damaged;
        } catch (NoSuchFileException gone) {
            throw new Refusal(Reason.UNAVAILABLE,
                    "the metadata of volume '%s' is missing: %s"
                            .formatted(spec.name(), Assembly.metadata(directory(spec))))
                    .detail("is the home's file system mounted? without this file the volume's blocks cannot be read");
        }
    }

    private RecordingEngine recording(VolumeSpec spec, MetaEngine engine) throws IOException {
        return new RecordingEngine(new CheckedEngine(engine, spec.name(), damage -> damaged.accept(spec, damage)),
                clock);
    }

    /**
     * Keeps a copy of a log of the metadata that is damaged, so that it opens with what is before the damage; the copy,
     * if there was one.
     */
    public Optional<Path> setLogAside(VolumeSpec spec) throws IOException {
        return database(spec).isPresent() ? Optional.empty()
                : assembly.setLogAside(directory(spec), "damaged-" + clock.instant().getEpochSecond());
    }

    /** What a database on this machine says of its own file, also if it cannot be opened as a volume's. */
    public List<String> inspectDatabase(VolumeSpec spec, boolean deep) throws IOException {
        return database(spec).isPresent() ? List.of() : assembly.inspectDatabase(directory(spec), deep);
    }

    /** Whether it would. */
    public boolean hasDamagedLog(VolumeSpec spec) throws IOException {
        return database(spec).isEmpty() && assembly.hasDamagedLog(directory(spec));
    }

    public void removeMetadata(VolumeSpec spec) throws IOException {
        var database = database(spec);
        if (database.isPresent()) {
            assembly.sharedMetadata().drop(database.get(), spec.id());
        }
        remove(directory(spec));
    }

    /** Removes what this machine knows of a volume that it shares with others. */
    public void forget(VolumeSpec spec) throws IOException {
        remove(directory(spec));
    }

    /** Removes what processes of this host staged of it. If the metadata cannot be read, the journals are unknown. */
    public void removeJournals(VolumeSpec spec) {
        try (var engine = openMetadata(spec)) {
            for (var row : new Journals(engine).list()) {
                if (JournalDirectory.isHere(row)) {
                    remove(Path.of(row.directory()));
                }
            }
        } catch (IOException unreadable) {
            // see above; what is beside the metadata goes with it
        }
    }

    private void remove(Path directory) throws IOException {
        for (var file : assembly.disk().list(directory)) {
            if (file.directory()) {
                remove(directory.resolve(file.name()));
            } else {
                assembly.disk().delete(directory.resolve(file.name()));
            }
        }
        Files.deleteIfExists(directory);
    }

    /** Where journals of this volume are made: below the directory asked for, else beside the metadata. */
    public Path journals(VolumeSpec spec, Optional<Writeback> writeback) {
        return writeback.flatMap(Writeback::directory)
                .map(place -> place.resolve(spec.id().toString()))
                .orElse(directory(spec).resolve("journal"));
    }

    /** Which sessions of the volume are of processes that were killed here. */
    public DeadSessions deadSessions(VolumeSpec spec) throws IOException {
        return new DeadSessions(database(spec).isPresent());
    }

    /** How the metadata gets to the volume's part of its store. */
    public Shipping shipping(VolumeSpec spec, RecordingEngine engine, BlockStore store) {
        return new Shipping(identity(spec), engine.engine(), store, clock, new ShipLock(directory(spec)));
    }

    public static Identity identity(VolumeSpec spec) {
        return new Identity(spec.id(), Host.name(), Records.SPEC);
    }

    /** What is being moved to other stores. */
    public Migrations migrations(VolumeSpec spec) {
        return new Migrations(assembly.disk(), directory(spec).resolve("migrations"));
    }

    public ChaosFiles chaos() {
        return chaos;
    }

    public Path directory(VolumeSpec spec) {
        return directories().resolve(spec.id().toString());
    }

    /** Where the metadata of all volumes is, a directory each. */
    public Path directories() {
        return home.state().resolve("volumes");
    }
}
