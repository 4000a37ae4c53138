package volsh.meta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.BlockKey;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.BlockIo;
import volsh.chunk.ChunkSettings;
import volsh.chunk.Chunks;
import volsh.codec.Compression;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fs.Attributes;
import volsh.fs.Name;
import volsh.history.PastEngine;
import volsh.history.Purge;
import volsh.history.Snapshots;
import volsh.history.Trees;
import volsh.inventory.Row;
import volsh.postgrestest.PostgresServer;
import volsh.upkeep.CrowdedExtents;
import volsh.upkeep.Watcher;
import volsh.vfs.ManualClock;
import volsh.vfs.Paths;
import volsh.vfs.PackingListener;
import volsh.vfs.PackingRules;
import volsh.vfs.Program;
import volsh.vfs.RandomCalls;
import volsh.vfs.SeedList;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;
import volsh.vfs.VfsPosix;

/**
 * Random system calls; at random moments the whole tree is remembered, some of them as snapshots. Later every moment
 * that is kept looks as it did, whatever was changed, purged, reclaimed, compacted, cloned and destroyed meanwhile. In
 * the end nothing is left over.
 */
final class TimeTravelTest {
    private static final int CALLS = Integer.getInteger("volsh.calls", 1500);
    private static final int WINDOW = 60;

    @TempDir
    private Path directory;

    @TestFactory
    Stream<DynamicTest> thePastStaysAsItWas() throws IOException {
        return new SeedList("/volsh/meta/time-travel-seeds.txt", 6, 300).seeds().stream()
                .map(seed -> DynamicTest.dynamicTest("seed " + seed, () -> onAnEngine(seed)));
    }

    private void onAnEngine(long seed) throws IOException {
        var disturbance = new Random(seed);
        try (var engine = seed % 3 == 0 ? SqliteMetaEngine.create(directory.resolve(seed + ".db"))
                : new MemoryMetaEngine(attempt -> attempt < 3 && disturbance.nextInt(20) == 0)) {
            new Run(seed, engine, new PastMaker(), CALLS).run();
        }
    }

    @Test
    void alsoOnPostgres() throws Exception {
        var url = PostgresUrl.of(PostgresServer.shared().url()).withVolume(PostgresServer.freshName());
        try (var engine = PostgresMetaEngine.create(url, UUID.randomUUID())) {
            new Run(System.nanoTime(), engine, new PastMaker(), CALLS / 10).run();
        }
    }

    /** Negative control: one who reads a tick too late is noticed. */
    @Test
    void anotherMomentIsNoticed() {
        var late = new PastMaker() {
            @Override
            MetaEngine at(MetaEngine engine, long tick) {
                return new PastEngine(engine, tick + 1);
            }
        };
        assertThatThrownBy(() -> new Run(1, new MemoryMetaEngine(), late, CALLS).run())
                .isInstanceOf(AssertionError.class);
    }

    /** Negative control: if a compaction gave back at once what it has put together, the past would miss it. */
    @Test
    void blocksThatOnlyThePastNamesAreNeeded() {
        var greedy = new PastMaker() {
            @Override
            void compacted(MetaEngine engine, MemoryBlockStore store) throws IOException {
                var current = new HashSet<Long>();
                for (var row : Blocks.of(engine, 'X')) {
                    current.add(((Row.Run) row).block());
                }
                for (var row : Blocks.of(engine, 'b')) {
                    if (!current.contains(((Row.Block) row).row().id())) {
                        store.delete(BlockKey.of(((Row.Block) row).row().id()));
                    }
                }
            }
        };
        assertThatThrownBy(() -> {
            for (long seed = 1; seed < 8; seed++) {
                new Run(seed, new MemoryMetaEngine(), greedy, CALLS).run();
            }
        }).satisfiesAnyOf(failed -> assertThat(failed).isInstanceOf(AssertionError.class),
                failed -> assertThat(failed).isInstanceOf(IOException.class));
    }

    /** All rows of a kind. */
    private static final class Blocks {
        static List<Row> of(MetaEngine engine, char kind) throws IOException {
            var found = new ArrayList<Row>();
            for (var from = Keys.kind(kind); from != null; ) {
                var start = from;
                var page = engine.read(tx -> tx.scan(start, Keys.kind(kind).afterPrefix(), 500));
                page.forEach(entry -> found.add(Row.of(entry)));
                from = page.size() < 500 ? null : page.getLast().key().next();
            }
            return found;
        }
    }

    private static class PastMaker {
        /** Blocks were put together. */
        void compacted(MetaEngine engine, MemoryBlockStore store) throws IOException {}

        MetaEngine at(MetaEngine engine, long tick) {
            return new PastEngine(engine, tick);
        }
    }

    /** A moment: the tick, the snapshot's name or null, and what was there. */
    private record Moment(long tick, String snapshot, Map<String, String> tree) {}

