package volsh.volume;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import volsh.assembly.BackgroundTasks;
import volsh.assembly.CacheSettings;
import volsh.assembly.MetadataShipping;
import volsh.assembly.OngoingFailure;
import volsh.assembly.PlacedBlocks;
import volsh.assembly.PlacedParts;
import volsh.block.BlockStore;
import volsh.block.Counted;
import volsh.block.Counted.Traffic;
import volsh.block.Hedged;
import volsh.cache.disk.DiskTier;
import volsh.care.AutoGc;
import volsh.care.Garbage;
import volsh.care.GarbageCollection;
import volsh.care.Housekeeping;
import volsh.care.SessionLease;
import volsh.care.SessionRevival;
import volsh.care.StaleSessions;
import volsh.catalog.Access;
import volsh.catalog.CacheLifetime;
import volsh.catalog.ClockJump;
import volsh.catalog.Host;
import volsh.catalog.Moment;
import volsh.catalog.Refusal;
import volsh.catalog.Uptime;
import volsh.catalog.VolumeSpec;
import volsh.chunk.BlockIo;
import volsh.chunk.Caches;
import volsh.chunk.ChunkSettings;
import volsh.chunk.Chunks;
import volsh.engine.MetaEngine;
import volsh.engine.RequestClock;
import volsh.fs.FsException;
import volsh.fs.Unwritten;
import volsh.history.Trees;
import volsh.history.Versions;
import volsh.inventory.GcTurns;
import volsh.inventory.Strays;
import volsh.inventory.Superblock;
import volsh.inventory.VolumeUsage;
import volsh.journal.StagingStatus;
import volsh.meta.CurrentSession;
import volsh.meta.FileLocks;
import volsh.meta.InodePaths;
import volsh.meta.Namespace;
import volsh.meta.Quotas;
import volsh.meta.Reclaim;
import volsh.meta.Session;
import volsh.meta.Sessions;
import volsh.meta.Ticks;
import volsh.pack.PackCompaction;
import volsh.pack.PackedStore;
import volsh.pack.Reclaimer;
import volsh.pack.ReclaimingStore;
import volsh.place.Placement;
import volsh.proc.ProcessMark;
import volsh.ship.RecordingEngine;
import volsh.ship.Shipping;
import volsh.unit.ByteSize;
import volsh.upkeep.CrowdedExtents;
import volsh.upkeep.Statistics;
import volsh.upkeep.Watcher;
import volsh.vfs.Paths;
import volsh.vfs.Vfs;
import volsh.writeback.VolumeJournals;

/** An open volume. Close it: what was written is flushed, what was deleted is given back as far as a moment allows. */
public final class Volume implements AutoCloseable {
    private static final int THREADS = 8;
    private static final int BLOCKS_BUFFERED = 12;
    private static final Duration RECLAIM = Duration.ofSeconds(2);
    private static final Duration IDLE = Duration.ofSeconds(10);

    private final VolumeSpec spec;
    private final MetaEngine engine;
    private final BlockStore store;
    private final Superblock superblock;
    private final InstantSource clock;
    private final Namespace names;
    private final ExecutorService executor;
    private final ExecutorService ahead;
    private final ExecutorService merging;
    private final Vfs vfs;
    private final Caches caches;
    private final Quotas quotas;
    private final SessionLease lease;   // null without a session
    private final Access access;
    private final CurrentSession current;
    private final RecordingEngine recording;
    private final BackgroundTasks tasks;
    private final Housekeeping housekeeping;   // null if this volume is only read
    private final VolumeJournals journaling;   // null if nothing is staged here
    private final Shipping shipping;
    private final DurabilityProbe safety;
    private final Counted counted;
    private final MetadataShipping tending;   // null if this volume is only read
    private final PackedStore packed;
    private final PastState past;   // null if it is read as it is
    private final Optional<PlacedBlocks> spot;
    private final MetDamage damage;
    private final Healer healer;   // null if there is nothing to heal from
    private volatile boolean discarded;
    private AutoGc autoGc;   // null unless it was asked for
    private volatile long held = Long.MAX_VALUE;   // the oldest tick that copies being made need

