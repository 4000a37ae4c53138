package volsh.volume;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import volsh.assembly.Assembly;
import volsh.assembly.CacheSettings;
import volsh.assembly.DeadSessions;
import volsh.assembly.PlacedBlocks;
import volsh.assembly.Replication;
import volsh.assembly.ShippingSwitch;
import volsh.assembly.StoreMarks;
import volsh.assembly.StoreSet;
import volsh.assembly.Stores;
import volsh.assembly.TimedStoreCall;
import volsh.assembly.VolumeParts;
import volsh.assembly.VolumeSpace;
import volsh.block.BlockStore;
import volsh.block.Counted;
import volsh.block.StoreUrl;
import volsh.cache.disk.DiskTier;
import volsh.catalog.Access;
import volsh.catalog.CacheLifetime;
import volsh.catalog.Catalog;
import volsh.catalog.GcMode;
import volsh.catalog.Home;
import volsh.catalog.KnownCaches;
import volsh.catalog.Moment;
import volsh.catalog.Ownership;
import volsh.catalog.Records;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.StoreEntry;
import volsh.catalog.StoreLayoutSize;
import volsh.catalog.StoreProbe;
import volsh.catalog.VolumeDraft;
import volsh.catalog.VolumeSpec;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.event.EventLog;
import volsh.fs.DiskSpace;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Owner;
import volsh.inventory.GcTurns;
import volsh.inventory.JournalRow;
import volsh.inventory.Journals;
import volsh.inventory.Packs;
import volsh.inventory.PlaceRows;
import volsh.inventory.Strays;
import volsh.inventory.Superblock;
import volsh.lifecycle.Destruction;
import volsh.lifecycle.DestructionWatcher;
import volsh.lifecycle.SharedAttachment;
import volsh.lifecycle.VolumeConstruction;
import volsh.lifecycle.VolumeDesigns;
import volsh.meta.Quotas;
import volsh.meta.Session;
import volsh.meta.Sessions;
import volsh.pack.PackedStore;
import volsh.place.PlacedStore;
import volsh.ship.AttachedElsewhereException;
import volsh.ship.Fence;
import volsh.ship.RecordingEngine;
import volsh.ship.Shipping;
import volsh.writeback.JournalDirectory;
import volsh.writeback.JournalReads;
import volsh.writeback.VolumeJournals;
import volsh.writeback.Writeback;

/**
 * The front door: everything commands and scripts do with volumes and stores. Safe to use from several processes at
 * once; what fails leaves nothing half done. A {@code check…} method fails as the method it is named after would, and
 * changes nothing.
 */
public final class Volumes {
    /** What people write before {@code ://}. */
    private static final Set<String> SCHEMES = Set.of("s3", "file", "gs", "http", "https", "az", "hdfs");
    private static final int NAMES_TOLD = 8;

    /** With so many bytes inside its database a volume has room for what programs write, although the disk is full. */
    public static final long REUSED = 256 << 10;

    private final InstantSource clock;
    private final Assembly assembly = new Assembly();
    private final Catalog catalog;
    private final Stores stores;
    private final VolumeParts parts;
    private final VolumeConstruction construction;
    private final VolumeDesigns designs;
    private final KnownCaches caches;
    private final EventLog events;
    private final Map<UUID, MetDamage> damages = new ConcurrentHashMap<>();

    /** {@code owner} is who new volumes' roots belong to. */
    public Volumes(Home home, InstantSource clock, Owner owner) {
        this.clock = clock;
        this.catalog = new Catalog(home.state().resolve("catalog"), assembly.disk());
        this.stores = new Stores(catalog, assembly, home, clock);
        this.parts = new VolumeParts(home, assembly, stores, clock);
        this.construction = new VolumeConstruction(catalog, parts, clock, owner);
        this.designs = new VolumeDesigns(stores, parts, clock);
        this.caches = new KnownCaches(assembly.disk(), home.state().resolve("caches"));
        this.events = new EventLog(home.state().resolve("events"));
        parts.onDamage((spec, damaged) -> damage(spec).met(damaged));
    }

    /** Loads what opening a volume takes longest to load; for who has something else to do meanwhile. */
    public static void ahead() {
        Assembly.ahead();
    }

    // ---- finding

    /** All volumes, from the catalog alone. @throws Refusal DAMAGED if an entry cannot be read */
    public List<VolumeSpec> list() throws IOException {
        return catalog.list(Catalog.VOLUMES, Records::volume);
    }

