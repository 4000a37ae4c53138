package volsh.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.file.FileBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.disk.SimulatedDisk;
import volsh.engine.CrashableMetaEngine;
import volsh.engine.MetaEngine;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.Owner;
import volsh.meta.MetadataAudit;
import volsh.transfer.Observer;
import volsh.vfs.ManualClock;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/**
 * Power fails at every call of the disk and at every transaction of a life that saves checkpoints which share blocks,
 * saves shards, prunes and reclaims. Afterwards what is listed is whole, what was acknowledged is there, {@code latest}
 * leads to one that verifies, and the counts of references are right.
 */
@Tag("model")
@Tag("crash")
final class CheckpointCrashTest {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");
    private static final int BLOCK = 1 << 16;
    private static final Path STORE = Path.of("/store");

    @TempDir
    Path directory;

    private final ManualClock clock = new ManualClock();
    private final Random random = new Random(7);
    private Path first;
    private Path second;

    /** Loses power before the n-th change or sync from now. */
    private static final class Failing implements MetaEngine {
        private final MetaEngine delegate;
        private final boolean syncs;
        private long left;
        private long calls;

        Failing(MetaEngine delegate, long left, boolean syncs) {
            this.delegate = delegate;
            this.left = left;
            this.syncs = syncs;
        }

        private synchronized void enter() throws IOException {
            calls++;
            if (left-- <= 0) {
                throw new IOException("simulated power loss");
            }
        }

        @Override
        public <R> R transact(Work<R> work) throws IOException {
            enter();
            return delegate.transact(work);
        }

        @Override
        public <R> R read(Work<R> work) throws IOException {
            return delegate.read(work);
        }

        @Override
        public void sync() throws IOException {
            enter();
            if (syncs) {
                delegate.sync();
            }
        }

        @Override
        public void close() {}
    }

    /** What a life did before it ended. */
    private static final class Story {
        private final TreeSet<Long> saved = new TreeSet<>();
        private final TreeSet<Long> goingAway = new TreeSet<>();
        private long diskCalls;
        private long engineCalls;
    }

    private static Path model(Path directory, String name, int changed) throws IOException {
        byte[] bytes = new byte[6 * BLOCK + 5000];
        new SplittableRandom(1).nextBytes(bytes);
        bytes[changed * BLOCK + 3] ^= 0x55;
        Path model = Files.createDirectories(directory.resolve(name));
        Files.write(model.resolve("weights.bin"), bytes);
        Files.writeString(model.resolve("config.json"), "{\"changed\": %d}".formatted(changed));
        return model;
    }

    private Story life(long diskCall, long engineCall, boolean diskSyncs, boolean engineSyncs) throws IOException {
        var disk = new SimulatedDisk();
        var durable = new CrashableMetaEngine(MemoryMetaEngine::new);
        if (!diskSyncs) {
            disk.ignoreSyncs();
        }
        var story = new Story();
        var engine = new Failing(durable, engineCall, engineSyncs);
        disk.losePowerAtCall(diskCall);
        try (var volume = open(engine, disk)) {
            act(volume, story);
        } catch (IOException | IllegalStateException powerIsLost) {
            assertThat(diskCall < Long.MAX_VALUE || engineCall < Long.MAX_VALUE).as("no power was lost: " + powerIsLost)
                    .isTrue();
        }
        story.diskCalls = disk.calls();
        story.engineCalls = engine.calls;
        disk.crash(random);
        clock.advance(Duration.ofSeconds(100));
        audit(durable.crash(random), disk, story);
        return story;
    }

    private TestVolume open(MetaEngine engine, SimulatedDisk disk) throws IOException {
        return TestVolume.open(engine, new FileBlockStore(STORE, disk), new ChunkSettings(BLOCK, 4096, 1 << 20),
                Runnable::run, clock);
    }

    private Checkpoints checkpoints(Vfs vfs) {
        return new Checkpoints("v", vfs, Owner.ROOT, clock, 1, Observer.NONE);
    }

    private void act(TestVolume volume, Story story) throws IOException {
        var all = checkpoints(volume.vfs());
        for (long step = 1; step <= 3; step++) {
            clock.advance(Duration.ofSeconds(2));
            all.save("r", step, step % 2 == 0 ? second : first, Map.of(), false);
            story.saved.add(step);
        }
        story.goingAway.add(1L);
        all.destroy(all.find("r", OptionalLong.of(1)));
        clock.advance(Duration.ofSeconds(2));
        volume.reclaim();
        clock.advance(Duration.ofSeconds(2));
        volume.reclaim();
        all.saveShard(new SaveRequest("r", 4, second), 0, 1, Duration.ofMinutes(1));
        story.saved.add(4L);
        all.save("r", 5, first, Map.of(), false);
        story.saved.add(5L);
    }

    private void audit(MetaEngine engine, SimulatedDisk disk, Story story) throws IOException {
        try (var volume = open(engine, disk)) {
            volume.superblock().sessions().fenceExpired();
            assertThat(MetadataAudit.of(engine).withNeeded(volume.store()).problems()).isEmpty();
            var all = checkpoints(volume.vfs());
            var listed = all.list(Optional.empty());
            var steps = new TreeSet<Long>();
            for (var one : listed) {
                assertThat(one.trouble()).isEmpty();
                assertThat(all.verify(one)).as(one.path()).isEmpty();
                steps.add(one.step());
            }
            story.saved.stream().filter(step -> !story.goingAway.contains(step))
                    .forEach(step -> assertThat(steps).as("acknowledged").contains(step));
            if (!listed.isEmpty()) {
                assertThat(all.find("r", OptionalLong.empty()).valid()).isTrue();
            }
            all.save("r", 100, second, Map.of(), true);
            assertThat(MetadataAudit.of(engine).withNeeded(volume.store()).problems()).isEmpty();
        }
    }

    @Test
    void atEveryCall() throws IOException {
        first = model(directory, "first", 1);
        second = model(directory, "second", 2);
        var whole = life(Long.MAX_VALUE, Long.MAX_VALUE, true, true);
        assertThat(whole.saved).hasSize(5);
        int every = LONG ? 1 : 3;
        int crashes = 0;
        for (long call = 1; call <= whole.diskCalls; call += every, crashes++) {
            life(call, Long.MAX_VALUE, true, true);
        }
        for (long call = 0; call <= whole.engineCalls; call += every, crashes++) {
            life(Long.MAX_VALUE, call, true, true);
        }
        System.out.printf("checkpoint crashes: %d, of %d calls of the disk and %d transactions%n", crashes,
                whole.diskCalls, whole.engineCalls);
        assertThat(crashes).isGreaterThan(60);
    }

    /** The control: where nothing is synced, that is noticed. */
    @Test
    void whatIsNotSyncedIsMissed() throws IOException {
        first = model(directory, "first", 1);
        second = model(directory, "second", 2);
        assertThat(missed(false, true)).as("a disk that does not sync").isTrue();
        assertThat(missed(true, false)).as("an engine that does not sync").isTrue();
    }

    private boolean missed(boolean diskSyncs, boolean engineSyncs) throws IOException {
        var calls = life(Long.MAX_VALUE, Long.MAX_VALUE, true, true);
        for (int i = 0; i < 30; i++) {
            try {
                life(Long.MAX_VALUE, calls.engineCalls / 2 + i, diskSyncs, engineSyncs);
            } catch (AssertionError noticed) {
                return true;
            }
        }
        return false;
    }
}
