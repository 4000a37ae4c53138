package volsh.warm;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.cache.MemoryCache;
import volsh.cache.disk.CacheDirectory;
import volsh.cache.disk.CacheSpace;
import volsh.chunk.ChunkSettings;
import volsh.disk.OsDisk;
import volsh.engine.MetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.meta.EngineKind;
import volsh.meta.OnPostgres;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** Data below a path leaves the cache when its time is over, and nothing else does. */
@OnPostgres
final class TimedEvictionTest {
    private static final int BLOCK = 64 << 10;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final InstantSource NOW = InstantSource.system();
    private static final InstantSource LATER = () -> NOW.instant().plus(HOUR).plusSeconds(60);

    @TempDir
    private Path directory;

    private final MetaEngine engine;
    private final MemoryBlockStore store = new MemoryBlockStore();
    private TestVolume volume;

    TimedEvictionTest(EngineKind kind) throws IOException {
        engine = kind.open();
    }

    @BeforeEach
    void write() throws IOException {
        open();
        long train = volume.vfs().makeDirectory(Vfs.ROOT, Name.of("train"), 0755, Owner.ROOT).ino();
        for (int i = 0; i < 3; i++) {
            write(train, "f" + i);
        }
        write(Vfs.ROOT, "other");
    }

    private void write(long parent, String name) throws IOException {
        try (var file = volume.vfs().create(parent, Name.of(name), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.wrap(noise(2 * BLOCK, 1)));
        }
    }

    private void open() throws IOException {
        var tier = new CacheDirectory(new OsDisk(), directory.resolve("cache/volume"),
                new CacheSpace(64 << 20, 0, () -> Long.MAX_VALUE), Runnable::run);
        volume = TestVolume.open(engine, store, new ChunkSettings(BLOCK, 0, 8 << 20, 16 << 20), Runnable::run, NOW,
                new MemoryCache(16 << 20, BLOCK), tier);
    }

    @AfterEach
    void close() throws IOException {
        volume.close();
    }

    private long cached() {
        return volume.caches().directories().getFirst().blocks();
    }

    private long expire(InstantSource clock) throws IOException {
        return new TimedEviction(volume.vfs(), volume.caches(), clock).expire("/train", HOUR);
    }

    @Test
    void whatIsOldLeavesAndNothingElse() throws IOException {
        assertThat(cached()).isEqualTo(8);
        assertThat(expire(NOW)).isZero();
        assertThat(cached()).isEqualTo(8);
        assertThat(expire(LATER)).isGreaterThan(6 * BLOCK);
        assertThat(cached()).as("blocks of the other file").isEqualTo(2);
        assertThat(expire(LATER)).as("nothing is left").isZero();
    }

    @Test
    void memoryForgetsItToo() throws IOException {
        long ino = volume.vfs().lookup(volume.vfs().lookup(Vfs.ROOT, Name.of("train")).ino(), Name.of("f1")).ino();
        try (var file = volume.vfs().open(ino)) {
            file.read(0, ByteBuffer.allocateDirect(2 * BLOCK));
            assertThat(volume.caches().memory().bytes()).isPositive();
            expire(LATER);
            assertThat(volume.caches().memory().bytes()).isZero();
            var again = ByteBuffer.allocateDirect(2 * BLOCK);
            assertThat(file.read(0, again)).isEqualTo(2 * BLOCK);
            assertThat(again.flip()).isEqualTo(ByteBuffer.wrap(noise(2 * BLOCK, 1)));
        }
    }

    @Test
    void whatIsPinnedStays() throws IOException {
        var job = new WarmJob(volume.vfs(), volume.caches(),
                new Wish.Hold(List.of("/train/f1"), new Wish.Terms(Optional.empty(), false)), NOW);
        job.run();
        expire(LATER);
        assertThat(cached()).isEqualTo(2 + 2);
    }

    @Test
    void ageSurvivesARestart() throws IOException {
        volume.close();
        open();
        assertThat(cached()).isEqualTo(8);
        assertThat(expire(NOW)).isZero();
        assertThat(expire(LATER)).isPositive();
        assertThat(cached()).isEqualTo(2);
    }
}
