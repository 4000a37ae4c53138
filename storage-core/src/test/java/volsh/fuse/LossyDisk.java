package volsh.fuse;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.NoSuchBlockException;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.CrashableMetaEngine;
import volsh.engine.MetaEngine;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fuse.kernel.KernelMount;
import volsh.vfs.TestVolume;

/**
 * A real file system for real programs that can lose power: what was not synced is gone, or a part of it. It is a
 * volume of ours in memory, mounted through the kernel: bytes written to a file and not synced are in nobody's rows.
 */
final class LossyDisk implements AutoCloseable {
    private static final ChunkSettings SETTINGS = new ChunkSettings(64 << 10, 4096, 64 << 20, 32 << 20);

    private final CrashableMetaEngine engine;
    private final BlockStore blocks;
    private final boolean deaf;
    private final ExecutorService executor = Executors.newFixedThreadPool(4);
    private final Mount mount;
    private final Path directory;

    private LossyDisk(CrashableMetaEngine engine, BlockStore blocks, boolean deaf, Path directory) throws IOException {
        this.engine = engine;
        this.blocks = blocks;
        this.deaf = deaf;
        this.directory = directory;
        var volume = TestVolume.open(deaf ? new Deaf(engine) : engine, blocks, SETTINGS, executor,
                InstantSource.system());
        // A disk forgets who had its files locked when power is lost; a volume would, when the lease of the session has
        // passed.
        var options = MountOptions.at(directory, "volsh:lossy").with(MountFlag.LOCAL_LOCKS);
        this.mount = KernelMount.start(volume.vfs(), options, () -> new Space(1L << 40, 1L << 39, 0),
                InstantSource.system());
    }

    /** A new one, mounted here. A deaf one says that it synced, and did not. */
    static LossyDisk mount(Path directory, boolean deaf) throws IOException {
        return new LossyDisk(new CrashableMetaEngine(MemoryMetaEngine::new),
                new Layer(new MemoryBlockStore(), new MemoryBlockStore()), deaf, directory);
    }

    /** What a power loss at some moment has left. */
    interface Image {
        /** Mounts it where the disk was. */
        LossyDisk mount() throws IOException;
    }

    /** Power is lost, as it were: the disk goes on. */
    Image lose(Random random) throws IOException {
        var left = engine.image(random);
        return () -> new LossyDisk(left, new Layer(blocks, new MemoryBlockStore()), deaf, directory);
    }

    @Override
    public void close() throws IOException {
        try {
            mount.close();
        } finally {
            TestMount.detach(directory);
            executor.shutdown();
        }
    }

    /**
     * What an image writes is its own: the disk it was taken from, and other images, may use the same names for other
     * bytes. Nothing is ever deleted: an older image may name it.
     */
    private record Layer(BlockStore below, MemoryBlockStore delegate) implements Forwarding {
        @Override
        public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
            try {
                return delegate.get(key, offset, target);
            } catch (NoSuchBlockException lower) {
                return below.get(key, offset, target);
            }
        }

        @Override
        public void delete(BlockKey key) {}

        @Override
        public void deleteAll(List<BlockKey> keys) {}
    }

    private record Deaf(MetaEngine engine) implements MetaEngine {
        @Override
        public <R> R transact(Work<R> work) throws IOException {
            return engine.transact(work);
        }

        @Override
        public <R> R read(Work<R> work) throws IOException {
            return engine.read(work);
        }

        @Override
        public void sync() {}

        @Override
        public void close() throws IOException {
            engine.close();
        }
    }
}