    private static final class Run {
        private final long seed;
        private final Random random;
        private final MetaEngine engine;
        private final PastMaker pasts;
        private final int count;
        private final ManualClock clock = new ManualClock();
        private final MemoryBlockStore store = new MemoryBlockStore();
        private final ChunkSettings settings;
        private final List<Moment> moments = new ArrayList<>();
        private final TestVolume volume;
        private final Program program;
        private final Snapshots snapshots;
        private final long window;
        private int views;
        private int clones;
        private int compacted;

        Run(long seed, MetaEngine engine, PastMaker pasts, int count) throws IOException {
            this.seed = seed;
            this.random = new Random(seed);
            this.engine = engine;
            this.pasts = pasts;
            this.count = count;
            this.settings = new ChunkSettings(4096, new int[] {0, 700, 4096}[(int) Math.floorMod(seed, 3L)], 1 << 20);
            this.volume = TestVolume.open(engine, store, settings, Runnable::run, clock);
            this.program = new Program(new VfsPosix(volume.vfs()), Run::words);
            this.snapshots = new Snapshots(engine, clock);
            this.window = new long[] {0, WINDOW, -1}[random.nextInt(3)];
        }

        /** A directory's times are told only to the second, and not of names that went. */
        private static String words(Attributes found) {
            return found.isDirectory()
                    ? "%s %o %d:%d links %d".formatted(found.kind(), found.mode(), found.uid(), found.gid(),
                            found.links())
                    : "%s %o %d:%d links %d size %d a %d m %d c %d dev %d".formatted(
                            found.kind(), found.mode(), found.uid(), found.gid(), found.links(), found.size(),
                            found.atime(), found.mtime(), found.ctime(), found.device());
        }

        void run() throws IOException {
            volume.ticks().retain(window);
            var calls = RandomCalls.appending(random, 6 * 4096, 4096);
            for (int i = 0; i < count; i++) {
                clock.advance(Duration.ofMillis(random.nextInt(400)));
                program.run(calls.next(program.openFiles()).call());
                switch (random.nextInt(60)) {
                    case 0, 1 -> remember();
                    case 2 -> look(moments.isEmpty() ? null : moments.get(random.nextInt(moments.size())));
                    case 3 -> purge();
                    case 4 -> volume.reclaim();
                    case 5 -> destroy();
                    case 6 -> copy();
                    case 7, 8 -> compact();
                    default -> { }
                }
            }
            purge();
            for (var moment : moments) {
                look(moment);
            }
            finish();
            System.out.printf("time travel seed %d: window %d, %d views, %d clones, %d compacted blocks%n", seed,
                    window, views, clones, compacted);
        }

        private void remember() throws IOException {
            volume.vfs().sync();
            var tree = program.tree();
            if (random.nextBoolean()) {
                var made = snapshots.create("s" + moments.size() + "-" + random.nextInt(1_000_000), "label");
                moments.add(new Moment(made.tick(), made.name(), tree));
            } else if (window != 0) {
                long tick = volume.ticks().advance();
                moments.add(new Moment(tick, null, tree));
                while (clock.instant().getEpochSecond() <= tick) {   // snapshots may have moved the tick ahead
                    clock.advance(Duration.ofSeconds(1));
                }
            }
        }

        private Vfs past(long tick) {
            var names = new Namespace(pasts.at(engine, tick), clock, 0);
            var blocks = new BlockIo(new UUID(1, 2), store, Compression.None::new, 1 << 20);
            return new Vfs(names, new Chunks(names.files(), blocks, settings, Runnable::run, clock), () -> {});
        }

        private void look(Moment moment) throws IOException {
            if (moment == null) {
                return;
            }
            views++;
            var session = volume.superblock().sessions().open("test", 2, "past", Sessions.Role.READER);
            var gate = new Moments(engine, clock);
            try (var vfs = past(moment.tick())) {
                if (isTooEarly(moment)) {
                    assertThatThrownBy(() -> gate.enter(session.id(), moment.tick()))
                            .isInstanceOf(NoSuchMomentException.class);
                    return;
                }
                gate.enter(session.id(), moment.tick());
                assertThat(new Program(new VfsPosix(vfs), Run::words).tree()).as("seed %d at %s", seed, moment)
                        .isEqualTo(moment.tree());
            } finally {
                gate.leave(session.id(), moment.tick());
                volume.superblock().sessions().end(session.id());
            }
        }

        private void purge() throws IOException {
            volume.renew();
            var purge = new Purge(engine, clock, volume.session().id());
            var foreseen = purge.count(Purge.Watcher.NONE);
            assertThat(purge.run(Purge.Watcher.NONE)).isEqualTo(foreseen);
            assertThat(purge.count(Purge.Watcher.NONE).versions()).isZero();
            assertThat(MetadataAudit.of(engine).problems()).as("seed %d purged", seed).isEmpty();
            for (var moment : List.copyOf(moments)) {
                if (isTooEarly(moment)) {
                    moments.remove(moment);
                }
            }
        }