    Volume(VolumeSpec spec, Access access, String purpose, RecordingEngine engine, BlockStore store, InstantSource clock, CacheSettings caching,
            DiskTier tier, VolumeJournals journaling, Shipping shipping, Counted counted, SafetyMaker safety, PackedStore packed,
            Predicate<Session> gone, Optional<Moment> moment, Optional<PlacedBlocks> spot, MetDamage damage) throws IOException {
        this.spot = spot;
        this.damage = damage;
        this.spec = spec;
        this.access = access;
        this.recording = engine;
        this.engine = engine;
        this.store = store;
        this.journaling = journaling;
        this.shipping = shipping;
        this.counted = counted;
        this.packed = packed;
        this.clock = clock;
        this.superblock = new Superblock(engine, clock);
        var session = access == Access.NAMES ? null
                : superblock.sessions().open(Host.name(), ProcessHandle.current().pid(), mark(), purpose, role(access));
        engine.refresh();   // nobody switches shipping on while there is a session
        this.current = new CurrentSession(engine, clock, session == null ? 0 : session.id());
        var writer = access.writes() ? current : new CurrentSession(engine, clock, 0);
        this.past = moment.isEmpty() ? null : PastState.enter(spec, engine, clock, superblock.sessions(), session, moment.get());
        this.names = new Namespace(past == null ? engine : past.engine(), clock, writer,
                new FileLocks(engine, clock, current, gone));
        this.quotas = new Quotas(engine, clock, writer);
        int blockSize = Math.toIntExact(spec.blockSize().bytes());
        long memory = BLOCKS_BUFFERED * (blockSize + blockSize / 64 + 4 * ByteSize.KIB) + 4 * ByteSize.MIB;
        this.executor = Executors.newFixedThreadPool(THREADS, threads("io-"));
        var blocks = new BlockIo(spec.id(), roomy(access, store), roomy(access, lasting()), spec::compression, 2 * memory, tier,
                spot.<Placement>map(PlacedBlocks::store).orElse(Placement.SINGLE));
        var settings = new ChunkSettings(
                blockSize, Math.toIntExact(spec.inline().bytes()), memory, caching.memory().bytes(), caching.readahead().bytes(),
                isStaging() ? 0 : ChunkSettings.TAIL);   // bytes that are in the store never become staged ones
        this.ahead = Executors.newCachedThreadPool(threads("ahead-"));
        var chunks = new Chunks(names.files(), blocks, settings, task -> executor.execute(RequestClock.carried(task)), ahead, clock);
        chunks.onDamage(damage::met);
        this.caches = chunks.caches();
        this.merging = oneThread("merging");
        this.vfs = new Vfs(names, chunks, engine::sync, merging);
        if (session != null) {
            vfs.openFiles().advance(session.lowWater());
        }
        this.lease = session == null ? null
                : new SessionLease(superblock.sessions(), new Ticks(engine, clock), session, this::needed);
        this.tasks = new BackgroundTasks(spec.name(), clock);
        this.housekeeping = !access.writes() ? null
                : new Housekeeping(new Reclaimer(new Reclaim(engine, clock, writer), this::settle, chunks),
                        new StaleSessions(superblock.sessions(), names.locks(), clock, gone), tasks, () -> new Strays(engine).waiting(Strays.ENOUGH), engine::keepReserve);
        if (access.writes()) {
            engine.keepReserve();
            current.onFull(() -> housekeeping.freeRows(lease::renew));
        }
        this.safety = safety.of(vfs);
        this.tending = access.writes() && engine.isRecording() ? new MetadataShipping(spec.name(), shipping, MetadataShipping.EVERY, tasks) : null;
        this.healer = access.writes() && spot.isPresent() ? new Healer(this, tasks) : null;
    }

    /** Of this process; a token that only reads may write a session without one. */
    private String mark() {
        return engine.isReadOnly() ? "" : ProcessMark.own().text();
    }

    /** Threads that are numbered. The JDK's own way to number them has to be linked first, which takes longer than to start them. */
    private static ThreadFactory threads(String prefix) {
        var number = new AtomicInteger();
        return task -> Thread.ofPlatform().daemon().name(prefix + number.getAndIncrement()).unstarted(task);
    }

    /** A thread that is there only while there is something to do. */
    private static ExecutorService oneThread(String name) {
        return new ThreadPoolExecutor(
                0, 1, IDLE.toSeconds(), TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                Thread.ofPlatform().name(name).daemon().factory());
    }