    /** Those whose entries can be read: for who tells of the others, or can do without them. */
    public List<VolumeSpec> readable() throws IOException {
        var found = new ArrayList<VolumeSpec>();
        for (var name : names()) {
            try {
                catalog.find(Catalog.VOLUMES, name, Records::volume).ifPresent(found::add);
            } catch (Refusal refused) {
                if (refused.reason() != Reason.DAMAGED) {
                    throw refused;
                }
            }
        }
        return found;
    }

    /** Their names, from the names of files alone. */
    public List<String> names() throws IOException {
        return catalog.names(Catalog.VOLUMES);
    }

    /** The names of volumes whose destruction began and has not ended. */
    public List<String> destroying() throws IOException {
        return catalog.names(Catalog.DESTROYING);
    }

    /** @throws Refusal NOT_FOUND, or CONFLICT if it is being destroyed */
    public VolumeSpec find(String name) throws IOException {
        VolumeSpec.requireName("volume", name);
        var found = catalog.find(Catalog.VOLUMES, name, Records::volume);
        if (found.isPresent()) {
            return found.get();
        }
        throw catalog.contains(Catalog.DESTROYING, name) ? leaving(name) : missing(name);
    }

    public boolean exists(String name) throws IOException {
        VolumeSpec.requireName("volume", name);
        return catalog.contains(Catalog.VOLUMES, name);
    }

    private Refusal missing(String name) throws IOException {
        if (SCHEMES.contains(name)) {
            return new Refusal(Reason.NOT_FOUND, "no such volume: '%s'; a URL is the place of a store, and files are in volumes".formatted(name),
                    "volsh store add lake %s".formatted(name.equals("file") ? "file:///path" : "s3://bucket/prefix"), "volsh volume create data --store lake");
        }
        var refusal = new Refusal(Reason.NOT_FOUND, "no such volume: '%s'".formatted(name), "volsh volume list",
                "volsh volume create " + name);
        var names = names();
        String others = String.join(", ", names.subList(0, Math.min(NAMES_TOLD, names.size())))
                + (names.size() > NAMES_TOLD ? ", ..." : "");
        return refusal.among(name, names).detail("the catalog in %s has %s"
                .formatted(catalog.directory(), names.isEmpty() ? "no volumes" : others));
    }

    private static Refusal leaving(String name) {
        return new Refusal(Reason.CONFLICT,
                "the destruction of volume '%s' has begun: what is left of it cannot be used".formatted(name),
                "finish it: volsh volume destroy " + name);
    }

    /** What the volume holds and who has it open. */
    public VolumeStatus status(String name) throws IOException {
        var spec = find(name);
        try (var engine = parts.openMetadata(spec)) {
            var superblock = new Superblock(engine, clock);
            var current = current(spec, engine);
            return new VolumeStatus(current, StoreLayoutSize.of(superblock.usage(), current, new PlaceRows(engine)), superblock.sessions().list(), Shipping.status(engine),
                    parts.database(spec).map(PostgresUrl::toString), SnapshotControl.history(engine, clock),
                    new Journals(engine).list(), new VolumeStatus.Gc(superblock.setting(GcMode.SETTING, GcMode::parse), new GcTurns(engine, clock, 0).state()),
                    new Quotas(engine, clock, 0).ofVolume().map(Quotas.Status::rule), new Strays(engine).waiting(Strays.ENOUGH));
        }
    }

    /** How many bytes of metadata the volume can write without more space of the disk of the home: {@link volsh.engine.MetaEngine#reusableBytes}. */
    public long reusableBytes(String name) throws IOException {
        try (var engine = parts.openMetadata(find(name))) {
            return engine.reusableBytes();
        }
    }

    /** Is this journal on this host? */
    public static boolean isHere(JournalRow journal) {
        return JournalDirectory.isHere(journal);
    }

    /** The journals of the volume on this host, of processes that run and of those that left them. */
    public List<JournalRow> journalsHere(String name) throws IOException {
        try (var engine = parts.openMetadata(find(name))) {
            return new Journals(engine).list().stream().filter(JournalDirectory::isHere).toList();
        }
    }

