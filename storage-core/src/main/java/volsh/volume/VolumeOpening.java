package volsh.volume;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import volsh.assembly.Assembly;
import volsh.assembly.BackgroundTasks;
import volsh.assembly.DeadSessions;
import volsh.assembly.MetadataShipping;
import volsh.assembly.PlacedBlocks;
import volsh.assembly.Replication;
import volsh.assembly.StoreMarks;
import volsh.assembly.StoreSet;
import volsh.assembly.TimedStoreCall;
import volsh.assembly.VolumeParts;
import volsh.assembly.WriterPresence;
import volsh.block.BlockStore;
import volsh.block.Counted;
import volsh.cache.disk.DiskTier;
import volsh.care.Housekeeping;
import volsh.care.SessionLease;
import volsh.care.StaleSessions;
import volsh.catalog.Access;
import volsh.catalog.Host;
import volsh.catalog.KnownCaches;
import volsh.catalog.Ownership;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.Refusal;
import volsh.catalog.VolumeSpec;
import volsh.chunk.BlockIo;
import volsh.chunk.ChunkSettings;
import volsh.chunk.Chunks;
import volsh.codec.FrameEncryption;
import volsh.disk.Disk;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.OtherWriters;
import volsh.imported.ImportRecords;
import volsh.imported.ImportedObjects;
import volsh.inventory.Journals;
import volsh.inventory.Packs;
import volsh.inventory.Strays;
import volsh.inventory.Superblock;
import volsh.meta.Reclaim;
import volsh.meta.Session;
import volsh.meta.Sessions;
import volsh.meta.Ticks;
import volsh.pack.PackedStore;
import volsh.pack.Reclaimer;
import volsh.pack.ReclaimingStore;
import volsh.place.PlacedStore;
import volsh.place.Placement;
import volsh.proc.ProcessMark;
import volsh.ship.RecordingEngine;
import volsh.ship.Shipping;
import volsh.unit.ByteSize;
import volsh.vfs.Vfs;
import volsh.writeback.JournalReads;
import volsh.writeback.VolumeJournals;

/**
 * One opening of a volume: the one place where an open volume is put together, and where the order of its end is
 * decided. Each part uses those that were opened before it, and closes before them; an opening that fails closes what
 * it has opened.
 */
final class VolumeOpening {
    private static final int BLOCKS_BUFFERED = 12;
    private static final Duration LAST_RECLAIM = Duration.ofSeconds(2);

    private final Surroundings around;
    private final VolumeParts parts;
    private final Disk disk;
    private final InstantSource clock;
    private final VolumeSpec known;
    private final OpeningRequest request;
    private final InstantSource times;
    private final ClosingStack stack;

    /**
     * What all openings of this process share.
     *
     * @param damages remembers the damage that readers of a volume meet
     * @param watcher sees every step
     */
    record Surroundings(
            VolumeRegistry volumes, VolumeParts parts, Assembly assembly, KnownCaches caches,
            Function<VolumeSpec, MetDamage> damages, InstantSource clock, ClosingStack.Watcher watcher) {}

    private VolumeOpening(Surroundings around, OpeningRequest request) throws IOException {
        this.around = around;
        this.parts = around.parts();
        this.disk = around.assembly().disk();
        this.clock = around.clock();
        this.known = around.volumes().find(request.volume());
        this.request = request;
        this.times = request.times().orElse(clock);
        this.stack = new ClosingStack(around.watcher());
    }

    /** @throws Refusal NOT_FOUND, BUSY, or CONFLICT if the store belongs to another volume */
    static Volume open(Surroundings around, OpeningRequest request) throws IOException {
        var opening = new VolumeOpening(around, request);
        try {
            return opening.assemble();
        } catch (IOException | RuntimeException | Error failed) {
            opening.stack.closeAfter(failed);
            throw failed;
        }
    }

