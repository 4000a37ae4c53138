package volsh.volume;

import java.io.IOException;
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
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeSpec;
import volsh.chunk.BlockIo;
import volsh.chunk.ChunkSettings;
import volsh.chunk.Chunks;
import volsh.fs.FsError;
import volsh.fs.FsException;
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
 * One opening of a volume: the one place where an open volume is put together, and where the order of its end is decided.
 * Each part uses those that were opened before it, and closes before them; an opening that fails closes what it has opened.
 */
final class VolumeOpening {
    private static final int BLOCKS_BUFFERED = 12;
    private static final Duration LAST_RECLAIM = Duration.ofSeconds(2);

    private final Surroundings around;
    private final VolumeParts parts;
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
            VolumeRegistry volumes, VolumeParts parts, Assembly assembly, KnownCaches caches, Function<VolumeSpec, MetDamage> damages,
            InstantSource clock, ClosingStack.Watcher watcher) {}

    private VolumeOpening(Surroundings around, OpeningRequest request) throws IOException {
        this.around = around;
        this.parts = around.parts();
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
        var stores = openStores(spec, engine);
        var dead = parts.deadSessions(spec);
        var metadata = openSession(spec, engine, dead);

        var tasks = new BackgroundTasks(spec.name(), times);
        var shipping = parts.shipping(spec, engine, stores.counted());
        var shipper = openShipper(spec, engine, shipping, tasks);
        var staged = openJournals(stores, engine, shipping);
        var housekeeping = prepareHousekeeping(metadata, tasks, dead);
        var threads = openThreads(metadata, housekeeping);

        var chunks = openBlocks(spec, metadata, staged, housekeeping, threads);
        var vfs = stack.openAround("files", () -> new Vfs(metadata.names(), chunks, engine::sync, threads.merging()), Vfs::close);
        var needed = startLease(metadata, vfs);
        startHousekeeping(housekeeping, metadata, chunks, shipping, threads);
        shipper.ifPresent(timer -> stack.onClose("shipping timer", timer::stop));

        var damage = around.damages().apply(spec);
        chunks.onDamage(damage::met);
        var durability = durabilityProbe(spec, vfs, engine, shipping, staged, dead.shared());
        var volume = new Volume(spec, metadata, staged, vfs, new VolumeCare(threads, tasks, shipping, housekeeping, needed, durability, damage), stack);
        if (request.writes() && staged.placed().isPresent()) {
            stack.open("healer", () -> new Healer(volume, tasks), Healer::close);
        }
        return volume;
    }

    /** The volume as its metadata describes it now; what may not be written is refused before anything of a store or a journal is touched. */
    private VolumeSpec readRecord(RecordingEngine engine) throws IOException {
        var spec = around.volumes().current(known, engine);
        if (request.writes()) {
            VolumeRegistry.requireWritable(spec, engine);
        }
        return spec;
    }

    // ---- blocks: the stores, packs in them, and journals before them

    private OpenStores openStores(VolumeSpec spec, RecordingEngine engine) throws IOException {
        var set = spec.spread().isNone() ? Optional.<StoreSet>empty()
                : Optional.of(new StoreSet(spec, parts, engine, () -> around.volumes().current(known, engine)));
        if (set.isEmpty()) {
            var counted = stack.open("store", () -> new Counted(parts.openStore(known)), Counted::close);
            return readable(counted, engine, Optional.empty(), () -> Ownership.require(counted, known));
        }
        var placed = stack.open("stores", set.get()::open, PlacedStore::close);
        var blocks = new PlacedBlocks(placed, set.get().rows(), new StoreMarks(parts, spec, engine));
        return readable(new Counted(placed), engine, Optional.of(blocks), () -> set.get().admit(placed));
    }

    /** {@code owned} requires that the stores are the volume's. */
    private OpenStores readable(Counted counted, RecordingEngine engine, Optional<PlacedBlocks> placed, ClosingStack.Work owned)
            throws IOException {
        if (request.writes()) {
            stack.run("ownership", owned);
            stack.run("fence", () -> VolumeRegistry.requireHere(known, engine));
        }
        var packed = new PackedStore(counted, new Packs(engine));
        var readable = new JournalReads(packed, new Journals(engine), around.assembly().disk(), clock, JournalReads.PATIENCE);
        return new OpenStores(counted, packed, readable, placed, Optional.empty());
    }

    /** A volume that stays open for writing stores what dead processes left, and may have a journal of its own. */
    private OpenStores openJournals(OpenStores stores, RecordingEngine engine, Shipping shipping) throws IOException {
        if (!request.keepsJournals()) {
            return stores;
        }
        var journals = stack.open("journals", () -> new VolumeJournals(
                new Journals(engine), stores.readable(), request.writeback(), parts.journals(known, request.writeback()),
                stores.placed().isEmpty() ? Optional.of(stores.packed()) : Optional.empty(), around.assembly().disk(), clock),
                VolumeJournals::close);
        stack.onOrderlyClose("staged blocks", journals::drain);
        stack.run("left journals", () -> journals.start(stores.packed(), () -> settle(engine, shipping)));
        return stores.with(Optional.of(journals));
    }

    /** What is committed survives power loss and, if the metadata is shipped, the loss of this host. */
    private static void settle(RecordingEngine engine, Shipping shipping) throws IOException {
        engine.sync();
        shipping.ship();
    }

    // ---- metadata: the session, and the past state that it reads

    private OpenMetadata openSession(VolumeSpec spec, RecordingEngine engine, DeadSessions dead) throws IOException {
        var lease = request.access() == Access.NAMES ? Optional.<SessionLease>empty()
                : Optional.of(stack.open("session", () -> lease(spec, engine, dead), SessionLease::close));
        stack.run("refresh", engine::refresh);   // while there is a session, shipping is not switched on
        var past = request.moment().isEmpty() ? Optional.<PastState>empty() : Optional.of(stack.open("past state",
                () -> PastState.enter(spec, engine, times, lease.orElseThrow().session(), request.moment().get()), PastState::close));
        return OpenMetadata.of(engine, times, request.access(), lease, past, killed(dead));
    }

    /** Sessions of processes that were killed are ended if they are in the way: their leases would keep others waiting. */
    private SessionLease lease(VolumeSpec spec, RecordingEngine engine, DeadSessions dead) throws IOException {
        var sessions = new Superblock(engine, times).sessions();
        String mark = engine.isReadOnly() ? "" : ProcessMark.own().text();   // a token that only reads cannot write one
        while (true) {
            try {
                var session = sessions.open(Host.name(), ProcessHandle.current().pid(), mark, request.purpose(), role());
                return new SessionLease(sessions, new Ticks(engine, times), session);
            } catch (FsException refused) {
                if (refused.error() != FsError.BUSY) {
                    throw refused;
                }
                if (!dead.end(new Superblock(engine, clock).sessions())) {
                    throw new Refusal(Reason.BUSY, "cannot open volume '%s': %s".formatted(spec.name(), refused.getMessage()), refused, "volsh mounts list");
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
            vfs.advance(lease.session().lowWater());
            lease.start(needed.get()::oldest);
        });
        return needed;
    }

    // ---- in the background: shipping the metadata, giving back what was deleted

    private Optional<MetadataShipping> openShipper(VolumeSpec spec, RecordingEngine engine, Shipping shipping, BackgroundTasks tasks)
            throws IOException {
        return !request.writes() || !engine.isRecording() ? Optional.empty() : Optional.of(stack.open("shipping",
                () -> new MetadataShipping(spec.name(), shipping, MetadataShipping.EVERY, tasks), MetadataShipping::close));
    }

    private Optional<Housekeeping> prepareHousekeeping(OpenMetadata metadata, BackgroundTasks tasks, DeadSessions dead) {
        var engine = metadata.engine();
        return !request.writes() ? Optional.empty() : Optional.of(new Housekeeping(
                new StaleSessions(metadata.superblock().sessions(), metadata.names().locks(), times, killed(dead)), tasks,
                () -> new Strays(engine).waiting(Strays.ENOUGH), engine::keepReserve));
    }

    private void startHousekeeping(
            Optional<Housekeeping> prepared, OpenMetadata metadata, Chunks chunks, Shipping shipping, VolumeThreads threads) throws IOException {
        if (prepared.isPresent()) {
            var housekeeping = prepared.get();
            var engine = metadata.engine();
            engine.keepReserve();
            metadata.session().onFull(() -> housekeeping.freeRows(metadata.lease().orElseThrow()::renew));
            var reclaim = new Reclaim(engine, times, metadata.session());
            stack.open("housekeeping", () -> housekeeping.start(new Reclaimer(reclaim, () -> settle(engine, shipping), chunks)),
                    started -> started.close(!threads.isAbandoned()));
        }
    }

    // ---- files

    /** When the files are closed, what was deleted is given back for a moment, and then the threads are not needed any more. */
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
            VolumeSpec spec, OpenMetadata metadata, OpenStores stores, Optional<Housekeeping> housekeeping, VolumeThreads threads) throws IOException {
        int blockSize = Math.toIntExact(spec.blockSize().bytes());
        long memory = BLOCKS_BUFFERED * (blockSize + blockSize / 64 + 4 * ByteSize.KIB) + 4 * ByteSize.MIB;
        var settings = new ChunkSettings(
                blockSize, Math.toIntExact(spec.inline().bytes()), memory, request.caching().memory().bytes(), request.caching().readahead().bytes(),
                stores.isStaging() ? 0 : ChunkSettings.TAIL);   // bytes that are in the store never become staged ones
        var tier = stack.open("cache directories", () -> around.assembly().cacheDisks().open(request.caching(), known.id()), DiskTier::close);
        stack.run("known caches", () -> around.caches().remember(known.id(), request.caching().directories()));
        var room = housekeeping.<ReclaimingStore.Room>map(reclaiming -> () -> reclaiming.makeRoom(metadata.lease().orElseThrow()::renew));
        var blocks = stack.openAround("blocks", () -> new BlockIo(spec.id(), roomy(stores.first(), room), roomy(stores.lasting(), room),
                spec::compression, 2 * memory, tier, stores.placed().<Placement>map(PlacedBlocks::store).orElse(Placement.SINGLE)), BlockIo::close);
        return stack.openAround("chunks", () -> new Chunks(metadata.names().files(), blocks, settings, threads.blocks(), threads.ahead(), times), Chunks::close);
    }

    private static BlockStore roomy(BlockStore store, Optional<ReclaimingStore.Room> room) {
        return room.<BlockStore>map(more -> new ReclaimingStore(store, more)).orElse(store);
    }

    private DurabilityProbe durabilityProbe(
            VolumeSpec spec, Vfs vfs, RecordingEngine engine, Shipping shipping, OpenStores stores, boolean shared) {
        return new DurabilityProbe(vfs, engine, shipping, shared, stores.packed(), around.assembly().disk(), clock,
                stores.placed().map(placed -> new Replication(parts, spec, placed.rows())), new TimedStoreCall(TimedStoreCall.SOON));
    }
}