    /** The store without a journal before it. */
    private BlockStore lasting() {
        return journaling == null ? store : journaling.staging().delegate();
    }

    private BlockStore roomy(Access access, BlockStore full) {
        return access.writes() ? new ReclaimingStore(full, () -> housekeeping.makeRoom(lease::renew)) : full;
    }

    private boolean isStaging() {
        return journaling != null && journaling.isStaging();
    }

    /** Who knows how safe the files of this file system are. */
    interface SafetyMaker {
        DurabilityProbe of(Vfs vfs);
    }

    private static Sessions.Role role(Access access) {
        return switch (access) {
            case NAMES, READ -> Sessions.Role.READER;
            case WRITE -> Sessions.Role.WRITER;
            case WRITE_ALONE -> Sessions.Role.SOLE_WRITER;
        };
    }

    /** Where its blocks are; empty if it has one store and nothing to say of it. */
    public Optional<PlacedBlocks> spot() {
        return spot;
    }

    /** What the database of the metadata was asked to commit, and how often once more. */
    public MetaEngine.Counts metadataCounts() {
        return engine.counts();
    }

    MetaEngine engine() {
        return engine;
    }

    public VolumeSpec spec() {
        return spec;
    }

    public Vfs vfs() {
        return vfs;
    }

    /** Its caches, to manage and to measure them. */
    public Caches caches() {
        return caches;
    }

    public Paths paths() {
        return new Paths(vfs);
    }

    /** What a compaction did. */
    public record Compacted(long parts, long blocks, long bytes) {}

    /** How fast a compaction may go: told of bytes that were stored again, it waits as long as it wants to. */
    public interface Pace {
        void stored(long bytes) throws IOException;
    }

    /** Merges extents over the whole volume, where {@code most} or more touch each other in a part. Stopped, it goes on where it was. */
    public Compacted compact(int most, Pace pace, Watcher watcher) throws IOException {
        long[] done = new long[3];
        new CrowdedExtents(engine, vfs.merging().span(), most).run((ino, start, bytes) -> {
            int blocks;
            try {
                blocks = vfs.merging().compact(ino, start, most, watcher::cancelled);
            } catch (FsException gone) {
                return;   // removed meanwhile
            }
            done[0]++;
            done[1] += blocks;
            done[2] += blocks == 0 ? 0 : bytes;
            pace.stored(blocks == 0 ? 0 : bytes);
        }, watcher);
        return new Compacted(done[0], done[1], done[2]);
    }

    /** Counts what the volume is made of. */
    public Statistics.Result statistics(Watcher watcher) throws IOException {
        return new Statistics(engine).run(watcher);
    }

    /** Limits on what it may hold. Those of a volume that is only read can only be looked at. */
    public Quotas quotas() {
        return quotas;
    }

    public VolumeUsage usage() throws IOException {
        return superblock.usage();
    }

    /** For how long its metadata has not answered, while somebody waits; asks nobody. */
    public Duration metadataSilence() {
        return engine.silence();
    }

    /** What leaves cache directories after some time, as it is set now. */
    public List<CacheLifetime> cacheLifetimes() throws IOException {
        return superblock.setting(CacheLifetime.SETTING, CacheLifetime::parse);
    }

    /** Copies trees out of a past state of this volume into it. @throws IllegalArgumentException if it is no past state of this one */
    public SharedCopies copies(Volume source) {
        if (source.past == null || !source.spec.id().equals(spec.id())) {
            throw new IllegalArgumentException("not a past state of volume '%s'".formatted(spec.name()));
        }
        held = Math.min(held, lease.session().lowWater());   // until this is closed: a copy waits as an unlinked file does
        return new SharedCopies(new Trees(engine, clock, names), source.past);
    }

    /** The oldest tick that something here needs, when this one is running. */
    private long needed(long running) {
        return Math.min(held, neededByFiles(running));
    }

    /**
     * Open files let go of what others deleted: at once if something waits to be deleted, else now and then, for the sake of sessions that see what this one
     * does not. What cannot be asked now is held on to.
     */
    private long neededByFiles(long running) {
        try {
            boolean waits = new Reclaim(engine, clock, lease.session().id()).hasMore();
            return vfs.openFiles().refresh(running, waits ? running : running - Sessions.LEASE.toSeconds());
        } catch (IOException | RuntimeException unknown) {
            return vfs.openFiles().advance(running);
        }
    }