    /** From the metadata and the stores up to the files. Read upwards, it is the order in which a volume closes. */
    private Volume assemble() throws IOException {
        var engine = stack.open("metadata", () -> parts.openMetadata(known), RecordingEngine::close);
        var spec = stack.ask("volume record", () -> readRecord(engine));
        var encryption = stack.ask("key", () -> parts.keys().of(spec));
        var stores = openStores(spec, engine, encryption);
        var dead = parts.deadSessions(spec);
        var metadata = openSession(spec, engine, dead, enter(spec, engine));

        var tasks = new BackgroundTasks(spec.name(), times);
        var shipping = parts.shipping(spec, engine, stores.counted());
        var shipper = openShipper(spec, engine, shipping, tasks);
        var staged = openJournals(stores, engine, shipping);
        var housekeeping = prepareHousekeeping(metadata, tasks, dead);
        var threads = openThreads(metadata, housekeeping);

        var chunks = openBlocks(spec, metadata, staged, housekeeping, threads);
        var vfs = openFiles(metadata, chunks, threads);
        var needed = startLease(metadata, vfs);
        startHousekeeping(housekeeping, metadata, chunks, shipping, threads);
        shipper.ifPresent(timer -> stack.onClose("shipping timer", timer::stop));

        var durability = durabilityProbe(spec, vfs, engine, shipping, staged, dead.shared());
        var damage = rememberDamage(spec, chunks);
        var care = new VolumeCare(threads, tasks, shipping, housekeeping, needed, durability, damage);
        var volume = new Volume(spec, metadata, staged, vfs, chunks.caches(), care, stack);
        if (request.writes() && staged.placed().isPresent()) {
            stack.open("healer", () -> new Healer(volume, tasks), Healer::close);
        }
        return volume;
    }

    /** The volume as its metadata describes it now; a volume that is read-only here is refused to writers. */
    private VolumeSpec readRecord(RecordingEngine engine) throws IOException {
        var spec = around.volumes().current(known, engine);
        if (request.writes()) {
            VolumeRegistry.requireWritable(spec, engine);
        }
        return spec;
    }

    // ---- blocks: the stores, packs in them, and journals before them

    private OpenStores openStores(VolumeSpec spec, RecordingEngine engine, FrameEncryption encryption)
            throws IOException {
        if (spec.spread().isNone()) {
            var store = stack.open("store", () -> new Counted(parts.openStore(known)), Counted::close);
            return owned(store, engine, Optional.empty(), encryption, () -> Ownership.require(store, known));
        }
        var set = new StoreSet(spec, parts, engine, () -> around.volumes().current(known, engine));
        var stores = stack.open("stores", set::open, PlacedStore::close);
        var placed = new PlacedBlocks(stores, set.rows(), Optional.of(new StoreMarks(parts, spec, engine)));
        return owned(new Counted(stores), engine, Optional.of(placed), encryption, () -> set.admit(stores));
    }

    /** Writers need stores that are the volume's ({@code ownership}), and a volume that no other host took over. */
    private OpenStores owned(
            Counted store, RecordingEngine engine, Optional<PlacedBlocks> placed, FrameEncryption encryption,
            ClosingStack.Work ownership)
            throws IOException {
        if (request.writes()) {
            stack.run("ownership", ownership);
            stack.run("fence", () -> VolumeRegistry.requireHere(known, engine));
        }
        var packed = new PackedStore(store, new Packs(engine));
        var readable = new JournalReads(packed, new Journals(engine), disk, clock, JournalReads.PATIENCE);
        return new OpenStores(store, packed, readable, placed, Optional.empty(), encryption);
    }

    /** A writer that stays open stores what dead processes left in journals, and may have a journal of its own. */
    private OpenStores openJournals(OpenStores stores, RecordingEngine engine, Shipping shipping) throws IOException {
        if (!request.keepsJournals()) {
            return stores;
        }
        var place = parts.journals(known, request.writeback());
        var packing = stores.placed().isEmpty() ? Optional.of(stores.packed()) : Optional.<PackedStore>empty();
        var rows = new Journals(engine);
        var journals = stack.open("journals", () -> new VolumeJournals(
                rows, stores.readable(), request.writeback(), place, packing, disk, clock), VolumeJournals::close);
        stack.onOrderlyClose("staged blocks", journals::drain);
        stack.run("left journals", () -> journals.start(stores.packed(), () -> settle(engine, shipping)));
        return stores.with(Optional.of(journals));
    }

    /** Makes what is committed survive power loss and, if the metadata is shipped, the loss of this host. */
    private static void settle(RecordingEngine engine, Shipping shipping) throws IOException {
        engine.sync();
        shipping.ship();
    }

    // ---- metadata: the session, and the past state that it reads