    /**
     * What waits in journals of the volume. What processes left on this host is counted anew: one that was killed did not get to it. Blocks that
     * it had stored may be among them, so this is for volumes that nobody works on.
     */
    public List<JournalRow> leftInJournals(String name) throws IOException {
        var rows = new ArrayList<JournalRow>();
        try (var engine = parts.openMetadata(find(name))) {
            for (var row : new Journals(engine).list()) {
                rows.add(JournalDirectory.isHere(row) ? JournalDirectory.counted(row, assembly.disk(), clock) : row);
            }
        }
        return rows;
    }

    /** The same of the journals on this host that a process had when it ended, and nobody has taken over since. */
    public List<JournalRow> leftBy(String name, long pid) throws IOException {
        var rows = new ArrayList<JournalRow>();
        try (var engine = parts.openMetadata(find(name))) {
            for (var row : new Journals(engine).list()) {
                if (JournalDirectory.isHere(row) && JournalDirectory.isOf(row, pid)) {
                    rows.add(JournalDirectory.counted(row, assembly.disk(), clock));
                }
            }
        }
        return rows;
    }

    /** Who collects the garbage of a volume. */
    public GcMode gcMode(String name) throws IOException {
        try (var engine = parts.openMetadata(find(name))) {
            return new Superblock(engine, clock).setting(GcMode.SETTING, GcMode::parse);
        }
    }

    /** Says who does; mounts hear of it when they next look. */
    public void setGcMode(String name, GcMode mode) throws IOException {
        var spec = find(name);
        requireHere(spec);
        try (var engine = parts.openMetadata(spec)) {
            new Superblock(engine, clock).set(GcMode.SETTING, mode.toBytes());
            engine.sync();
            new ShippingSwitch(parts).shipOrWarn(spec, engine);
        }
    }

    /** The volume as its metadata say it: another machine that shares it may have changed it. Name and store are of this one. */
    private VolumeSpec current(VolumeSpec known, RecordingEngine engine) throws IOException {
        var record = new Superblock(engine, clock).setting(Records.SPEC, Records::ofSetting).orElseThrow(() -> new Refusal(Reason.DAMAGED,
                "the metadata of volume '%s' has no volume record".formatted(known.name()), "volsh volume check " + known.name()));
        return record.renamed(known.name()).in(known.store());
    }

    /** What the catalog knows or, where others may have changed it, the metadata. */
    VolumeSpec latest(String name) throws IOException {
        var known = find(name);
        if (parts.database(known).isEmpty()) {
            return known;
        }
        try (var engine = parts.openMetadata(known)) {
            return current(known, engine);
        }
    }

    /** Who has the volume open now. */
    public List<Session> sessions(String name) throws IOException {
        return status(name).sessions();
    }

    /** Who has the volume open, with what they have locked, and the means to throw one out. Close it. */
    public SessionControl sessionControl(String name) throws IOException {
        var spec = find(name);
        return new SessionControl(name, parts.openMetadata(spec), parts.deadSessions(spec), clock);
    }

    // ---- making

    /** What a new volume would be, without making it. @throws Refusal NOT_FOUND if its store is unknown */
    public VolumeSpec design(VolumeDraft draft) throws IOException {
        return designs.design(draft);
    }

    public VolumeSpec checkCreate(VolumeDraft draft) throws IOException {
        requireFree(draft.name());
        return design(draft);
    }

    /** Makes a volume. @throws Refusal CONFLICT if the name is taken */
    public VolumeSpec create(VolumeDraft draft) throws IOException {
        checkCreate(draft);
        return catalog.exclusively(() -> construction.run(checkCreate(draft), draft.database()));
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
        var found = latest(draft.name());
        designs.requireSame(found, draft);
        var wanted = VolumeDesigns.adjusted(found, draft);
        return new Ensured(wanted, wanted.equals(found) ? Ensured.Change.UNCHANGED : Ensured.Change.UPDATED);
    }

    /**
     * Makes the volume unless it is there, and gives one that is there the changeable settings asked for.
     *
     * @throws Refusal CONFLICT if it is there with other properties for life
     */
    public Ensured ensure(VolumeDraft draft) throws IOException {
        var seen = checkEnsure(draft);
        return seen.change() == Ensured.Change.UNCHANGED ? seen : catalog.exclusively(() -> {
            var wanted = checkEnsure(draft);
            switch (wanted.change()) {
                case CREATED -> construction.run(wanted.spec(), draft.database());
                case UPDATED -> record(wanted.spec());
                case UNCHANGED -> { }
            }
            return wanted;
        });
    }