    /**
     * From now on, if others end the session of this volume, it comes back with a new one as soon as nothing conflicts, and the
     * listener is told; for volumes that stay open. A sole writer does not come back, as others may have written, nor does a
     * volume that is read as it was, as that state was not kept.
     */
    public void comeBack(Consumer<SessionRevival.Revived> listener) throws IOException {
        if (lease != null && past == null && access != Access.WRITE_ALONE) {
            lease.comeBack(new SessionRevival(access, recording, superblock, current, vfs, listener));
        }
        if (lease != null) {
            current.onEnded(lease::hurry);
        }
    }

    /** What paths have led to over time. */
    public Versions versions() {
        return new Versions(engine, clock);
    }

    /** From now on, until this is closed, garbage is collected in the background, unless that is switched off. For volumes that stay open to write. */
    public void collectInBackground() {
        engine.keepReserve();
        autoGc = new AutoGc(spec.name(), engine, this::collectBeside, clock, new Uptime(), current::id, tasks);
        autoGc.start();
    }

    /** Whether the clock of this machine has jumped while garbage was to be collected in the background: then it is no longer. */
    public Optional<ClockJump.Jumped> clockJump() {
        return autoGc == null ? Optional.empty() : autoGc.clockJump();
    }

    private Garbage collectBeside(GcTurns.Turn turn, Duration age, Garbage.Watcher watcher) throws IOException {
        long session = lease.session().id();
        if (spot.isEmpty()) {
            return new GarbageCollection(engine, lasting(), Optional.empty(), clock, null, null).runBeside(session, turn, age, watcher);
        }
        try (var parts = new PlacedParts(spec, spot.get())) {
            return new GarbageCollection(engine, lasting(), Optional.of(parts), clock, null, null).runBeside(session, turn, age, watcher);
        }
    }

    /** Gives back all that nobody can read any more, see {@link VolumeUpkeep#collect}. */
    public Garbage collect(Duration age, Garbage.Watcher watcher) throws IOException {
        if (spot.isEmpty()) {
            return new GarbageCollection(engine, store, Optional.empty(), clock, lease, housekeeping).run(age, watcher);
        }
        try (var parts = new PlacedParts(spec, spot.get())) {
            return new GarbageCollection(engine, store, Optional.of(parts), clock, lease, housekeeping).run(age, watcher);
        }
    }

    /** Tells everybody which past states nobody here needs any more: what was deleted since can go. */
    public void release() throws IOException {
        if (lease != null) {
            lease.renew();
        }
    }

    /** How far the metadata is on its way to the store, and the means to hurry it. */
    public Shipping shipping() {
        return shipping;
    }

    /** How far the metadata is shipped, if it is: otherwise the metadata is not asked, as shipping is never switched on while a volume is open. */
    public Optional<Shipping.Status> shippingStatus() throws IOException {
        return recording.isRecording() ? shipping.status() : Optional.empty();
    }

    /** What is committed survives power loss and, if the metadata is shipped, the loss of this host. */
    void settle() throws IOException {
        engine.sync();
        shipping.ship();
    }

    PackedStore packed() {
        return packed;
    }

    /** Gives back what has gone from objects that small blocks share. Only for a volume that is open for writing, and while it is. */
    public PackCompaction packCompaction() {
        return new PackCompaction(spec.id(), packed.packs(), packed, this::settle);
    }

    /** A file with bytes that only this process has: its path, unless it has none, and since when. */
    public record Pending(Optional<String> path, long ino, long bytes, Instant since, Optional<Throwable> failure) {}

    /** Which bytes only this process has, the largest first. A path that nobody can say now is left out. */
    public List<Pending> pending() {
        return named(vfs.unwritten().files());
    }

    /** The same of these. */
    public List<Pending> named(List<Unwritten> unwritten) {
        RequestClock.beginLate();
        try {
            return named(unwritten, sessionFailure().isEmpty());
        } finally {
            RequestClock.end();
        }
    }

