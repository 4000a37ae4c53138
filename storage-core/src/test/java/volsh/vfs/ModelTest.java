package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import volsh.block.memory.MemoryBlockStore;
import volsh.cache.FrameCache;
import volsh.cache.MemoryCache;
import volsh.cache.disk.CacheDirectory;
import volsh.cache.disk.CacheSpace;
import volsh.cache.disk.DiskTier;
import volsh.chunk.ChunkSettings;
import volsh.disk.SimulatedDisk;
import volsh.engine.MetaEngine;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.meta.MetadataAudit;
import volsh.meta.Quotas;
import volsh.postgrestest.PostgresServer;
import volsh.quota.Account;
import volsh.quota.QuotaRule;
import volsh.upkeep.Watcher;
import volsh.upkeep.check.Check;
import volsh.upkeep.check.CheckOptions;

/**
 * Random system calls on a volume and on the {@link ReferencePosix}: every answer and every refusal is the same, and
 * now and then the whole tree. Blocks are of 4 KiB and memory is short, so files fall into many extents and pressure
 * flushes everywhere; transactions run again at random; the volume is closed and opened again in between.
 */
@Tag("model")
final class ModelTest {
    private static final int CALLS =
            Integer.getInteger("volsh.calls", Boolean.getBoolean("volsh.long") ? 20_000 : 10_000);
    private static final int SIZE_MAX = 12 * 4096;
    private static final int LOG = 60;
    /** A few frames, so that something is evicted all the time; all frames; none. */
    private static final long[] CACHES = {16 << 10, 1 << 20, 0, 32 << 10};
    /** Bytes of cached blocks on disk. */
    private static final long[] TIERS = {20_000, 0, 1 << 20};

    @TestFactory
    Stream<DynamicTest> agreesWithTheModel() throws IOException {
        return new SeedList("/volsh/vfs/model-seeds.txt", 4, 200).seeds().stream()
                .map(seed -> DynamicTest.dynamicTest("seed " + seed, () -> new Run(seed).run()));
    }

    /** With another engine that is optimistic, and no fewer kinds of calls. */
    @Test
    void agreesWithTheModelOnPostgres() throws Exception {
        var url = PostgresUrl.of(PostgresServer.shared().url()).withVolume(PostgresServer.freshName());
        try (var engine = PostgresMetaEngine.create(url, UUID.randomUUID())) {
            new Run(System.nanoTime(), cache -> cache, engine, CALLS / 40).run();
        }
    }

    /** Negative control: a cache that mixes two blocks up would be noticed. */
    @Test
    void noticesAFrameOfAnotherBlock() {
        assertThat(catchThrowable(() -> new Run(3, ConfusedCache::new).run())).isInstanceOf(AssertionError.class);
    }

    private static final class Run {
        private final long seed;
        private final Random random;
        private final ManualClock clock = new ManualClock();
        private final MetaEngine engine;
        private final int count;
        private final MemoryBlockStore store = new MemoryBlockStore();
        private final SimulatedDisk disk = new SimulatedDisk();
        private final ChunkSettings settings;
        private final ArrayDeque<String> log = new ArrayDeque<>();
        private final Program expected = new Program(new ReferencePosix(clock));
        private final UnaryOperator<FrameCache> caching;
        private TestVolume volume;
        private Program actual;
        private long tierHits;
        private long tails;
        private long merges;
        private final ArrayDeque<Runnable> background = new ArrayDeque<>();

        Run(long seed) {
            this(seed, cache -> cache);
        }

        Run(long seed, UnaryOperator<FrameCache> caching) {
            this(seed, caching, disturbed(new Random(seed)), CALLS);
        }

        Run(long seed, UnaryOperator<FrameCache> caching, MetaEngine engine, int count) {
            this.seed = seed;
            this.caching = caching;
            this.random = new Random(seed);
            this.engine = engine;
            this.count = count;
            int inline = new int[] {0, 700, 4096}[(int) Math.floorMod(seed, 3L)];
            long cache = CACHES[(int) Math.floorMod(seed, (long) CACHES.length)];
            this.settings = new ChunkSettings(4096, inline, 20480L * (2 + random.nextInt(6)), cache);
        }

        private static MemoryMetaEngine disturbed(Random disturbance) {
            return new MemoryMetaEngine(attempt -> attempt < 3 && disturbance.nextInt(20) == 0);
        }