    void requireFree(String name) throws IOException {
        if (exists(name)) {
            throw new Refusal(Reason.CONFLICT, "volume '%s' exists already".formatted(name),
                    "volsh volume show " + name, "volsh volume ensure " + name);
        }
        if (catalog.contains(Catalog.DESTROYING, name)) {
            throw leaving(name);
        }
    }

    // ---- using

    /**
     * Opens a volume. {@code purpose} tells others why it is in use. @throws Refusal NOT_FOUND, CONFLICT if the store
     * belongs to another
     */
    public Volume open(String name, Access access, String purpose) throws IOException {
        return open(name, access, purpose, clock, CacheSettings.NONE);
    }

    /** The same, with this cache; what changes is dated by this clock. */
    public Volume open(String name, Access access, String purpose, InstantSource times, CacheSettings caching)
            throws IOException {
        return open(new Opening(find(name), access, purpose, times, caching, false, Optional.empty(), Optional.empty()));
    }

    /** Opens a volume as it was, to read it; what is read stays until it is closed. @throws Refusal NOT_FOUND, INVALID */
    public Volume open(String name, Moment moment, String purpose) throws IOException {
        return open(name, moment, purpose, clock, CacheSettings.NONE);
    }

    /** The same, with this cache. */
    public Volume open(String name, Moment moment, String purpose, InstantSource times, CacheSettings caching) throws IOException {
        return open(new Opening(find(name), Access.READ, purpose, times, caching, false, Optional.empty(), Optional.of(moment)));
    }

    /** For one that stays open: it also stores what processes left in their journals that are gone, and may write back. */
    public Volume open(String name, Access access, String purpose, InstantSource times, CacheSettings caching, Optional<Writeback> writeback)
            throws IOException {
        return open(new Opening(find(name), access, purpose, times, caching, access.writes(), writeback, Optional.empty()));
    }

    private record Opening(
            VolumeSpec known, Access access, String purpose, InstantSource times, CacheSettings caching, boolean journals,
            Optional<Writeback> writeback, Optional<Moment> moment) {}

    /** The volume's part of its store or stores, by itself and behind the journals; {@code placed} is null if there is one store. */
    private record Storage(Counted direct, PackedStore packed, BlockStore used, PlacedStore placed, StoreSet placing) {}

    private Volume open(Opening opening) throws IOException {
        var known = opening.known();
        var engine = parts.openMetadata(known);
        BlockStore store = null;
        DiskTier tier = null;
        try {
            var spec = current(known, engine);
            if (opening.access().writes()) {
                requireWritable(spec, engine);   // before anything of a store or a journal is touched
            }
            var rows = new Journals(engine);
            var placing = spec.spread().isNone() ? null : new StoreSet(spec, parts, engine, () -> current(known, engine));
            var placed = placing == null ? null : placing.open();
            var direct = new Counted(placed == null ? parts.openStore(known) : placed);
            store = direct;
            var packed = new PackedStore(direct, new Packs(engine));
            store = new JournalReads(packed, rows, assembly.disk(), clock, JournalReads.PATIENCE);
            if (opening.access().writes()) {
                if (placed == null) {
                    Ownership.require(store, known);
                } else {
                    placing.admit(placed);
                }
                requireHere(known, engine);
            }
            tier = assembly.cacheDisks().open(opening.caching(), known.id());
            caches.remember(known.id(), opening.caching().directories());
            VolumeJournals journaling = null;
            if (opening.journals()) {
                journaling = new VolumeJournals(rows, store, packed, opening.writeback(), parts.journals(known, opening.writeback()), assembly.disk(), clock, () -> {
                    engine.sync();
                    parts.shipping(spec, engine, direct).ship();
                }, placed == null);
                store = journaling.staging();
            }
            return opened(spec, opening, engine, new Storage(direct, packed, store, placed, placing), tier, journaling);
        } catch (IOException | RuntimeException failed) {
            closeAfter(failed, tier);
            closeAfter(failed, engine);
            closeAfter(failed, store);
            throw failed;
        }
    }

    private MetDamage damage(VolumeSpec spec) {
        return damages.computeIfAbsent(spec.id(), id ->
                new MetDamage(spec.name(), new KnownDamage(assembly.disk(), parts.directory(spec)), events, clock));
    }

    /** Can its files be so safe that any one store may be lost? */
    public boolean mayReplicate(VolumeSpec spec) throws IOException {
        return parts.database(spec).isEmpty() && Replication.isPossible(spec);
    }

