package volsh.volume;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import volsh.assembly.Assembly;
import volsh.assembly.ShippingSwitch;
import volsh.assembly.Stores;
import volsh.assembly.VolumeParts;
import volsh.catalog.Access;
import volsh.catalog.Catalog;
import volsh.catalog.Home;
import volsh.catalog.KnownCaches;
import volsh.catalog.Records;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeDraft;
import volsh.catalog.VolumeSpec;
import volsh.engine.postgres.PostgresUrl;
import volsh.event.EventLog;
import volsh.fs.Owner;
import volsh.inventory.Superblock;
import volsh.lifecycle.Destruction;
import volsh.lifecycle.DestructionWatcher;
import volsh.lifecycle.SharedAttachment;
import volsh.lifecycle.VolumeConstruction;
import volsh.lifecycle.VolumeDesigns;

/**
 * The front door: everything commands and scripts do with volumes and stores. Safe to use from several processes at
 * once; a call that fails leaves nothing half done. A {@code check…} method fails as the method it is named after
 * would, and changes nothing.
 */
public final class Volumes {
    private final InstantSource clock;
    private final Assembly assembly;
    private final Catalog catalog;
    private final Stores stores;
    private final VolumeParts parts;
    private final VolumeConstruction construction;
    private final VolumeDesigns designs;
    private final KnownCaches caches;
    private final EventLog events;
    private final Map<UUID, MetDamage> damages = new ConcurrentHashMap<>();

    private final VolumeRegistry volumes;
    private final VolumeOpening.Surroundings surroundings;

    /** {@code owner} owns the root directories of new volumes. */
    public Volumes(Home home, InstantSource clock, Owner owner) {
        this(home, clock, owner, new Assembly(), ClosingStack.Watcher.NONE);
    }

    /** {@code watcher} sees every step of opening and closing volumes. */
    Volumes(Home home, InstantSource clock, Owner owner, Assembly assembly, ClosingStack.Watcher watcher) {
        this.clock = clock;
        this.assembly = assembly;
        this.catalog = new Catalog(home.state().resolve("catalog"), assembly.disk());
        this.stores = new Stores(catalog, assembly, home, clock);
        this.parts = new VolumeParts(home, assembly, stores, clock);
        this.construction = new VolumeConstruction(catalog, parts, clock, owner);
        this.designs = new VolumeDesigns(stores, parts, clock);
        this.caches = new KnownCaches(assembly.disk(), home.state().resolve("caches"));
        this.events = new EventLog(home.state().resolve("events"));
        this.volumes = new VolumeRegistry(catalog, parts, clock);
        this.surroundings = new VolumeOpening.Surroundings(
                volumes, parts, assembly, caches, this::damage, clock, watcher);
        parts.onDamage((spec, damaged) -> damage(spec).met(damaged));
    }

    /** Loads the classes that opening a volume takes longest to load; call it while the process does something else. */
    public static void ahead() {
        Assembly.ahead();
    }

    // ---- finding

    /** All volumes, from the catalog alone. @throws Refusal DAMAGED if an entry cannot be read */
    public List<VolumeSpec> list() throws IOException {
        return volumes.list();
    }

    /** The volumes whose catalog entries can be read. */
    public List<VolumeSpec> readable() throws IOException {
        return volumes.readable();
    }

    /** The names of all volumes, from the names of files alone. */
    public List<String> names() throws IOException {
        return volumes.names();
    }

    /** The names of volumes whose destruction began and has not ended. */
    public List<String> destroying() throws IOException {
        return volumes.destroying();
    }

    /** @throws Refusal NOT_FOUND, or CONFLICT if it is being destroyed */
    public VolumeSpec find(String name) throws IOException {
        return volumes.find(name);
    }

    public boolean exists(String name) throws IOException {
        return volumes.exists(name);
    }

    /** What the volume holds and which sessions have it open. */
    public VolumeStatus status(String name) throws IOException {
        return volumes.status(name);
    }

    /** The sessions that have the volume open, the files they have locked, and the means to end one. Close it. */
    public SessionControl sessionControl(String name) throws IOException {
        var spec = find(name);
        return new SessionControl(name, parts.openMetadata(spec), parts.deadSessions(spec), clock);
    }

    // ---- making

    /** Describes a new volume without creating it. @throws Refusal NOT_FOUND if its store is unknown */
    public VolumeSpec design(VolumeDraft draft) throws IOException {
        return designs.design(draft);
    }