    /** {@code reachable} says that the metadata answered lately: names are in there. */
    private List<Pending> named(List<Unwritten> unwritten, boolean reachable) {
        var all = new ArrayList<Pending>();
        boolean known = reachable;
        for (var each : unwritten.stream().sorted(Comparator.comparingLong(Unwritten::bytes).reversed()).toList()) {
            Optional<String> path = Optional.empty();
            try {
                path = known ? new InodePaths(engine).path(each.ino()) : path;
            } catch (IOException | RuntimeException silent) {
                known = false;   // the next would wait as long for nothing
            }
            all.add(new Pending(path, each.ino(), each.bytes(), Instant.ofEpochSecond(0, each.since()), each.failure()));
        }
        return all;
    }

    /** Drops the bytes that only this process has, for good, and lets nobody wait for what is on its way. The volume is to be closed then. */
    public void discard() {
        vfs.unwritten().discard();
        executor.shutdownNow();
        discarded = true;
    }

    /** Stores what waits in the journal; false if something is left when the time is over. */
    public boolean drain(Duration longest) throws IOException {
        return journaling == null || journaling.staging().drain(longest);
    }

    /** Why this session cannot be renewed, and since when; empty if it can. */
    public Optional<OngoingFailure> sessionFailure() {
        return lease == null ? Optional.empty() : lease.failure();
    }

    /** Everything written so far survives power loss. */
    public void sync() throws IOException {
        vfs.sync();
    }

    /** The same, and the metadata is in the store as well, if it is shipped: it survives the loss of this host. */
    public void commit() throws IOException {
        sync();
        shipping.ship();
    }

    /** What has come from the store and gone to it since this was opened. */
    public Traffic traffic() {
        return counted.traffic();
    }

    /** How long calls of the store took since then. */
    public List<Counted.Latency> storeLatencies() {
        return counted.latencies();
    }

    /** Gets that were late and asked for twice. */
    public Hedged.Counts hedges() {
        return Hedged.countsWithin(store);
    }

    /** What is known to be damaged, and what knows it. */
    public MetDamage damage() {
        return damage;
    }

    /** How many bytes of metadata can be written without more space of the disk: {@link MetaEngine#reusableBytes}. */
    public long reusableBytes() throws IOException {
        return engine.reusableBytes();
    }

    /** Which background tasks fail repeatedly. */
    public List<BackgroundTasks.Failing> failingTasks() {
        return tasks.failing();
    }

    /** What was deleted and waits to be reclaimed, as it was when that was last done here; of very much, at least so much. Asks nobody. */
    public Strays.Waiting reclaimable() {
        return housekeeping == null ? Strays.Waiting.NOTHING : housekeeping.left();
    }

    /** What is written here and not in the store yet. */
    public StagingStatus staged() {
        return journaling == null ? StagingStatus.NOTHING : journaling.staging().status();
    }

    /** Writes everything out and stores it; false if something is left in the journal when the time is over. */
    public boolean store(Duration longest) throws IOException {
        sync();
        return journaling == null || journaling.staging().drain(longest);
    }

    /** How safe a file is, or a directory's own entry. Processes that have it open have to be asked for what is in their memory. */
    public Durability durability(long ino) throws IOException {
        return safety.of(ino);
    }

    /** Lets {@link #close} leave in the journal what is there: whoever cares has waited already. */
    public void waitNoLonger() {
        if (journaling != null) {
            journaling.waitNoLonger();
        }
    }

    private void awaitLast() {
        try {
            executor.awaitTermination(RECLAIM.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /** What is left to do has one deadline; a discarded volume does not wait for metadata that does not answer. */
    @Override
    public void close() throws IOException {
        if (discarded) {
            RequestClock.beginLate();
        } else {
            RequestClock.begin(System.nanoTime());
        }
        try {
            closeAll();
        } finally {
            RequestClock.end();
        }
    }

    private void closeAll() throws IOException {
        try (store; engine; var ending = lease; past; tending) {
            if (housekeeping != null) {
                if (autoGc != null) {
                    autoGc.close();
                }
                if (tending != null) {
                    tending.stop();
                }
                if (healer != null) {
                    healer.close();
                }
                housekeeping.close(!discarded);
            }
            try {
                vfs.close();
            } finally {
                executor.shutdown();
                ahead.shutdown();
                merging.shutdown();
            }
            if (discarded) {
                awaitLast();
            }
            if (housekeeping != null && !discarded && ending.renewForGood()) {
                housekeeping.runFor(RECLAIM);
            }
            if (journaling != null) {
                journaling.close();
            }
        }
    }
}
