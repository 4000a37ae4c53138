package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.memory.MemoryBlockStore;
import volsh.cache.MemoryCache;
import volsh.cache.disk.CacheDirectory;
import volsh.cache.disk.CacheSpace;
import volsh.cache.disk.DiskTier;
import volsh.chunk.ChunkSettings;
import volsh.disk.OsDisk;
import volsh.engine.MetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.meta.EngineKind;
import volsh.meta.OnPostgres;

/**
 * Small reads here and there: the second that misses a block brings the rest of it, while the cache can hold what is
 * read; never more than that.
 */
@OnPostgres
final class WholeBlocksTest {
    private static final int FRAME = 128 << 10;
    private static final int BLOCK = 1 << 20;
    private static final int BLOCKS = 40;
    private static final int SIZE = BLOCKS * BLOCK;
    private static final long READAHEAD = 64 << 20;

    @TempDir
    private Path directory;

    private final MetaEngine engine;
    private final Counting store = new Counting(new MemoryBlockStore(), new ConcurrentLinkedQueue<>());
    private final byte[] bytes = noise(SIZE, 1);

    WholeBlocksTest(EngineKind kind) throws IOException {
        engine = kind.open();
    }

    /** Remembers what was asked of it. */
    private record Counting(BlockStore delegate, ConcurrentLinkedQueue<Integer> gets) implements Forwarding {
        @Override
        public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
            gets.add(target.remaining());
            return delegate.get(key, offset, target);
        }

