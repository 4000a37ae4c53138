package volsh.warm;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.cache.MemoryCache;
import volsh.cache.disk.CacheDirectory;
import volsh.cache.disk.CacheSpace;
import volsh.chunk.ChunkSettings;
import volsh.disk.OsDisk;
import volsh.disk.SimulatedDisk;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.hang.Eventually;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** Caches are warmed, pinned, expired and emptied by name, however many files and blocks that is. */
final class WarmScaleTest {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");
    private static final int BLOCK = 4096;
    /** More than are gathered at once, and than a cache directory keeps open. */
    private static final int FILES = LONG ? 100_000 : 1_100;
    private static final int PINS = LONG ? 2_000 : 100;

    @TempDir
    Path directory;

    @Test
    void everyFileIsWarmedPinnedAndEvicted() throws Exception {
        var engine = new MemoryMetaEngine();
        var store = new MemoryBlockStore();
        var clock = InstantSource.system();
        var writer = Executors.newSingleThreadExecutor();
        var disk = LONG ? new OsDisk() : new SimulatedDisk();   // which remembers everything
        var tier = new CacheDirectory(disk, directory.resolve("cache/volume"),
                new CacheSpace(1L << 40, 0, () -> Long.MAX_VALUE), writer);
        try (var volume = TestVolume.open(engine, store, new ChunkSettings(BLOCK, 0, 8 << 20), Runnable::run, clock,
                new MemoryCache(0, 1), tier)) {
            var paths = files(volume);
            assertThat(run(volume, new Wish.Evict(List.of("/")), clock).blocks()).isEqualTo(FILES);
            var warmed = run(volume, new Wish.Warm(List.of("/"), 4, Optional.empty(), true, Optional.empty()), clock);
            assertThat(List.of(warmed.files(), warmed.blocks())).containsExactly((long) FILES, (long) FILES);
            run(volume, new Wish.Hold(paths.subList(0, PINS), new Wish.Terms(Optional.empty(), false)), clock);
            assertThat(volume.caches().requests().pins()).hasSize(PINS);
            assertThat(run(volume, new Wish.Evict(List.of("/")), clock).freed()).isPositive();
            assertThat(cached(volume)).as("what is pinned stays").isEqualTo(PINS);
            run(volume, new Wish.Hold(paths.subList(0, PINS), new Wish.Terms(Optional.of(Duration.ofMillis(1)), false)),
                    clock);
            Eventually.holds("all pins have expired", () -> {
                volume.caches().requests().expirePins();
                return volume.caches().requests().pins().isEmpty();
            });
            run(volume, new Wish.Warm(List.of("/"), 4, Optional.empty(), false, Optional.empty()), clock);
            assertThat(cached(volume)).isEqualTo(FILES);
            assertThat(new TimedEviction(volume.vfs(), volume.caches(), () -> clock.instant().plus(Duration.ofDays(2)))
                    .expire("/", Duration.ofDays(1))).isPositive();
            assertThat(cached(volume)).isZero();
        } finally {
            writer.shutdownNow();
        }
    }

    private static long cached(TestVolume volume) {
        return volume.caches().directories().getFirst().blocks();
    }

    private static List<String> files(TestVolume volume) throws IOException {
        var paths = new ArrayList<String>();
        for (int i = 0; i < FILES; i++) {
            try (var file = volume.vfs().create(Vfs.ROOT, Name.of("f" + i), 0644, Owner.ROOT)) {
                file.write(0, ByteBuffer.wrap(noise(BLOCK, i)));
            }
            paths.add("/f" + i);
        }
        return paths;
    }

    private static JobStatus run(TestVolume volume, Wish wish, InstantSource clock) {
        var job = new WarmJob(volume.vfs(), volume.caches(), wish, clock);
        job.run();
        assertThat(job.status().state()).as(job.status().toString()).isEqualTo(JobStatus.State.DONE);
        return job.status();
    }
}