    /**
     * Waits for a mount that believed to be the only writer. Without space for the file there can be no such mount: it
     * would hold it.
     */
    private OtherWriters enter(VolumeSpec spec, RecordingEngine engine) throws IOException {
        if (!request.writes() || parts.database(known).isPresent()) {
            return OtherWriters.UNKNOWN;
        }
        var sessions = new Superblock(engine, times).sessions();
        var file = WriterPresence.file(parts.directory(spec));
        try {
            return stack.open("writers", () -> WriterPresence.enter(file, WriterPresence.LONGEST, sessions),
                    WriterPresence::close);
        } catch (FileSystemException full) {
            return OtherWriters.UNKNOWN;
        }
    }

    private OpenMetadata openSession(VolumeSpec spec, RecordingEngine engine, DeadSessions dead, OtherWriters others)
            throws IOException {
        var lease = request.access() == Access.NAMES ? Optional.<SessionLease>empty()
                : Optional.of(stack.open("session", () -> lease(spec, engine, dead), SessionLease::close));
        stack.run("refresh", engine::refresh);   // while there is a session, shipping is not switched on
        var past = Optional.<PastState>empty();
        if (request.moment().isPresent()) {
            var session = lease.orElseThrow().session();
            past = Optional.of(stack.open("past state",
                    () -> PastState.enter(spec, engine, times, session, request.moment().get()), PastState::close));
        }
        return OpenMetadata.of(spec.name(), engine, times, request.access(), lease, past, killed(dead),
                others);
    }

    /** Sessions of processes that were killed end if they are in the way: their leases would keep others waiting. */
    private SessionLease lease(VolumeSpec spec, RecordingEngine engine, DeadSessions dead) throws IOException {
        var sessions = new Superblock(engine, times).sessions();
        long pid = ProcessHandle.current().pid();
        String mark = engine.isReadOnly() ? "" : ProcessMark.own().text();   // a token that only reads cannot write one
        while (true) {
            try {
                var session = sessions.open(Host.name(), pid, mark, request.purpose(), role());
                return new SessionLease(sessions, new Ticks(engine, times), session);
            } catch (FsException refused) {
                if (refused.error() != FsError.BUSY) {
                    throw refused;
                }
                if (!dead.end(new Superblock(engine, clock).sessions())) {
                    var message = "cannot open volume '%s': %s".formatted(spec.name(), refused.getMessage());
                    throw new Refusal(Reason.BUSY, message, refused, "volsh mounts list");
                }
            }
        }
    }

    private Sessions.Role role() {
        return switch (request.access()) {
            case NAMES, READ -> Sessions.Role.READER;
            case WRITE -> Sessions.Role.WRITER;
            case WRITE_ALONE -> Sessions.Role.SOLE_WRITER;
        };
    }

    private Predicate<Session> killed(DeadSessions dead) {
        return session -> dead.isDead(session, clock.instant());
    }

    private Optional<NeededTicks> startLease(OpenMetadata metadata, Vfs vfs) {
        var needed = metadata.lease().map(lease -> new NeededTicks(metadata.engine(), times, lease, vfs));
        metadata.lease().ifPresent(lease -> {
            vfs.openFiles().advance(lease.session().lowWater());
            lease.start(needed.orElseThrow()::oldest);
        });
        return needed;
    }

    // ---- in the background: shipping the metadata, giving back what was deleted

    private Optional<MetadataShipping> openShipper(
            VolumeSpec spec, RecordingEngine engine, Shipping shipping, BackgroundTasks tasks) throws IOException {
        return !request.writes() || !engine.isRecording() ? Optional.empty() : Optional.of(stack.open("shipping",
                () -> new MetadataShipping(spec.name(), shipping, MetadataShipping.EVERY, tasks),
                MetadataShipping::close));
    }

    private Optional<Housekeeping> prepareHousekeeping(
            OpenMetadata metadata, BackgroundTasks tasks, DeadSessions dead) {
        if (!request.writes()) {
            return Optional.empty();
        }
        var engine = metadata.engine();
        var sessions = metadata.superblock().sessions();
        var stale = new StaleSessions(sessions, metadata.names().locks(), times, killed(dead));
        return Optional.of(new Housekeeping(
                stale, tasks, () -> new Strays(engine).waiting(Strays.ENOUGH), engine::keepReserve));
    }