    public VolumeSpec checkCreate(VolumeDraft draft) throws IOException {
        volumes.requireFree(draft.name());
        return design(draft);
    }

    /** Creates a volume. @throws Refusal CONFLICT if the name is taken */
    public VolumeSpec create(VolumeDraft draft) throws IOException {
        checkCreate(draft);
        return catalog.exclusively(() -> construction.run(checkCreate(draft), draft));
    }

    /** The result of {@link #ensure}: the volume as it is now, and what had to be done. */
    public record Ensured(VolumeSpec spec, Change change) {
        public enum Change {
            CREATED,
            UPDATED,
            UNCHANGED
        }

        public boolean created() {
            return change == Change.CREATED;
        }
    }

    public Ensured checkEnsure(VolumeDraft draft) throws IOException {
        if (!exists(draft.name())) {
            return new Ensured(checkCreate(draft), Ensured.Change.CREATED);
        }
        var found = volumes.latest(draft.name());
        designs.requireSame(found, draft);
        var wanted = VolumeDesigns.adjusted(found, draft);
        return new Ensured(wanted, wanted.equals(found) ? Ensured.Change.UNCHANGED : Ensured.Change.UPDATED);
    }

    /**
     * Creates the volume unless it exists, and gives an existing one the changeable settings of the draft.
     *
     * @throws Refusal CONFLICT if it exists with other properties that cannot change
     */
    public Ensured ensure(VolumeDraft draft) throws IOException {
        var seen = checkEnsure(draft);
        return seen.change() == Ensured.Change.UNCHANGED ? seen : catalog.exclusively(() -> {
            var wanted = checkEnsure(draft);
            switch (wanted.change()) {
                case CREATED -> construction.run(wanted.spec(), draft);
                case UPDATED -> record(wanted.spec());
                case UNCHANGED -> { }
            }
            return wanted;
        });
    }

    // ---- using

    /** Opens a volume for a short time. @throws Refusal as {@link #open(OpeningRequest)} would */
    public Volume open(String name, Access access, String purpose) throws IOException {
        return open(OpeningRequest.of(name, access, purpose));
    }

    /** Opens a volume. @throws Refusal NOT_FOUND, BUSY, or CONFLICT if the store belongs to another volume */
    public Volume open(OpeningRequest request) throws IOException {
        return VolumeOpening.open(surroundings, request);
    }

    private MetDamage damage(VolumeSpec spec) {
        return damages.computeIfAbsent(spec.id(), id ->
                new MetDamage(spec.name(), new KnownDamage(assembly.disk(), parts.directory(spec)), events, clock));
    }

    // ---- one object for each kind of work

    /** The stores that volumes can be in. */
    public StoreCatalog stores() {
        return new StoreCatalog(volumes, parts, stores, assembly, clock);
    }

    /** The stores of volumes that have several. */
    public StoreAssignment spreading() {
        return new StoreAssignment(volumes, parts, stores, (name, change) -> catalog.exclusively(() -> {
            var after = change.apply(volumes.latest(name));
            volumes.requireHere(after);
            return record(after);
        }));
    }

    /** Files whose bytes stay in objects of buckets. */
    public ImportControl imports() {
        return new ImportControl(this::open, parts, volume -> damage(volume.spec()), clock);
    }

    /** How much can still be written to volumes. */
    public VolumeCapacity capacity() {
        return new VolumeCapacity(volumes, parts, stores, assembly, this::open);
    }

    /** The journals of volumes. */
    public JournalControl journals() {
        return new JournalControl(volumes, parts, assembly.disk(), clock);
    }

    /** Settings of garbage collection and caches, and the keys of encrypted volumes. */
    public VolumeSettings settings() {
        var keys = new KeyControl(volumes, parts, (name, change) -> catalog.exclusively(() -> {
            var after = change.apply(volumes.latest(name));
            volumes.requireHere(after);
            return record(after);
        }));
        return new VolumeSettings(volumes, parts, caches, keys, clock);
    }

    /** Checks, repairs, dumps and loads volumes, and collects their garbage. */
    public VolumeUpkeep upkeep() {
        var means = new VolumeUpkeep.Means(catalog, stores, parts, assembly, construction);
        return new VolumeUpkeep(volumes, this::open, means, clock);
    }

    /** Brings volumes to this machine, and forgets them here. */
    public AttachControl attaching() {
        return new AttachControl(volumes, catalog, stores, parts, assembly, clock);
    }

