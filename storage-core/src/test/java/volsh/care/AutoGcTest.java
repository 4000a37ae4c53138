package volsh.care;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.assembly.BackgroundTasks;
import volsh.block.BlockKey;
import volsh.block.Pause;
import volsh.block.memory.MemoryBlockStore;
import volsh.catalog.GcMode;
import volsh.chunk.BlockIo;
import volsh.chunk.ChunkSettings;
import volsh.chunk.Chunks;
import volsh.codec.Compression;
import volsh.engine.MetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.history.PastEngine;
import volsh.history.Purge;
import volsh.history.Snapshots;
import volsh.inventory.GcTurns;
import volsh.meta.EngineKind;
import volsh.meta.MetadataAudit;
import volsh.meta.Moments;
import volsh.meta.Namespace;
import volsh.meta.OnEveryEngine;
import volsh.meta.Sessions;
import volsh.vfs.ManualClock;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/**
 * Garbage collected by mounts: by one at a time, never what somebody can see, and not at all where that is not wanted.
 */
@OnEveryEngine
@Tag("volume")
final class AutoGcTest {
    private static final int LARGE = 20_000;
    private static final ChunkSettings SETTINGS = new ChunkSettings(4096, 100, 1 << 20);

    private final ManualClock clock = new ManualClock();
    private final MetaEngine engine;
    private final MemoryBlockStore store = new MemoryBlockStore(clock);
    private TestVolume volume;
    private long ahead;

    AutoGcTest(EngineKind kind) throws IOException {
        engine = kind.open();
    }

    /** Time as it passes; pauses are not waited for. */
    private class Passing implements Pause {
        @Override
        public void sleep(Duration time) throws IOException {}

        @Override
        public long nanoTime() {
            return clock.instant().getEpochSecond() * 1_000_000_000L - ahead;
        }
    }

    @BeforeEach
    void open() throws IOException {
        volume = TestVolume.open(engine, store, SETTINGS, Runnable::run, clock);
    }

    @AfterEach
    void nothingIsMissing() throws IOException {
        assertThat(MetadataAudit.of(engine).withNeeded(store).problems()).isEmpty();
    }

    private AutoGc gc(TestVolume of, Pause pause) {
        AutoGc.Collector collector = (turn, age, watcher) ->
                new GarbageCollection(engine, store, Optional.empty(), clock)
                        .runBeside(of.session().id(), turn, age, watcher);
        return new AutoGc("data", engine, collector, clock, pause, of.session()::id,
                new BackgroundTasks("data", clock));
    }

    private AutoGc gc() {
        return gc(volume, new Passing());
    }

    private long write(String name, int seed) throws IOException {
        clock.advance(Duration.ofSeconds(2));
        var found = volume.names().list(Vfs.ROOT, null, 100).stream()
                .filter(entry -> entry.name().toString().equals(name)).findFirst();
        try (var file = found.isPresent() ? volume.vfs().open(found.get().ino())
                : volume.vfs().create(Vfs.ROOT, Name.of(name), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.wrap(bytes(seed)));
            return file.ino();
        }
    }

    private static byte[] bytes(int seed) {
        byte[] bytes = new byte[LARGE];
        Arrays.fill(bytes, (byte) seed);
        return bytes;
    }

    private void later(Duration time) throws IOException {
        // the session's heart beats
        for (var left = time; !left.isZero() && !left.isNegative(); left = left.minusHours(20)) {
            clock.advance(left.compareTo(Duration.ofHours(20)) < 0 ? left : Duration.ofHours(20));
            volume.renew();
        }
    }

    private byte[] read(long ino, long tick) throws IOException {
        var names = new Namespace(new PastEngine(engine, tick), clock, 0);
        var blocks = new BlockIo(TestVolume.ID, store, Compression.None::new, 1 << 20);
        try (var past = new Vfs(names, new Chunks(names.files(), blocks, SETTINGS, Runnable::run, clock), () -> {});
                var file = past.open(ino)) {
            var bytes = ByteBuffer.allocate(LARGE);
            file.read(0, bytes);
            return bytes.array();
        }
    }