    private Optional<Replication> replication(VolumeSpec spec, Storage storage) {
        return storage.placed() == null ? Optional.empty() : Optional.of(new Replication(parts, spec, storage.placing().rows()));
    }

    /** One that is in the way only because its process was killed is ended: its lease would keep everybody waiting. */
    private Volume opened(
            VolumeSpec spec, Opening opening, RecordingEngine engine, Storage storage, DiskTier tier, VolumeJournals journaling) throws IOException {
        var shipping = parts.shipping(spec, engine, storage.direct());
        boolean shared = parts.database(spec).isPresent();
        try {
            return new Volume(
                    spec, opening.access(), opening.purpose(), engine, storage.used(), opening.times(), opening.caching(), tier, journaling,
                    shipping, storage.direct(), vfs -> new DurabilityProbe(vfs, engine, shipping, shared, storage.packed(), assembly.disk(), clock,
                            replication(spec, storage), new TimedStoreCall(TimedStoreCall.SOON)),
                    storage.packed(),
                    session -> new DeadSessions(shared).isDead(session, clock.instant()), opening.moment(),
                    storage.placed() == null ? Optional.empty() : Optional.of(new PlacedBlocks(storage.placed(), storage.placing().rows(),
                            new StoreMarks(parts, spec, engine))),
                    damage(spec));
        } catch (FsException refused) {
            if (refused.error() != FsError.BUSY) {
                throw refused;
            }
            if (endKilled(spec, new Superblock(engine, clock).sessions())) {
                return opened(spec, opening, engine, storage, tier, journaling);
            }
            throw new Refusal(Reason.BUSY, "cannot open volume '%s': %s".formatted(spec.name(), refused.getMessage()), refused, "volsh mounts list");
        }
    }

    /** Which host has the volume, by what its store says now, if it is no longer this one. Of a volume that does not ship its metadata: nobody else. */
    public Optional<Fence> attachedElsewhere(String name) throws IOException {
        var spec = find(name);
        if (!spec.shipsMetadata()) {
            return Optional.empty();
        }
        try (var engine = parts.openMetadata(spec); var store = parts.openShipped(spec)) {
            parts.shipping(spec, engine, store).requireMine();
            return Optional.empty();
        } catch (AttachedElsewhereException elsewhere) {
            return Optional.of(elsewhere.fence());
        }
    }

    /** @throws Refusal CONFLICT if another host has the volume now */
    void requireHere(VolumeSpec spec) throws IOException {
        try (var engine = parts.openMetadata(spec)) {
            requireHere(spec, engine);
        }
    }

    /** @throws Refusal FORBIDDEN if the volume is attached by a token that only reads */
    static void requireWritable(VolumeSpec spec, RecordingEngine engine) throws Refusal {
        if (engine.isReadOnly()) {
            throw new Refusal(Reason.FORBIDDEN, "volume '%s' is attached here by a token that only reads".formatted(spec.name()),
                    "read it: volsh ls %s:/".formatted(spec.name()), "mkdir -p ./%1$s && volsh mount %1$s ./%1$s --read-only".formatted(spec.name()));
        }
    }

    static void requireHere(VolumeSpec spec, RecordingEngine engine) throws IOException {
        var fence = Shipping.status(engine).flatMap(Shipping.Status::fence);
        if (fence.isPresent()) {
            throw new Refusal(Reason.CONFLICT, "volume '%s' cannot be written here".formatted(spec.name()),
                    "forget this copy, which leaves the store alone: volsh volume destroy " + spec.name())
                    .detail(fence.get().toString());
        }
    }

    /** Ends the sessions of processes that were killed on this host. */
    boolean endKilled(VolumeSpec spec, Sessions sessions) throws IOException {
        return parts.deadSessions(spec).end(sessions);
    }

    private static void closeAfter(Exception failed, AutoCloseable part) {
        try {
            if (part != null) {
                part.close();
            }
        } catch (Exception second) {
            failed.addSuppressed(second);
        }
    }

    // ---- for whom there is somebody of their own

    /** Checks, repairs, collects garbage of and writes down volumes. */
    public VolumeUpkeep upkeep() {
        return new VolumeUpkeep(this, catalog, stores, parts, assembly, construction, clock);
    }

