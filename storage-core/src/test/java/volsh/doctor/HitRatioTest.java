package volsh.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.cache.CacheUsage;
import volsh.chunk.ChunkSettings;
import volsh.fuse.MountFlag;
import volsh.fuse.TestMount;
import volsh.meta.EngineKind;
import volsh.meta.OnPostgres;
import volsh.mount.MountStats;
import volsh.vfs.TestVolume;

/**
 * What is called a hit on a real mount: neither what is read without a cache, nor what was read ahead in the same pass.
 */
@OnPostgres
final class HitRatioTest {
    private static final int FILES = 4;
    private static final int SIZE = 2 << 20;

    @TempDir
    private Path temporary;

    private final EngineKind kind;

    HitRatioTest(EngineKind kind) {
        this.kind = kind;
    }

    /** Each pass reads everything once; what is counted of each. */
    private List<CacheUsage> passes(long cacheBytes) throws IOException {
        var engine = kind.open();
        var store = new MemoryBlockStore();
        var settings = new ChunkSettings(1 << 20, 4096, 64 << 20, cacheBytes);
        try (var executor = Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory())) {
            try (var writer = TestVolume.open(engine, store, settings, executor, InstantSource.system());
                    var mount = TestMount.of(writer.vfs(), temporary, InstantSource.system())) {
                for (int i = 0; i < FILES; i++) {
                    var bytes = new byte[SIZE];
                    new SplittableRandom(i).nextBytes(bytes);
                    Files.write(mount.directory().resolve("f" + i), bytes);
                }
            }
            try (var reader = TestVolume.open(engine, store, settings, executor, InstantSource.system());
                    var mount = TestMount.of(reader.vfs(), temporary, InstantSource.system(),
                            options -> options.with(MountFlag.DIRECT_IO))) {
                var found = new java.util.ArrayList<CacheUsage>();
                for (int pass = 0; pass < 2; pass++) {
                    for (int i = 0; i < FILES; i++) {
                        assertThat(Files.readAllBytes(mount.directory().resolve("f" + i))).hasSize(SIZE);
                    }
                    found.add(reader.caches().memory());
                }
                assertThat(reader.vfs().openFiles().opened()).isEqualTo(2 * FILES);
                assertThat(reader.vfs().openFiles().openedBytes()).as("how long files were, not what was asked of them")
                        .isEqualTo(2L * FILES * SIZE);
                return found;
            }
        }
    }

    private static ActivitySample sample(CacheUsage usage) {
        var after = new MountStats(FILES * SIZE, 0, MountStats.Buffered.NOTHING, MountStats.NONE.traffic(),
                MountStats.NONE.repeats(), MountStats.NONE.completed(), MountStats.NONE.staged(), Optional.empty(),
                usage, List.of(), List.of(), 0, MountStats.NONE.metadata(), MountStats.Background.NOTHING,
                MountStats.Opened.NOTHING, List.of());
        return ActivitySample.between(MountStats.NONE, after, Duration.ofSeconds(1), List.of(), Optional.empty());
    }

    @Test
    void withoutACacheNothingIsFoundInIt() throws IOException {
        var last = passes(0).getLast();
        assertThat(last.hits()).isZero();
        assertThat(last.misses()).isGreaterThanOrEqualTo(2L * FILES * SIZE / (128 << 10));
        assertThat(sample(last).hitRatio()).isZero();
    }

    @Test
    void whatWasReadAheadInThisPassIsNoHit() throws IOException {
        var both = passes(64 << 20);
        var cold = both.getFirst();
        assertThat(cold.prefetched()).as("it was read ahead").isPositive();
        assertThat(sample(cold).hitRatio()).as("%s", cold).isLessThan(0.2);   // reads that meet within a frame
        assertThat(both.getLast().misses()).as("all of it is there").isEqualTo(cold.misses());
        assertThat(both.getLast().hits() - cold.hits()).isGreaterThanOrEqualTo((long) FILES * SIZE / (128 << 10));
    }

    @Test
    void ofAMountThatReadNothingNothingIsKnown() {
        assertThat(ActivitySample.between(MountStats.NONE, MountStats.NONE, Duration.ofSeconds(1), List.of(),
                Optional.empty()).hitRatio()).isZero();
        assertThat(sample(CacheUsage.NONE).hitRatio()).as("small files are read with their names").isEqualTo(1);
    }
}