    private void startHousekeeping(
            Optional<Housekeeping> prepared, OpenMetadata metadata, Chunks chunks, Shipping shipping,
            VolumeThreads threads) throws IOException {
        if (prepared.isPresent()) {
            var housekeeping = prepared.get();
            var engine = metadata.engine();
            engine.keepReserve();
            var reclaim = new Reclaim(engine, times, metadata.session());
            var reclaimer = new Reclaimer(reclaim, () -> settle(engine, shipping), chunks);
            stack.open("housekeeping", () -> housekeeping.start(reclaimer),
                    started -> started.close(!threads.isAbandoned()));
            metadata.session().onFull(() -> housekeeping.freeRows(metadata.lease().orElseThrow()::renew));
        }
    }

    // ---- files

    /** After the threads, deleted blocks are given back for a moment: nothing is open any more that could need them. */
    private VolumeThreads openThreads(OpenMetadata metadata, Optional<Housekeeping> housekeeping) {
        var threads = new VolumeThreads();
        housekeeping.ifPresent(reclaiming -> stack.onOrderlyClose("reclaim", () -> {
            if (!threads.isAbandoned() && metadata.lease().orElseThrow().renewForGood()) {
                reclaiming.runFor(LAST_RECLAIM);
            }
        }));
        stack.onClose("threads", threads::close);
        return threads;
    }

    private Chunks openBlocks(
            VolumeSpec spec, OpenMetadata metadata, OpenStores stores, Optional<Housekeeping> housekeeping,
            VolumeThreads threads) throws IOException {
        var caching = request.caching();
        int blockSize = Math.toIntExact(spec.blockSize().bytes());
        long memory = BLOCKS_BUFFERED * (blockSize + blockSize / 64 + 4 * ByteSize.KIB) + 4 * ByteSize.MIB;
        var settings = new ChunkSettings(
                blockSize, Math.toIntExact(spec.inline().bytes()), memory, caching.memory().bytes(),
                caching.readahead().bytes(),
                stores.isStaging() ? 0 : ChunkSettings.TAIL);   // bytes that are in the store never become staged ones
        var room = housekeeping.<ReclaimingStore.Room>map(
                reclaiming -> () -> reclaiming.makeRoom(metadata.lease().orElseThrow()::renew));
        var placement = stores.placed().<Placement>map(PlacedBlocks::store).orElse(Placement.SINGLE);

        var imported = stack.open("imported objects", () -> new ImportedObjects(
                new ImportRecords(metadata.engine(), times), parts::openBucket), ImportedObjects::close);
        var tier = stack.open("cache directories",
                () -> around.assembly().cacheDisks().open(caching, known.id()), DiskTier::close);
        stack.run("known caches", () -> around.caches().remember(known.id(), caching.directories()));
        var blocks = stack.openAround("blocks", () -> new BlockIo(
                spec.id(), roomy(stores.first(), room), roomy(stores.lasting(), room), spec::compression, 2 * memory,
                tier, placement, imported, stores.encryption()), BlockIo::close);
        return stack.openAround("chunks", () -> new Chunks(
                metadata.names().files(), blocks, settings, threads.blocks(), threads.ahead(), times), Chunks::close);
    }

    private static BlockStore roomy(BlockStore store, Optional<ReclaimingStore.Room> room) {
        return room.<BlockStore>map(more -> new ReclaimingStore(store, more)).orElse(store);
    }

    private Vfs openFiles(OpenMetadata metadata, Chunks chunks, VolumeThreads threads) throws IOException {
        return stack.openAround("files",
                () -> new Vfs(metadata.names(), chunks, metadata.engine()::sync, threads.merging()), Vfs::close);
    }

    private MetDamage rememberDamage(VolumeSpec spec, Chunks chunks) {
        var damage = around.damages().apply(spec);
        chunks.onDamage(damage::met);
        chunks.onImportChanged(damage::met);
        return damage;
    }

    private DurabilityProbe durabilityProbe(
            VolumeSpec spec, Vfs vfs, RecordingEngine engine, Shipping shipping, OpenStores stores, boolean shared) {
        var replication = stores.placed().map(placed -> new Replication(parts, spec, placed.rows()));
        return new DurabilityProbe(vfs, engine, shipping, shared, stores.packed(), disk, clock, replication,
                new TimedStoreCall(TimedStoreCall.SOON));
    }
}
