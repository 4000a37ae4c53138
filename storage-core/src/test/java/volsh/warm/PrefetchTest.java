package volsh.warm;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.hang.Eventually;
import volsh.vfs.ManualClock;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** A reader whose order is known finds every file near, and not more of them than he asked for. */
final class PrefetchTest {
    private static final int BLOCK = 64 << 10;
    private static final int SIZE = 2 * BLOCK;
    private static final int FILES = 60;
    private static final int AHEAD = 6;

    @TempDir
    Path directory;

    private final Watched store = new Watched(new MemoryBlockStore(), new AtomicInteger(),
            ConcurrentHashMap.newKeySet());
    private final MemoryMetaEngine engine = new MemoryMetaEngine();
    private final ManualClock clock = new ManualClock();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> order = new ArrayList<>();

    /** Counts gets, and knows who asks. */
    private record Watched(BlockStore delegate, AtomicInteger gets, Set<String> readers) implements Forwarding {
        @Override
        public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
            gets.incrementAndGet();
            readers.add(Thread.currentThread().getName());
            return delegate.get(key, offset, target);
        }
    }

    @BeforeEach
    void write() throws IOException {
        try (var plain = open(0, DiskTier.NONE)) {
            for (int i = 0; i < FILES; i++) {
                try (var file = plain.vfs().create(Vfs.ROOT, Name.of("f" + i), 0644, Owner.ROOT)) {
                    file.write(0, ByteBuffer.wrap(noise(SIZE, i)));
                }
                order.add("f" + i);
            }
        }
        long seed = new Random().nextLong();
        System.out.println("prefetch order seed " + seed);
        Collections.shuffle(order, new Random(seed));
        store.gets().set(0);
        store.readers().clear();
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
    }

    private TestVolume open(long memory, DiskTier tier) throws IOException {
        return TestVolume.open(engine, store, new ChunkSettings(BLOCK, 0, 8 << 20), Runnable::run, clock,
                new MemoryCache(memory, BLOCK), tier);
    }

    private DiskTier tier(long quota) throws IOException {
        return new CacheDirectory(new OsDisk(), directory.resolve("cache/volume"), new CacheSpace(quota, 0,
                () -> Long.MAX_VALUE), Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory()));
    }

    private static void await(Prefetch prefetch, Predicate<PrefetchStatus> enough) {
        Eventually.value("enough is loaded", prefetch::status, enough);
    }

    private static void read(TestVolume volume, String name) throws IOException {
        try (var file = volume.vfs().open(volume.vfs().lookup(Vfs.ROOT, Name.of(name)).ino())) {
            var target = ByteBuffer.allocateDirect(SIZE);
            assertThat(file.read(0, target)).isEqualTo(SIZE);
            var found = new byte[SIZE];
            target.flip().get(found);
            assertThat(found).isEqualTo(noise(SIZE, Integer.parseInt(name.substring(1))));
        }
    }

    /** Follows the list; returns how often the reader himself had to wait for the store. */
    private int follow(TestVolume volume, Prefetch prefetch) throws Exception {
        var running = threads.submit(prefetch::run);
        int waits = 0;
        int next = 0;
        for (int i = 0; i < FILES; i++) {
            while (next < FILES && prefetch.status().wanted() > 0) {
                prefetch.add(List.of((next % 2 == 0 ? "/" : "") + order.get(next++)));
            }
            if (next == FILES) {
                prefetch.complete();
            }
            int at = i;
            await(prefetch, status -> status.loaded() + status.late() >= Math.min(FILES, at + AHEAD));
            assertThat(prefetch.status().loaded()).as("no further than asked for").isLessThanOrEqualTo(at + AHEAD);
            store.readers().remove(Thread.currentThread().getName());
            read(volume, order.get(i));
            waits += store.readers().contains(Thread.currentThread().getName()) ? 1 : 0;
        }
        running.get();
        return waits;
    }

    @Test
    void staysAheadInMemory() throws Exception {
        try (var volume = open(16 << 20, DiskTier.NONE)) {
            var prefetch = new Prefetch(volume.vfs(), volume.caches(), AHEAD);
            assertThat(follow(volume, prefetch)).isZero();
            assertThat(prefetch.status())
                    .isEqualTo(new PrefetchStatus(true, FILES, prefetch.status().opened(), FILES, 0, 0, 0));
            assertThat(prefetch.status().opened()).as("it is over when the last is loaded")
                    .isGreaterThanOrEqualTo(FILES - AHEAD);
            assertThat(PrefetchStatus.parse(prefetch.status().lines())).isEqualTo(prefetch.status());
        }
    }

    /** Without memory, and with a cache directory that holds a third of all. */
    @Test
    void staysAheadOnDisk() throws Exception {
        try (var volume = open(0, tier(FILES * SIZE / 3))) {
            var prefetch = new Prefetch(volume.vfs(), volume.caches(), 4);
            var running = threads.submit(prefetch::run);
            int waits = 0;
            for (int pass = 0; pass < 2; pass++) {
                for (int i = 0; i < FILES; i++) {
                    prefetch.add(List.of(order.get(i)));
                    int number = pass * FILES + i;
                    await(prefetch, status -> status.loaded() > number);
                    store.readers().remove(Thread.currentThread().getName());
                    read(volume, order.get(i));
                    waits += store.readers().contains(Thread.currentThread().getName()) ? 1 : 0;
                }
            }
            prefetch.complete();
            running.get();
            assertThat(waits).isZero();
            assertThat(store.gets().get()).as("what was there in the first pass was not all washed out for the second")
                    .isLessThan(2 * 2 * FILES - 20);
            System.out.printf("prefetch on disk: %d gets for two passes over %d blocks%n", store.gets().get(),
                    2 * FILES);
        }
    }

    @Test
    void namesThatLeadNowhereAndReadersThatAreFasterDoNoHarm() throws Exception {
        try (var volume = open(16 << 20, DiskTier.NONE)) {
            var prefetch = new Prefetch(volume.vfs(), volume.caches(), AHEAD);
            var running = threads.submit(prefetch::run);
            prefetch.add(List.of("nothing", order.get(0), "no/where", order.get(1)));
            await(prefetch, status -> status.loaded() == 2);
            for (int i = 2; i < 2 + 2 * AHEAD; i++) {
                prefetch.add(List.of(order.get(i)));
            }
            read(volume, order.get(1 + 2 * AHEAD));   // far ahead of what is loaded, within what is known
            prefetch.complete();
            running.get();
            assertThat(prefetch.status().missing()).isEqualTo(2);
            assertThat(prefetch.status().opened()).isEqualTo(prefetch.status().listed());
            assertThat(prefetch.status().loaded() + prefetch.status().late()).isEqualTo(2 + 2 * AHEAD);
        }
    }

    /** Where nothing fits it waits for the reader, and ends when it is told to. */
    @Test
    void withoutRoomItWaitsAndCanBeStopped() throws Exception {
        try (var volume = open(0, DiskTier.NONE)) {
            var prefetch = new Prefetch(volume.vfs(), volume.caches(), AHEAD);
            var running = threads.submit(prefetch::run);
            prefetch.add(order.subList(0, 3));
            Eventually.holds("the reader was faster", () -> {
                read(volume, order.get(0));   // again, if nobody was watching yet
                return prefetch.status().late() > 0;
            });
            assertThat(prefetch.status().late()).isEqualTo(1);
            assertThat(prefetch.isOver()).isFalse();
            prefetch.cancel();
            running.get();
            assertThat(prefetch.isOver()).isTrue();
            assertThat(prefetch.status().loaded()).isZero();
        }
    }
}