        void run() throws IOException {
            System.out.printf("model seed %d: %s%n", seed, settings);
            open();
            if (random.nextInt(3) == 0) {
                volume.ticks().retain(1_000_000);
            }
            var calls = RandomCalls.appending(random, SIZE_MAX, 4096);
            for (int i = 0; i < count; i++) {
                clock.advance(Duration.ofMillis(random.nextInt(50)));
                // from here on owners are counted, which each check compares with what is there
                if (i == count / 8 && seed % 2 == 0) {
                    new Quotas(engine, clock, volume.session().id())
                            .set(Account.user(1), QuotaRule.NONE, 1 << 30, counted -> {});
                }
                step(calls.next(expected.openFiles()));
                if (random.nextInt(10) == 0) {
                    merge();
                }
                if (random.nextInt(1000) == 0) {
                    clock.advance(Duration.ofSeconds(2));
                    volume.reclaim();
                    compareTrees("reclaim");
                }
                if (random.nextInt(3000) == 0) {
                    reopen();
                }
            }
            finish();
        }

        /** Extents that became many, some calls later. */
        private void merge() {
            while (!background.isEmpty()) {
                background.removeFirst().run();
            }
        }

        private void open() throws IOException {
            var cache = caching.apply(new MemoryCache(settings.cacheBytes(), 4096));
            volume = TestVolume.open(engine, store, settings, Runnable::run, clock, cache, tier(),
                    new TestVolume.Background(store, background::add));
            actual = actual == null ? new Program(new VfsPosix(volume.vfs())) : actual;
            actual.moveTo(new VfsPosix(volume.vfs()));
        }

        private long quota() {
            return TIERS[(int) Math.floorMod(seed, (long) TIERS.length)];
        }

        /** Of a few blocks, or of many; it outlives the volume, as a disk does. */
        private DiskTier tier() throws IOException {
            long quota = quota();
            return quota == 0 ? DiskTier.NONE
                    : new CacheDirectory(disk, Path.of("/cache"), new CacheSpace(quota, 0, () -> quota), Runnable::run);
        }

        private void step(RandomCalls.Step step) throws IOException {
            log.addLast(step.text());
            if (log.size() > LOG) {
                log.removeFirst();
            }
            String right;
            String answer;
            try {
                right = expected.run(step.call());
                answer = actual.run(step.call());
            } catch (IOException | RuntimeException | Error failure) {
                throw new AssertionError(story(step.text()), failure);
            }
            if (!answer.equals(right)) {
                assertThat(answer).as(story(step.text())).isEqualTo(right);
            }
        }

        private void compareTrees(String when) throws IOException {
            assertThat(actual.tree()).as(story(when)).isEqualTo(expected.tree());
        }

        private void note() {
            tails += volume.vfs().merging().rewrites().tails();
            merges += volume.vfs().merging().rewrites().merges();
            volume.caches().directories().forEach(usage -> tierHits += usage.hits());
        }

        private void reopen() throws IOException {
            expected.closeAll();
            actual.closeAll();
            note();
            volume.close();
            log.addLast("volume closed and opened");
            assertThat(MetadataAudit.of(engine).with(store).problems()).as(story("closed")).isEmpty();
            var check = new Check(engine, store, new UUID(1, 2), Path.of(System.getProperty("java.io.tmpdir")),
                    OptionalLong.empty());
            assertThat(check.run(CheckOptions.DEEP, Watcher.NONE).problems()).as(story("checked")).isEmpty();
            open();
            compareTrees("opened again");
        }

        private void finish() throws IOException {
            compareTrees("end");
            reopen();
            // the blocks of files that the first one frees die in this second
            for (int round = 0; round < 2; round++) {
                clock.advance(Duration.ofSeconds(2));
                volume.reclaim();
            }
            var audit = MetadataAudit.of(engine).with(store);
            assertThat(audit.problems()).as(story("end")).isEmpty();
            assertThat(audit.orphans()).as(story("orphans")).isZero();
            assertThat(audit.dead()).as(story("dead")).isZero();
            compareTrees("reclaimed");
            note();
            volume.close();
            System.out.printf("model seed %d: %d frames from the disk tier, %d tails taken over, %d merges%n", seed,
                    tierHits, tails, merges);
            assertThat(tierHits > 0 || quota() == 0 || seed > 9).isTrue();
            assertThat(tails > 0 && merges > 0 || seed > 9).isTrue();
        }

        private String story(String when) {
            return "seed %d, %s%n%s%n".formatted(seed, when, String.join("\n", log));
        }
    }
}