    /** Brings volumes to this machine, and forgets them here. */
    public AttachControl attaching() {
        return new AttachControl(this, catalog, stores, parts, assembly, clock);
    }

    /** Where the metadata of a volume are that machines share; empty where they are on this one. */
    public Optional<PostgresUrl> database(VolumeSpec spec) throws IOException {
        return parts.database(spec);
    }

    /** Access for others, for a time. */
    public AccessTokens tokens() {
        return new AccessTokens(this);
    }

    /** The snapshots of volumes. */
    public SnapshotControl snapshots() {
        return new SnapshotControl(this, parts, clock);
    }

    // ---- changing

    /** @throws Refusal CONFLICT if the change touches what is for life */
    public VolumeSpec checkSet(String name, UnaryOperator<VolumeSpec> change) throws IOException {
        var before = latest(name);
        var after = change.apply(before);
        if (after.shipsMetadata() && parts.database(before).isPresent()) {
            throw SharedAttachment.notShipped();
        }
        if (!after.sameForLife(before) || !after.name().equals(name)) {
            throw new Refusal(Reason.CONFLICT,
                    "of volume '%s' only compression, inline limit, ship-metadata and labels can be set".formatted(name),
                    "volsh volume show " + name);
        }
        return after;
    }

    /** Changes what may change: compression, inline limit, whether metadata is shipped, labels. New writes follow it. */
    public VolumeSpec set(String name, UnaryOperator<VolumeSpec> change) throws IOException {
        return catalog.exclusively(() -> {
            var after = checkSet(name, change);
            requireHere(after);
            return record(after);
        });
    }

    /** Writes the record to the volume's metadata, then to the catalog. */
    private VolumeSpec record(VolumeSpec spec) throws IOException {
        try (var engine = parts.openMetadata(spec)) {
            var dispatch = new ShippingSwitch(parts);
            endKilled(spec, new Superblock(engine, clock).sessions());
            dispatch.follow(spec, engine);
            new Superblock(engine, clock).set(Records.SPEC, Records.toBytes(spec));
            engine.sync();
            dispatch.shipOrWarn(spec, engine);
        }
        catalog.put(Catalog.VOLUMES, spec.name(), Records.toBytes(spec));
        return spec;
    }

    /** What leaves cache directories after some time. */
    public List<CacheLifetime> cacheLifetimes(String name) throws IOException {
        try (var engine = parts.openMetadata(find(name))) {
            return new Superblock(engine, clock).setting(CacheLifetime.SETTING, CacheLifetime::parse);
        }
    }

    /** Sets for how long data of files below a path may stay in cache directories; without a time, for as long as there is room. */
    public void setCacheLifetime(String name, String path, Optional<Duration> time) throws IOException {
        var spec = find(name);
        requireHere(spec);
        try (var engine = parts.openMetadata(spec)) {
            new Superblock(engine, clock).change(CacheLifetime.SETTING, before -> Optional.of(
                    CacheLifetime.toBytes(CacheLifetime.with(CacheLifetime.parse(before), path, time))));
            engine.sync();
            new ShippingSwitch(parts).shipOrWarn(spec, engine);
        }
    }

    public VolumeSpec checkRename(String name, String newName) throws IOException {
        var before = find(name);
        VolumeSpec.requireName("volume", newName);
        requireFree(newName);
        return before.renamed(newName);
    }

    /**
     * Gives the volume another name, in one step. Its data stays where it is. @throws Refusal CONFLICT if the name is
     * taken
     */
    public VolumeSpec rename(String name, String newName) throws IOException {
        return catalog.exclusively(() -> {
            var after = checkRename(name, newName);
            requireHere(after);
            catalog.rename(Catalog.VOLUMES, name, newName);
            return record(after);
        });
    }

    public void destroy(String name, boolean force) throws IOException {
        destroy(name, force, DestructionWatcher.NONE);
    }

    /**
     * Deletes the volume with all its data. Stopped half way, it can be called again. {@code force} ends those who have
     * it open, and does not mind metadata that cannot be read.
     *
     * @throws Refusal BUSY if somebody has it open
     */
    public void destroy(String name, boolean force, DestructionWatcher watcher) throws IOException {
        if (!force && catalog.contains(Catalog.VOLUMES, name)) {
            requireDirectories(find(name));
        }
        destruction().run(leavingOrFound(name), force, watcher);
    }

    private Destruction destruction() {
        return new Destruction(catalog, parts, caches, clock);
    }