    /** Access for others, for a time. */
    public AccessTokens tokens() {
        return new AccessTokens(volumes, this::open, parts);
    }

    /** The snapshots of volumes. */
    public SnapshotControl snapshots() {
        return new SnapshotControl(volumes, parts, clock);
    }

    /** The database with the metadata of a volume that machines share; empty if the metadata is on this machine. */
    public Optional<PostgresUrl> database(VolumeSpec spec) throws IOException {
        return parts.database(spec);
    }

    // ---- changing

    /** @throws Refusal CONFLICT if the change touches a property that cannot change */
    public VolumeSpec checkSet(String name, UnaryOperator<VolumeSpec> change) throws IOException {
        var before = volumes.latest(name);
        var after = change.apply(before);
        if (after.shipsMetadata() && parts.database(before).isPresent()) {
            throw SharedAttachment.notShipped();
        }
        if (!after.sameForLife(before) || !after.name().equals(name)) {
            throw new Refusal(Reason.CONFLICT,
                    "only compression, inline limit, ship-metadata and labels of volume '%s' can be changed"
                            .formatted(name),
                    "volsh volume show " + name);
        }
        return after;
    }

    /** Changes compression, inline limit, shipping of metadata or labels. New writes follow the change. */
    public VolumeSpec set(String name, UnaryOperator<VolumeSpec> change) throws IOException {
        return catalog.exclusively(() -> {
            var after = checkSet(name, change);
            volumes.requireHere(after);
            return record(after);
        });
    }

    /** Writes the record to the volume's metadata, then to the catalog. */
    private VolumeSpec record(VolumeSpec spec) throws IOException {
        try (var engine = parts.openMetadata(spec)) {
            var dispatch = new ShippingSwitch(parts);
            volumes.endKilled(spec, new Superblock(engine, clock).sessions());
            dispatch.follow(spec, engine);
            new Superblock(engine, clock).set(Records.SPEC, Records.toBytes(spec));
            engine.sync();
            dispatch.shipOrWarn(spec, engine);
        }
        catalog.put(Catalog.VOLUMES, spec.name(), Records.toBytes(spec));
        return spec;
    }

    public VolumeSpec checkRename(String name, String newName) throws IOException {
        var before = find(name);
        VolumeSpec.requireName("volume", newName);
        volumes.requireFree(newName);
        return before.renamed(newName);
    }

    /**
     * Gives the volume another name, in one step. Its data stays where it is. @throws Refusal CONFLICT if the name is
     * taken
     */
    public VolumeSpec rename(String name, String newName) throws IOException {
        return catalog.exclusively(() -> {
            var after = checkRename(name, newName);
            volumes.requireHere(after);
            catalog.rename(Catalog.VOLUMES, name, newName);
            return record(after);
        });
    }

    public void destroy(String name, boolean force) throws IOException {
        destroy(name, force, DestructionWatcher.NONE);
    }

    /**
     * Deletes the volume with all its data. Stopped half way, it can be called again. {@code force} ends its sessions,
     * and ignores metadata that cannot be read.
     *
     * @throws Refusal BUSY if a session has it open
     */
    public void destroy(String name, boolean force, DestructionWatcher watcher) throws IOException {
        if (!force && catalog.contains(Catalog.VOLUMES, name)) {
            stores().requireDirectories(find(name));
        }
        destruction().run(volumes.leavingOrFound(name), force, watcher);
    }

    private Destruction destruction() {
        return new Destruction(catalog, parts, caches, clock);
    }

    /** Whether this machine may force {@link #destroy} without the metadata: not if it only attached the volume. */
    public boolean mayForceDestroy(String name) throws IOException {
        return parts.areMadeHere(volumes.leavingOrFound(name));
    }

    /** The volume that {@link #destroy} would delete. */
    public VolumeSpec checkDestroy(String name, boolean force) throws IOException {
        var spec = volumes.leavingOrFound(name);
        destruction().requireRight(spec);
        if (!force && catalog.contains(Catalog.VOLUMES, name)) {
            var dead = parts.deadSessions(spec);
            var now = clock.instant();
            var live = status(name).sessions().stream()
                    .filter(session -> !session.lease().isBefore(now) && !dead.isDead(session)).toList();
            if (!live.isEmpty()) {
                throw Destruction.busy(spec, live);
            }
            stores().requireDirectories(spec);
        }
        return spec;
    }
}