        private boolean isTooEarly(Moment moment) throws IOException {
            return moment.snapshot() == null
                    && new Moments(engine, clock).earliest().orElse(Long.MAX_VALUE) > moment.tick();
        }

        private void destroy() throws IOException {
            var named = moments.stream().filter(moment -> moment.snapshot() != null).toList();
            if (!named.isEmpty()) {
                var moment = named.get(random.nextInt(named.size()));
                snapshots.destroy(moment.snapshot());
                moments.remove(moment);
            }
        }

        /** Merges extents wherever two touch each other, and packs small files; what can be seen stays as it is. */
        private void compact() throws IOException {
            volume.vfs().sync();
            var before = program.tree();
            int already = compacted;
            new CrowdedExtents(engine, volume.vfs().merging().span(), 1).run((ino, start, bytes) -> {
                if (volume.names().attributes(ino).links() > 0) {
                    compacted += volume.vfs().merging().compact(ino, start, 1, () -> false);
                }
            }, Watcher.NONE);
            compacted += Math.toIntExact(volume.vfs().packing().pack(Vfs.ROOT, true,
                    new PackingRules(1, 2, true, false, false), PackingListener.NONE).packed());
            if (compacted > already) {
                pasts.compacted(engine, store);
            }
            assertThat(program.tree()).as("seed %d compacted", seed).isEqualTo(before);
            assertThat(MetadataAudit.of(engine).problems()).as("seed %d compacted", seed).isEmpty();
        }

        /** A tree of some snapshot, as it was, under a new name or instead of something. */
        private void copy() throws IOException {
            var named = moments.stream().filter(moment -> moment.snapshot() != null).toList();
            if (named.isEmpty()) {
                return;
            }
            var moment = named.get(random.nextInt(named.size()));
            var paths = moment.tree().keySet().stream().filter(path -> path.length() < 12).toList();
            var path = paths.get(random.nextInt(paths.size()));
            var trees = new Trees(engine, clock, volume.names());
            long ino;
            try (var vfs = past(moment.tick())) {
                ino = new Paths(vfs).resolve(path, false).ino();
            }
            if (path.equals("/") && random.nextInt(4) > 0) {
                return;   // a root in a root makes deep trees
            }
            clones++;
            long copy = trees.copy(moment.tick(), ino, Vfs.ROOT, Trees.Watcher.NONE);
            assertThat(MetadataAudit.of(engine).problems()).as("seed %d copied", seed).isEmpty();
            if (random.nextInt(4) == 0) {
                return;   // the copier was killed
            }
            if (path.equals("/")) {
                trees.placeAsRoot(copy, moment.tick());
            } else {
                trees.place(copy, Vfs.ROOT, Name.of("a"), true);
            }
            assertThat(below(program.tree(), path.equals("/") ? "/" : "/a")).as("seed %d: clone of %s", seed, path)
                    .isEqualTo(below(moment.tree(), path));
            assertThat(MetadataAudit.of(engine).problems()).as("seed %d placed", seed).isEmpty();
        }

        /**
         * What is at the path and below, with the path taken off; without links and what they count, which a part of a
         * tree may not have.
         */
        private static Map<String, String> below(Map<String, String> tree, String path) {
            var slash = path.equals("/") ? "/" : path + "/";
            return tree.entrySet().stream()
                    .filter(entry -> entry.getKey().equals(path) || entry.getKey().startsWith(slash))
                    .collect(Collectors.toMap(entry -> entry.getKey().substring(path.length()).replaceFirst("^/", ""),
                            entry -> entry.getValue().replaceAll(" links \\d+", "").replaceAll(" c \\d+", ""),
                            (one, other) -> one, TreeMap::new));
        }

        private void finish() throws IOException {
            program.closeAll();
            for (var snapshot : snapshots.list()) {
                snapshots.destroy(snapshot.name());
            }
            volume.ticks().retain(0);
            for (int round = 0; round < 4; round++) {   // what one round lets go of dies in its second
                clock.advance(Duration.ofSeconds(2));
                volume.reclaim();
                purge();
            }
            clock.advance(Duration.ofSeconds(2));
            volume.reclaim();
            var audit = MetadataAudit.of(engine).with(store);
            assertThat(audit.problems()).as("seed %d", seed).isEmpty();
            assertThat(audit.historic()).as("seed %d: versions", seed).isZero();
            assertThat(audit.orphans()).as("seed %d: orphans", seed).isZero();
            assertThat(audit.dead()).as("seed %d: dead blocks", seed).isZero();
            assertThat(Retained.parse(engine.read(tx -> tx.get(Keys.RETAINED))).pins()).isEmpty();
            volume.close();
        }
    }
}
