package volsh.vfs;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.cache.FrameCache;
import volsh.cache.MemoryCache;
import volsh.cache.disk.DiskTier;
import volsh.chunk.BlockIo;
import volsh.chunk.Caches;
import volsh.chunk.ChunkSettings;
import volsh.chunk.Chunks;
import volsh.codec.BlockCodec;
import volsh.codec.Compression;
import volsh.codec.FrameEncryption;
import volsh.engine.MetaEngine;
import volsh.fs.ImportedBytes;
import volsh.fs.Owner;
import volsh.hang.Eventually;
import volsh.inventory.Superblock;
import volsh.meta.MetadataAudit;
import volsh.meta.Namespace;
import volsh.meta.Reclaim;
import volsh.meta.Session;
import volsh.meta.Ticks;
import volsh.place.Placement;

/**
 * A volume wired over any engine and store, with a session of its own. Engine and store stay open when it is closed.
 */
public final class TestVolume implements AutoCloseable {
    /** What all of them are called. */
    public static final UUID ID = new UUID(1, 2);
    private static final int DEAD_BATCH = 100;

    private final MetaEngine engine;
    private final BlockStore store;
    private final InstantSource clock;
    private final Superblock superblock;
    private final Namespace names;
    private final Chunks chunks;
    private final Vfs vfs;
    private Session session;

    private TestVolume(MetaEngine engine, BlockStore store, ChunkSettings settings, Executor executor,
            InstantSource clock, FrameCache cache, DiskTier tier, Background background) throws IOException {
        this.engine = engine;
        this.store = store;
        this.clock = clock;
        this.superblock = new Superblock(engine, clock);
        this.session = superblock.sessions().open("test", 1, "test");
        this.names = new Namespace(engine, clock, session.id());
        long memory = Math.max(1 << 20, 9L * settings.blockSize());
        var blocks = new BlockIo(ID, store, background.lasting(), Compression.None::new, memory, tier,
                Placement.SINGLE, background.imported(), FrameEncryption.NONE);
        this.chunks = new Chunks(names.files(), blocks, settings, executor, clock, cache);
        this.vfs = new Vfs(names, chunks, engine::sync, background.merging());
    }

    /** Opens the volume in engine and store; makes it first if there is none. */
    public static TestVolume open(MetaEngine engine, BlockStore store, ChunkSettings settings, Executor executor,
            InstantSource clock) throws IOException {
        return open(engine, store, settings, executor, clock,
                new MemoryCache(settings.cacheBytes(), BlockCodec.FRAME_LENGTH));
    }

    /** Opens it with this cache. */
    public static TestVolume open(MetaEngine engine, BlockStore store, ChunkSettings settings, Executor executor,
            InstantSource clock, FrameCache cache) throws IOException {
        return open(engine, store, settings, executor, clock, cache, DiskTier.NONE);
    }

    /**
     * Opens it with this cache and this disk tier. Nothing is merged: who audits wants nobody to change anything
     * meanwhile.
     */
    public static TestVolume open(MetaEngine engine, BlockStore store, ChunkSettings settings, Executor executor,
            InstantSource clock, FrameCache cache, DiskTier tier) throws IOException {
        return open(engine, store, settings, executor, clock, cache, tier, new Background(store, forgotten -> {}));
    }

    /** Who merges extents, the store without a journal before it, which merged ones go to, and imported objects. */
    public record Background(BlockStore lasting, Executor merging, ImportedBytes imported) {
        public Background(BlockStore lasting, Executor merging) {
            this(lasting, merging, ImportedBytes.NONE);
        }
    }

    /** Opens it with this background. */
    public static TestVolume open(MetaEngine engine, BlockStore store, ChunkSettings settings, Executor executor,
            InstantSource clock, FrameCache cache, DiskTier tier, Background background) throws IOException {
        var superblock = new Superblock(engine, clock);
        if (superblock.setting("made").isEmpty()) {
            superblock.format(Owner.ROOT, 0755, "made", new byte[0]);
        }
        return new TestVolume(engine, store, settings, executor, clock, cache, tier, background);
    }

    public Vfs vfs() {
        return vfs;
    }

    public Caches caches() {
        return chunks.caches();
    }

    public Namespace names() {
        return names;
    }

    public MetaEngine engine() {
        return engine;
    }

    public BlockStore store() {
        return store;
    }

    public Session session() {
        return session;
    }

    public Superblock superblock() {
        return superblock;
    }

    public Ticks ticks() {
        return new Ticks(engine, clock);
    }

    /** Renews the lease; says what its open files still need. */
    public void renew() throws IOException {
        session = superblock.sessions().renew(session, vfs.openFiles().advance(ticks().advance()));
    }

    /** The same; and open files let go of what they do not need any more. */
    public void refresh() throws IOException {
        long tick = ticks().advance();
        session = superblock.sessions().renew(session, vfs.openFiles().refresh(tick, tick));
    }

    /** Gives back all that died before this second and that nobody reads; returns the blocks deleted. */
    public int reclaim() throws IOException {
        refresh();
        var reclaim = new Reclaim(engine, clock, session.id());
        while (reclaim.freeOrphans()) {
            // one batch after the other
        }
        int deleted = 0;
        List<Reclaim.Dead> dead = reclaim.dead(DEAD_BATCH);
        while (!dead.isEmpty()) {
            for (var block : dead) {
                if (block.block().ownBytes() > 0) {
                    store.delete(BlockKey.of(block.block().id()));
                }
            }
            reclaim.forget(dead);
            deleted += dead.size();
            dead = reclaim.dead(DEAD_BATCH);
        }
        return deleted;
    }

    /** What is wrong in the metadata, and between metadata and store. */
    public List<String> audit() throws IOException {
        return MetadataAudit.of(engine).with(store).problems();
    }

    /** Blocks in the store. */
    public long blocks() throws IOException {
        try (var listed = store.list("blocks/")) {
            return listed.count();
        }
    }

    /**
     * An orderly good-bye: everything written out, the session ended.
     * @throws IllegalStateException if a lease was forgotten
     */
    @Override
    public void close() throws IOException {
        vfs.close();
        awaitReaders();
        superblock.sessions().end(session.id());
    }

    /** Who reads ahead may not have noticed yet that nobody wants it. A forgotten lease stays for good. */
    private void awaitReaders() {
        Eventually.value("all leases are closed", () -> caches().memory(), usage -> usage.leases() == 0);
    }
}