    @Test
    void historyGoesButNotWhatASnapshotOrAnOpenFileShows() throws IOException {
        volume.ticks().retain(3600);
        long ino = write("f", 1);
        var kept = new Snapshots(engine, clock).create("v1", "");
        write("f", 2);
        write("f", 3);
        var open = volume.vfs().open(ino);
        long unlinked = write("g", 7);
        var reading = volume.vfs().open(unlinked);
        volume.vfs().unlink(Vfs.ROOT, Name.of("g"));
        assertThat(gc().turn()).as("all of it is younger than an hour").map(Garbage::versions).contains(0L);
        assertThat(gc().turn()).as("not due").isEmpty();
        later(Duration.ofHours(7));
        assertThat(gc().turn().orElseThrow().versions()).isPositive();
        volume.reclaim();
        assertThat(read(ino, kept.tick())).isEqualTo(bytes(1));
        for (var one : java.util.List.of(open, reading)) {
            var seen = ByteBuffer.allocate(LARGE);
            one.read(0, seen);
            assertThat(seen.array()).isEqualTo(bytes(one == open ? 3 : 7));
            one.close();
        }
        assertThat(new GcTurns(engine, clock, 0).state()).satisfies(state -> {
            assertThat(state.isRunning()).isFalse();
            assertThat(state.purged()).isEqualTo(clock.instant().truncatedTo(java.time.temporal.ChronoUnit.SECONDS));
        });
        // negative control: without the snapshot the same turn takes that, too
        new Snapshots(engine, clock).destroy("v1");
        later(Duration.ofHours(7));
        assertThat(gc().turn().orElseThrow().versions()).isPositive();
        assertThat(new Purge(engine, clock, 0).count(Purge.Watcher.NONE).versions()).isZero();
    }

    @Test
    void aReaderOfThePastKeepsIt() throws IOException {
        volume.ticks().retain(3600);
        long ino = write("f", 1);
        long tick = volume.ticks().advance();
        write("f", 2);
        var reader = volume.superblock().sessions().open("elsewhere", 2, "reads", Sessions.Role.READER);
        new Moments(engine, clock).enter(reader.id(), tick);
        later(Duration.ofHours(30));
        gc().turn();
        volume.reclaim();
        assertThat(read(ino, tick)).isEqualTo(bytes(1));
    }

    @Test
    void objectsThatNothingNamesGoWhenTheyAreOld() throws IOException {
        write("f", 1);
        volume.close();
        open();   // numbers of the session before are nobody's
        var stray = BlockKey.of(900);
        store.put(stray, ByteBuffer.wrap(new byte[500]));
        assertThat(gc().turn().orElseThrow().objects()).as("too young").isZero();
        later(Duration.ofHours(25));
        assertThat(gc().turn().orElseThrow().objects()).isEqualTo(1);
        assertThat(store.list("blocks/").map(listed -> listed.key())).doesNotContain(stray).isNotEmpty();
    }

    @Test
    void oneIsAtItAndTheNextTakesOverWhenItIsKilled() throws IOException {
        volume.ticks().retain(10);
        for (int i = 0; i < 5; i++) {
            write("f", i);
        }
        later(Duration.ofHours(1));
        var other = TestVolume.open(engine, store, SETTINGS, Runnable::run, clock);
        var tried = new java.util.ArrayList<Optional<Garbage>>();
        var during = new Passing() {
            @Override
            public void sleep(Duration time) throws IOException {
                tried.add(gc(other, new Passing()).turn());
                if (tried.size() == 1) {   // the first is killed in the middle
                    volume.superblock().sessions().end(volume.session().id());
                    tried.add(gc(other, new Passing()).turn());
                }
            }
        };
        try {
            gc(volume, during).turn();
        } catch (IOException fenced) {
            // its session is gone
        }
        assertThat(tried.get(0)).as("somebody is at it").isEmpty();
        assertThat(tried.get(1)).as("who was is gone").isPresent();
        assertThat(new Purge(engine, clock, 0).count(Purge.Watcher.NONE).versions()).isZero();
    }

    @Test
    void notWhereItIsSwitchedOffOrTheClockJumps() throws IOException {
        volume.superblock().set(GcMode.SETTING, GcMode.MANUAL.toBytes());
        assertThat(gc().turn()).isEmpty();
        volume.superblock().set(GcMode.SETTING, GcMode.AUTO.toBytes());
        var gc = gc();
        later(Duration.ofHours(7));
        ahead = Duration.ofDays(40).toNanos();   // the clock is forty days further than the time that passed
        clock.advance(Duration.ofSeconds(1));
        volume.renew();
        assertThat(gc.turn()).isEmpty();
        ahead = 0;
        assertThat(gc.turn()).as("it does not trust that clock again").isEmpty();
        assertThat(gc().turn()).isPresent();
    }
}