    /** Whether {@link #destroy} could be forced without the volume's metadata: not by a machine that only attached it. */
    public boolean mayForceDestroy(String name) throws IOException {
        return parts.areMadeHere(leavingOrFound(name));
    }

    /** The directories of this machine that were ever used as a cache of this volume. */
    public List<Path> cacheDirectories(VolumeSpec spec) throws IOException {
        return caches.of(spec.id());
    }

    /** What {@link #destroy} would take away. */
    public VolumeSpec checkDestroy(String name, boolean force) throws IOException {
        var spec = leavingOrFound(name);
        destruction().requireRight(spec);
        if (!force && catalog.contains(Catalog.VOLUMES, name)) {
            var dead = parts.deadSessions(spec);
            var live = sessions(name).stream().filter(session -> !session.lease().isBefore(clock.instant()) && !dead.isDead(session)).toList();
            if (!live.isEmpty()) {
                throw Destruction.busy(spec, live);
            }
            requireDirectories(spec);
        }
        return spec;
    }

    /**
     * A volume to be forgotten here. Also one whose destruction has begun here and cannot be finished: the database does not allow it, or is gone.
     *
     * @throws Refusal NOT_FOUND, or CONFLICT if its destruction can be finished
     */
    VolumeSpec findToForget(String name) throws IOException {
        var spec = leavingOrFound(name);
        if (!catalog.contains(Catalog.VOLUMES, name)) {
            if (parts.database(spec).isEmpty()) {
                throw leaving(name);
            }
            try {
                if (PostgresMetaEngine.isOwner(parts.database(spec).get(), spec.id())) {
                    throw leaving(name);
                }
            } catch (Refusal finishIt) {
                throw finishIt;
            } catch (IOException away) {
                // nor can it be finished
            }
        }
        return spec;
    }

    private VolumeSpec leavingOrFound(String name) throws IOException {
        VolumeSpec.requireName("volume", name);
        var leaving = catalog.find(Catalog.DESTROYING, name, Records::volume);
        return leaving.isPresent() ? leaving.get() : find(name);
    }

    /** What can be done with the stores of volumes that have several. */
    public StoreAssignment spreading() {
        return new StoreAssignment(this, parts, stores, (name, change) -> catalog.exclusively(() -> {
            var after = change.apply(latest(name));
            requireHere(after);
            return record(after);
        }));
    }

    // ---- stores

    /** Every store, the built-in one included. */
    public List<StoreEntry> stores() throws IOException {
        var all = new ArrayList<StoreEntry>();
        for (var name : stores.names()) {
            all.add(stores.find(name));
        }
        return all;
    }

    /** Their names, from the names of files alone. */
    public List<String> storeNames() throws IOException {
        return stores.names();
    }

    /** @throws Refusal NOT_FOUND */
    public StoreEntry storeNamed(String name) throws IOException {
        return stores.find(name);
    }

    public StoreEntry checkAddStore(String name, StoreUrl url) throws IOException {
        return checkAddStore(name, url, List.of());
    }

    public StoreEntry checkAddStore(String name, StoreUrl url, List<String> pools) throws IOException {
        return stores.checkAdd(name, url, pools);
    }

    /**
     * Remembers a store under a name. @throws Refusal CONFLICT if the name is taken, INVALID if nothing here can use it
     */
    public StoreEntry addStore(String name, StoreUrl url) throws IOException {
        return addStore(name, url, List.of());
    }

    /** The same, in these pools. */
    public StoreEntry addStore(String name, StoreUrl url, List<String> pools) throws IOException {
        return stores.add(name, url, pools);
    }

    public StoreEntry checkRemoveStore(String name) throws IOException {
        return stores.checkRemove(name);
    }

    /** Forgets a store; its objects stay where they are. @throws Refusal BUSY if a volume uses it */
    public void removeStore(String name) throws IOException {
        stores.remove(name);
    }

    /** Opens the store itself, all volumes' blocks below it. */
    public BlockStore openStore(String name) throws IOException {
        return parts.chaos().over(name, assembly.store(stores.find(name)));
    }

    /** Removes what deleted objects leave behind below a prefix: empty directories. */
    public void tidyStore(String name, String prefix) throws IOException {
        assembly.tidy(stores.find(name).url(), prefix);
    }