        long bytes() {
            return gets.stream().mapToLong(Integer::longValue).sum();
        }
    }

    private DiskTier tier(long quota) throws IOException {
        return new CacheDirectory(new OsDisk(), directory.resolve("cache/volume"),
                new CacheSpace(quota, 0, () -> Long.MAX_VALUE), Runnable::run);
    }

    private TestVolume open(long memory, long readahead, DiskTier tier) throws IOException {
        return TestVolume.open(engine, store, new ChunkSettings(BLOCK, 0, 8 << 20, memory, readahead), Runnable::run,
                InstantSource.system(), new MemoryCache(memory, FRAME), tier);
    }

    /** With nothing of it in any cache. */
    private void write() throws IOException {
        try (var plain = open(0, 0, DiskTier.NONE);
                var file = plain.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.wrap(bytes));
        }
        store.gets().clear();
    }

    private static OpenFile file(TestVolume volume) throws IOException {
        return volume.vfs().open(volume.vfs().lookup(Vfs.ROOT, Name.of("f")).ino());
    }

    private void assertReads(OpenFile file, int offset, int length) throws IOException {
        var target = ByteBuffer.allocateDirect(length);
        assertThat(file.read(offset, target)).isEqualTo(length);
        byte[] found = new byte[length];
        target.flip().get(found);
        assertThat(found).isEqualTo(Arrays.copyOfRange(bytes, offset, offset + length));
    }

    @Test
    void theSecondMissBringsTheRestOfTheBlock() throws IOException {
        write();
        try (var volume = open(64 << 20, READAHEAD, DiskTier.NONE); var file = file(volume)) {
            assertReads(file, 5 * FRAME + 4096, 4096);
            assertThat(store.bytes()).isLessThan(FRAME + 100);
            assertReads(file, 2 * FRAME + 4096, 4096);
            assertThat(store.gets()).as("two frames, then all between").hasSizeBetween(3, 5);
            assertThat(volume.caches().completed().blocks()).isEqualTo(1);
            assertThat(volume.caches().completed().bytes()).isBetween(6L * FRAME, 6L * FRAME + 1000);
            int before = store.gets().size();
            for (int frame : new int[] {7, 4, 1, 6, 3, 0, 5, 2}) {
                assertReads(file, frame * FRAME + 40_960, 4096);
            }
            assertThat(store.gets()).hasSize(before);
        }
    }

    @Test
    void cacheDirectoriesKeepIt() throws IOException {
        write();
        try (var volume = open(8 * FRAME, READAHEAD, tier(64 << 20)); var file = file(volume)) {
            for (int i = 0; i < 2 * BLOCKS; i++) {
                assertReads(file, i / 2 * BLOCK + (i % 2 * 5 + 1) * FRAME, 4096);
            }
            assertThat(volume.caches().completed().blocks()).isEqualTo(BLOCKS);
            int before = store.gets().size();
            var random = new Random(1);
            for (int i = 0; i < 300; i++) {
                assertReads(file, random.nextInt(SIZE / 4096) * 4096, 4096);
            }
            assertThat(store.gets()).as("everything is here").hasSize(before);
            assertThat(before).as("two misses and the rest, or, after eight such blocks, one")
                    .isEqualTo(3 * 8 + 2 * (BLOCKS - 8));
            assertThat(store.bytes()).as("the data once, and two frames of each block")
                    .isLessThan(SIZE + 2L * BLOCKS * FRAME + BLOCKS * 1000);
        }
    }

    /** Whoever reads more here and there than the cache holds gets frames: one for each miss, and little else. */
    @Test
    void moreThanTheCacheHoldsIsReadInFrames() throws IOException {
        write();
        try (var volume = open(4 * FRAME, READAHEAD, tier(3 * BLOCK)); var file = file(volume)) {
            int reads = 0;
            for (int frame = 0; frame < 8; frame++) {
                for (int block = 0; block < BLOCKS; block++, reads++) {
                    assertReads(file, block * BLOCK + (frame * 5 % 8) * FRAME, 4096);
                }
            }
            assertThat(volume.caches().completed().blocks()).isZero();
            assertThat(store.bytes()).isLessThan(reads * (FRAME + 100L));
        }
    }

    /**
     * Whoever was served well with whole blocks and then reads single frames of others gets a bounded number of blocks
     * in vain.
     */
    @Test
    void whatIsUselessEnds() throws IOException {
        write();
        try (var volume = open(4 * FRAME, READAHEAD, tier(256 << 20)); var file = file(volume)) {
            for (int block = 0; block < 8; block++) {
                assertReads(file, block * BLOCK, 4096);
                assertReads(file, block * BLOCK + 3 * FRAME, 4096);
            }
            assertThat(volume.caches().completed().blocks()).isEqualTo(8);
            for (int block = 8; block < BLOCKS; block++) {
                assertReads(file, block * BLOCK, 4096);
            }
            assertThat(volume.caches().completed().blocks()).as("the last proof of use was one block ago").isEqualTo(9);
        }
    }

    /** What is fetched again and again and never kept is fetched ever more rarely. */
    @Test
    void whatIsNotKeptIsNotFetchedForEver() throws IOException {
        write();
        var full = new CacheDirectory(
                new OsDisk(), directory.resolve("cache/volume"), new CacheSpace(64 << 20, 1 << 20, () -> 0),
                Runnable::run);
        try (var volume = open(FRAME, READAHEAD, full); var file = file(volume)) {
            for (int i = 0; i < 256; i++) {
                assertReads(file, i * 3 % 8 * FRAME, 4096);
            }
            assertThat(volume.caches().completed().blocks()).isBetween(1L, 8L);
        }
    }

    @Test
    void notForThoseWhoWantNothingReadAhead() throws IOException {
        write();
        try (var volume = open(64 << 20, 0, DiskTier.NONE); var file = file(volume)) {
            for (int frame : new int[] {20, 3, 9, 15, 1, 22}) {
                assertReads(file, frame * FRAME + 8192, 4096);
            }
            assertThat(store.gets()).hasSize(6);
        }
    }

    @Test
    void whoReadsOnIsReadAheadOfAndNothingTwice() throws IOException {
        write();
        try (var volume = open(64 << 20, READAHEAD, tier(64 << 20)); var file = file(volume)) {
            for (int at = 0; at < SIZE; at += 64 << 10) {
                assertReads(file, at, 64 << 10);
            }
            assertThat(volume.caches().completed().blocks()).isZero();
            assertThat(store.bytes()).isLessThan(SIZE + SIZE / 100);
        }
    }
}
