package volsh.volume;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import volsh.block.BlockStore;
import volsh.block.Counted.Traffic;
import volsh.block.Hedged;
import volsh.cache.DiskTier;
import volsh.chunk.BlockIo;
import volsh.chunk.ChunkSettings;
import volsh.chunk.Chunks;
import volsh.journal.StagingStatus;
import volsh.meta.FileLocks;
import volsh.meta.MetaEngine;
import volsh.meta.Namespace;
import volsh.meta.Reclaim;
import volsh.meta.Session;
import volsh.meta.Sessions;
import volsh.meta.Superblock;
import volsh.meta.Ticks;
import volsh.meta.Usage;
import volsh.ship.RecordingEngine;
import volsh.ship.Shipping;
import volsh.unit.ByteSize;
import volsh.vfs.Paths;
import volsh.vfs.Vfs;

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
    private final ExecutorService executor;
    private final ExecutorService ahead;
    private final ExecutorService merging;
    private final Vfs vfs;
    private final Lease lease;   // null without a session
    private final Housekeeping housekeeping;   // null if this volume is only read
    private final Journaling journaling;   // null if nothing is staged here
    private final Shipping shipping;
    private final Safety safety;
    private final Supplier<Traffic> traffic;
    private final Tending tending;   // null if this volume is only read

    Volume(VolumeSpec spec, Access access, String purpose, RecordingEngine engine, BlockStore store, InstantSource clock, Caching caching,
            DiskTier tier, Journaling journaling, Shipping shipping, Supplier<Traffic> traffic, SafetyMaker safety, Predicate<Session> gone)
            throws IOException {
        this.spec = spec;
        this.engine = engine;
        this.store = store;
        this.journaling = journaling;
        this.shipping = shipping;
        this.traffic = traffic;
        this.superblock = new Superblock(engine, clock);
        var session = access == Access.NAMES ? null
                : superblock.sessions().open(Host.name(), ProcessHandle.current().pid(), purpose, role(access));
        engine.refresh();   // nobody switches shipping on while there is a session
        long writer = access.writes() ? session.id() : 0;
        var names = new Namespace(engine, clock, writer, new FileLocks(engine, clock, session == null ? 0 : session.id(), gone));
        int blockSize = Math.toIntExact(spec.blockSize().bytes());
        long memory = BLOCKS_BUFFERED * (blockSize + blockSize / 64 + 4 * ByteSize.KIB) + 4 * ByteSize.MIB;
        this.executor = Executors.newFixedThreadPool(THREADS, Thread.ofPlatform().name("io-", 0).daemon().factory());
        var blocks = new BlockIo(spec.id(), store, lasting(), spec::compression, 2 * memory, tier);
        var settings = new ChunkSettings(
                blockSize, Math.toIntExact(spec.inline().bytes()), memory, caching.memory().bytes(), caching.readahead().bytes(),
                isStaging() ? 0 : ChunkSettings.TAIL);   // bytes that are in the store never become staged ones
        this.ahead = Executors.newCachedThreadPool(Thread.ofPlatform().name("ahead-", 0).daemon().factory());
        var chunks = new Chunks(names.files(), blocks, settings, executor, ahead, clock);
        this.merging = oneThread("merging");
        this.vfs = new Vfs(names, chunks, engine::sync, merging);
        if (session != null) {
            vfs.advance(session.lowWater());
        }
        this.lease = session == null ? null
                : new Lease(superblock.sessions(), new Ticks(engine, clock), session, vfs::advance);
        this.housekeeping = !access.writes() ? null
                : new Housekeeping(new Reclaimer(new Reclaim(engine, clock, writer), this::settle, chunks),
                        new Silent(superblock.sessions(), names.locks(), clock));
        this.safety = safety.of(vfs);
        this.tending = access.writes() ? new Tending(spec.name(), shipping, Tending.EVERY) : null;
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

    private boolean isStaging() {
        return journaling != null && journaling.isStaging();
    }

    /** Who knows how safe the files of this file system are. */
    interface SafetyMaker {
        Safety of(Vfs vfs);
    }

    private static Sessions.Role role(Access access) {
        return switch (access) {
            case NAMES, READ -> Sessions.Role.READER;
            case WRITE -> Sessions.Role.WRITER;
            case WRITE_ALONE -> Sessions.Role.SOLE_WRITER;
        };
    }

    public VolumeSpec spec() {
        return spec;
    }

    public Vfs vfs() {
        return vfs;
    }

    public Paths paths() {
        return new Paths(vfs);
    }

    public Usage usage() throws IOException {
        return superblock.usage();
    }

    /** How far the metadata is on its way to the store, and the means to hurry it. */
    public Shipping shipping() {
        return shipping;
    }

    /** What is committed survives power loss and, if the metadata is shipped, the loss of this host. */
    private void settle() throws IOException {
        engine.sync();
        shipping.ship();
    }

    /** Everything written so far survives power loss. */
    public void sync() throws IOException {
        vfs.sync();
    }

    /** What has come from the store and gone to it since this was opened. */
    public Traffic traffic() {
        return traffic.get();
    }

    /** Gets that were late and asked for twice. */
    public Hedged.Counts hedges() {
        return Hedged.countsWithin(store);
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

    @Override
    public void close() throws IOException {
        try (store; engine; var ending = lease; tending) {
            if (housekeeping != null) {
                tending.stop();
                housekeeping.close();
            }
            try {
                vfs.close();
            } finally {
                executor.shutdown();
                ahead.shutdown();
                merging.shutdown();
            }
            if (housekeeping != null) {
                ending.renewForGood();
                housekeeping.runFor(RECLAIM);
            }
            if (journaling != null) {
                journaling.close();
            }
        }
    }
}
