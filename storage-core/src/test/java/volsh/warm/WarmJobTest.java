package volsh.warm;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
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
import volsh.cache.disk.Pin;
import volsh.chunk.ChunkSettings;
import volsh.disk.OsDisk;
import volsh.engine.MetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.hang.Eventually;
import volsh.meta.EngineKind;
import volsh.meta.OnPostgres;
import volsh.unit.Rate;
import volsh.vfs.Import;
import volsh.vfs.ManualClock;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** Files come into the cache by name: all that is missing, once, and no more than asked for. */
@OnPostgres
final class WarmJobTest {
    private static final int BLOCK = 256 << 10;   // two frames
    private static final int SIZE = 5 * BLOCK + 1000;
    private static final int FILES = 3;

    @TempDir
    Path directory;

    private final Counting store = new Counting(new MemoryBlockStore(), new AtomicInteger(), new AtomicInteger());
    private final MetaEngine engine;
    private final ManualClock clock = new ManualClock();
    private final ExecutorService writer = Executors.newSingleThreadExecutor();
    private TestVolume volume;

    WarmJobTest(EngineKind kind) throws IOException {
        engine = kind.open();
    }

    /** Counts gets; refuses them while {@code down} is not 0. */
    private record Counting(BlockStore delegate, AtomicInteger gets, AtomicInteger down) implements Forwarding {
        @Override
        public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
            gets.incrementAndGet();
            if (down.get() != 0) {
                throw new IOException("unreachable");
            }
            return delegate.get(key, offset, target);
        }
    }

    @BeforeEach
    void write() throws IOException {
        try (var plain = open(DiskTier.NONE)) {
            long train = plain.vfs().makeDirectory(Vfs.ROOT, Name.of("train"), 0755, Owner.ROOT).ino();
            for (int i = 0; i < FILES; i++) {
                try (var file = plain.vfs().create(train, Name.of("f" + i), 0644, Owner.ROOT)) {
                    file.write(0, ByteBuffer.wrap(noise(SIZE, i)));
                }
            }
            try (var packed = plain.vfs().create(Vfs.ROOT, Name.of("other"), 0644, Owner.ROOT)) {
                packed.write(0, ByteBuffer.wrap(noise(BLOCK, 99)));
            }
        }
        volume = open(tier(64 << 20));
        store.gets().set(0);
    }

    @AfterEach
    void close() throws IOException {
        volume.close();
        writer.close();
    }

    private CacheDirectory tier(long quota) throws IOException {
        return new CacheDirectory(new OsDisk(), directory.resolve("cache/volume"),
                new CacheSpace(quota, 0, () -> Long.MAX_VALUE), writer);
    }

    private TestVolume open(DiskTier tier) throws IOException {
        return TestVolume.open(engine, store, new ChunkSettings(BLOCK, 0, 8 << 20), Runnable::run, clock,
                new MemoryCache(0, 1), tier);
    }

    private void reopen(long quota) throws IOException {
        volume.close();
        volume = open(tier(quota));
    }

    private static Wish.Warm warm(String... paths) {
        return new Wish.Warm(List.of(paths), 4, Optional.empty(), false, Optional.empty());
    }

    private JobStatus run(Wish wish) {
        var job = new WarmJob(volume.vfs(), volume.caches(), Wish.of(wish.words()), clock);
        job.run();
        assertThat(JobStatus.parse(job.status().lines())).as("arrives as it was sent").isEqualTo(job.status());
        return job.status();
    }

    private void assertReads(String name, int seed) throws IOException {
        long ino = volume.vfs().lookup(volume.vfs().lookup(Vfs.ROOT, Name.of("train")).ino(), Name.of(name)).ino();
        try (var file = volume.vfs().open(ino)) {
            var target = ByteBuffer.allocateDirect(SIZE);
            assertThat(file.read(0, target)).isEqualTo(SIZE);
            var found = new byte[SIZE];
            target.flip().get(found);
            assertThat(Arrays.equals(found, noise(SIZE, seed))).isTrue();
        }
    }

    @Test
    void warmLoadsEverythingWithOneGetPerBlockAndIsResumed() throws IOException {
        var first = run(warm("/train"));
        assertThat(first.state()).as(first.toString()).isEqualTo(JobStatus.State.DONE);
        assertThat(first.files()).isEqualTo(FILES);
        assertThat(first.doneBytes()).isEqualTo((long) FILES * SIZE);
        assertThat(first.fetched()).isGreaterThanOrEqualTo((long) FILES * SIZE);
        assertThat(store.gets().get()).as("one for each block").isEqualTo((int) first.blocks()).isEqualTo(FILES * 6);
        store.down().set(1);
        for (int i = 0; i < FILES; i++) {
            assertReads("f" + i, i);
        }
        reopen(64 << 20);
        store.gets().set(0);
        var second = run(warm("/train", "/train/f1"));
        assertThat(second.state()).as(second.toString()).isEqualTo(JobStatus.State.DONE);
        assertThat(second.fetched()).isZero();
        assertThat(second.present()).isGreaterThanOrEqualTo(first.fetched());
        assertThat(store.gets().get()).isZero();
    }

    @Test
    void aBlockThatSmallFilesShareIsFetchedOnce() throws Exception {
        long small = volume.vfs().makeDirectory(Vfs.ROOT, Name.of("small"), 0755, Owner.ROOT).ino();
        var pieces = new ArrayList<Import.Piece>();
        for (int i = 0; i < 12; i++) {
            pieces.add(new Import.Piece(small, Name.of("s" + i), 0644, Owner.ROOT, 0, 0,
                    ByteBuffer.wrap(noise(10_000, 200 + i))));
        }
        assertThat(new Import(volume.vfs()).run(pieces)).allMatch(Optional::isEmpty);
        writer.submit(() -> { }).get();   // what was written is in the cache now
        assertThat(run(new Wish.Evict(List.of("/"))).freed()).isPositive();
        store.gets().set(0);
        var status = run(warm("/small"));
        assertThat(status.files()).isEqualTo(12);
        assertThat(status.doneBytes()).isEqualTo(120_000);
        assertThat(status.blocks()).isEqualTo(1);
        assertThat(store.gets().get()).isEqualTo(1);
    }

    @Test
    void onlyWhatIsMissingOfABlockIsFetched() throws IOException {
        long ino = volume.vfs().lookup(volume.vfs().lookup(Vfs.ROOT, Name.of("train")).ino(), Name.of("f0")).ino();
        try (var file = volume.vfs().open(ino)) {
            file.read(0, ByteBuffer.allocateDirect(10));   // the first frame of the first block
        }
        awaitKept(1);
        var status = run(warm("/train/f0"));
        assertThat(status.present()).isBetween(128L << 10, (128L << 10) + 100);
        assertThat(status.present() + status.fetched()).isGreaterThanOrEqualTo(SIZE);
    }

    private void awaitKept(long frames) {
        Eventually.value(frames + " frames are kept", () -> volume.caches().directories().getFirst().kept(),
                kept -> kept >= frames);
    }

    @Test
    void cancelledItKeepsWhatItHasAndGoesOnLater() throws Exception {
        var slow = new Wish.Warm(List.of("/train"), 2, Optional.of(Rate.of("256KiB/s")), false, Optional.empty());
        var job = new WarmJob(volume.vfs(), volume.caches(), slow, clock);
        var thread = Thread.ofPlatform().start(job::run);
        Eventually.holds("something is fetched", () -> job.status().fetched() > 0);
        job.cancel();
        thread.join();
        var status = job.status();
        assertThat(status.state()).isEqualTo(JobStatus.State.CANCELLED);
        assertThat(status.fetched()).isPositive().isLessThan((long) FILES * SIZE);
        assertThat(status.problem()).isEmpty();
        var rest = run(warm("/train"));
        assertThat(rest.present()).isGreaterThanOrEqualTo(status.fetched());
        assertThat(rest.present() + rest.fetched()).isGreaterThanOrEqualTo((long) FILES * SIZE);
    }

    @Test
    void aFullCacheIsSaidAndNotChurned() throws IOException {
        reopen(8 * BLOCK);
        var status = run(warm("/train"));
        assertThat(status.full()).isTrue();
        assertThat(status.state()).isEqualTo(JobStatus.State.DONE);
        assertThat(volume.caches().directories().getFirst().evictions()).as("it does not evict what it has just loaded")
                .isZero();
        assertThat(volume.caches().directories().getFirst().bytes()).isBetween(6L * BLOCK, 8L * BLOCK);
    }

    @Test
    void verifyHealsDamageAndDamageInTheStoreIsReported() throws IOException {
        run(warm("/train"));
        var victim = files().getFirst();
        var bytes = Files.readAllBytes(victim);
        bytes[bytes.length / 2] ^= 1;
        Files.write(victim, bytes);
        var trusting = run(warm("/train"));
        assertThat(trusting.fetched()).as("negative control: it does not look").isZero();
        var verified = run(new Wish.Warm(List.of("/train"), 4, Optional.empty(), true, Optional.empty()));
        assertThat(verified.fetched()).isPositive();
        assertThat(verified.damaged()).isZero();
        assertThat(Files.readAllBytes(victim)).isNotEqualTo(bytes);
        store.delegate().delete(BlockKey.of(Long.parseLong(victim.getFileName().toString(), 16)));
        Files.delete(victim);
        var damaged = run(warm("/train"));
        assertThat(damaged.damaged()).isEqualTo(1);
        assertThat(damaged.problem().orElseThrow().kind()).isEqualTo("DAMAGED");
    }

    private List<Path> files() throws IOException {
        try (var all = Files.walk(directory.resolve("cache"))) {
            return all.filter(path -> path.getFileName().toString().matches("[0-9a-f]{16}")).toList();
        }
    }

    @Test
    void anUnreachableStoreAndAMissingPathFail() {
        store.down().set(1);
        var failed = run(warm("/train"));
        assertThat(failed.state()).isEqualTo(JobStatus.State.FAILED);
        assertThat(failed.problem().orElseThrow().text()).contains("unreachable");
        var missing = run(warm("/nowhere"));
        assertThat(missing.problem().orElseThrow().kind()).isEqualTo("NO_ENTRY");
    }

    @Test
    void pinsAndEvictsByPath() throws IOException {
        var pinned = run(new Wish.Warm(List.of("/train/f0"), 4, Optional.empty(), false,
                Optional.of(new Wish.Terms(Optional.of(Duration.ofDays(1)), true))));
        assertThat(pinned.state()).as(pinned.toString()).isEqualTo(JobStatus.State.DONE);
        assertThat(List.of(pinned.files(), pinned.blocks(), pinned.present())).as("counted once")
                .containsExactly(1L, 6L, 0L);
        run(warm("/"));
        assertThat(volume.caches().requests().pins()).extracting(Pin::path).containsExactly("/train/f0");
        assertThat(volume.caches().requests().pins().getFirst().blocks().count()).isEqualTo(6);
        long before = volume.caches().directories().getFirst().blocks();
        var evicted = run(new Wish.Evict(List.of("/train")));
        assertThat(evicted.freed()).isGreaterThan(2L * SIZE);
        assertThat(volume.caches().directories().getFirst().blocks()).as("what is elsewhere, and what is pinned")
                .isEqualTo(before - 12).isEqualTo(7);
        var held = run(new Wish.Hold(List.of("/other"), new Wish.Terms(Optional.empty(), false)));
        assertThat(held.blocks()).isEqualTo(1);
        assertThat(volume.caches().requests().pins()).hasSize(2);
    }

    @Test
    void whatIsTooLargeToPinIsRefusedBeforeAnythingIsLoaded() throws IOException {
        reopen(8 * BLOCK);
        var refused = run(new Wish.Warm(List.of("/train"), 4, Optional.empty(), false,
                Optional.of(new Wish.Terms(Optional.empty(), false))));
        assertThat(refused.state()).isEqualTo(JobStatus.State.FAILED);
        assertThat(refused.problem().orElseThrow().kind()).isEqualTo("NO_SPACE");
        assertThat(refused.problem().orElseThrow().text()).contains("do not fit", "may be pinned (75%)");
        assertThat(store.gets().get()).isZero();
    }
}