    /**
     * Asks the store something that changes nothing; runs {@code sends} when it is ready to ask, which loads a client.
     *
     * @throws IOException if it does not answer, or its directory is gone
     */
    public void reach(String name, Runnable sends) throws IOException {
        var entry = stores.find(name);
        var users = readable().stream().filter(spec -> spec.stores().contains(name)).toList();
        for (var spec : users) {
            requireDirectory(spec, name);
        }
        try (var store = assembly.part(entry, "status", users.isEmpty() ? Assembly.Needs.NOTHING : Assembly.Needs.STORE, false)) {
            sends.run();
            try (var nothing = store.list("blocks/")) {
                var _ = nothing.findFirst();
            }
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    /** @throws IOException if the volume's part of this store is not there, or not the volume's */
    private void requirePart(VolumeSpec spec, String store) throws IOException {
        try (var part = parts.openStore(spec, store)) {
            Ownership.require(part, spec, store);
        }
    }

    /** @throws IOException if a store in a directory is missing, or the volume's part of it; others are not asked */
    public void requireDirectories(VolumeSpec spec) throws IOException {
        for (var store : spec.stores()) {
            requireDirectory(spec, store);
        }
    }

    private void requireDirectory(VolumeSpec spec, String store) throws IOException {
        if (stores.find(store).url().scheme() == StoreUrl.Scheme.FILE) {
            requirePart(spec, store);
        }
    }

    /**
     * For one that opens a volume for long, to read it: others learn it from the first block.
     *
     * @throws IOException if none of its stores is there
     */
    public void requireStore(String name) throws IOException {
        var names = find(name).stores();
        IOException first = null;
        for (var store : names) {
            try {
                requirePart(find(name), store);
                return;
            } catch (IOException away) {
                first = first == null ? away : first;
            }
        }
        throw first;
    }

    /** How many bytes the store can still take; empty where nobody knows. */
    public OptionalLong free(StoreEntry store) throws IOException {
        return assembly.free(store);
    }

    /** How many bytes of files the volume can still take, by its layout and its stores; empty where nobody knows. */
    public OptionalLong free(VolumeSpec spec) throws IOException {
        return VolumeSpace.of(spec, stores, assembly);
    }

    /**
     * Whether nothing can be written as the disk of this machine that has the metadata is full: by the rule that refuses writes, unless the
     * database has room inside, where something was removed.
     */
    public boolean isMetadataFull(Volume volume) throws IOException {
        return database(volume.spec()).isEmpty() && DiskSpace.of(metadataDirectory(volume.spec())).isFull() && volume.reusableBytes() < REUSED;
    }

    /** Where the metadata of a volume is on this machine. */
    public Path metadataDirectory(VolumeSpec spec) {
        return parts.directory(spec);
    }

    /** How much can still be written to the volume, or, with a path, below it. */
    public Writable writable(String name, Optional<String> path) throws IOException {
        var stores = free(find(name));
        try (var volume = open(name, Access.NAMES, "df")) {
            var free = isMetadataFull(volume) ? OptionalLong.of(0) : stores;
            var quotas = volume.quotas();
            return Writable.of(free, quotas.ofVolume(), path.isEmpty() ? Optional.empty() : quotas.around(volume.paths().resolve(path.get()).ino()));
        }
    }

    /** Whether the disk of a store has no inode left. */
    public boolean hasNoInodes(StoreEntry store) {
        return assembly.hasNoInodes(store);
    }

    /** Tries a store out with a few objects of its own, and removes them. @throws Refusal UNAVAILABLE, DAMAGED */
    public List<StoreProbe.Step> probe(String name, StoreProbe probe) throws IOException {
        var entry = stores.find(name);
        var url = entry.url();
        String prefix = StoreProbe.PREFIX + UUID.randomUUID().toString().substring(0, 8);
        var needs = entry.builtIn() ? Assembly.Needs.NOTHING : Assembly.Needs.STORE;
        AutoCloseable tidying = () -> assembly.tidy(url, prefix);
        List<StoreProbe.Step> steps;
        try (var store = parts.chaos().over(name, assembly.part(entry, prefix, needs, false)); var whole = assembly.store(entry)) {
            steps = probe.run(name, store);
            for (String left : StoreProbe.removeLeft(whole, clock.instant())) {
                assembly.tidy(url, left);
            }
        } catch (IOException | RuntimeException failed) {
            closeAfter(failed, tidying);
            throw failed;
        }
        assembly.tidy(url, prefix);
        return steps;
    }
}
