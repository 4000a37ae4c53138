package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.assembly.TimedStoreCall;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.NoSuchBlockException;
import volsh.block.StoreUrl;
import volsh.block.UnavailableException;
import volsh.block.memory.MemoryBlockStore;
import volsh.catalog.Access;
import volsh.catalog.Host;
import volsh.catalog.VolumeDraft;
import volsh.chunk.ChunkSettings;
import volsh.disk.LocalTrees;
import volsh.disk.OsDisk;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.hang.Eventually;
import volsh.inventory.JournalRow;
import volsh.inventory.Journals;
import volsh.lifecycle.AttachRequest;
import volsh.meta.ChildJvm;
import volsh.ship.Identity;
import volsh.ship.Shipping;
import volsh.ship.ShippingTurn;
import volsh.unit.ByteSize;
import volsh.upkeep.Watcher;
import volsh.upkeep.check.Damage;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;
import volsh.volume.Durability.State;
import volsh.writeback.JournalDirectory;
import volsh.writeback.JournalReads;
import volsh.writeback.Writeback;

/** What a volume says of the safety of a file is true: shown by taking away what the file does not depend on. */
@Tag("wait")
@Tag("data")
final class DurabilityTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    @TempDir
    Path directory;
    private StoreUrl url;
    private Machine machine;

    @BeforeEach
    void prepare() {
        url = StoreUrl.of(directory.resolve("bucket").toUri().toString());
        machine = new Machine(directory.resolve("first"));
    }

    /** Nothing is stored before it is asked for. */
    private Volume open(Optional<Writeback> writeback) throws IOException {
        return machine.volumes().open(OpeningRequest.of("data", Access.WRITE, "test").lasting(writeback));
    }

    private Volume openLazily() throws IOException {
        return open(Optional.of(new Writeback(Optional.empty(), Writeback.LIMIT, Duration.ofHours(1), Duration.ZERO)));
    }

    private static State state(Volume volume, long ino) throws IOException {
        return volume.durability(ino).state();
    }

    /** As seen by another process, which only has the metadata, the journals and the store. */
    private Durability seenBesides(long ino) throws IOException {
        try (var other = machine.volumes().open("data", Access.READ, "looks")) {
            return other.durability(ino);
        }
    }

    @Test
    void aFileBecomesSaferStepByStep() throws Exception {
        machine.create("data", url);
        byte[] bytes = Machine.bytes(1, 300_000);
        try (var volume = openLazily(); var file = volume.vfs().create(Vfs.ROOT, Name.of("file"), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.wrap(bytes));
            assertThat(state(volume, file.ino())).isEqualTo(State.BUFFERED);
            file.fsync();
            assertThat(volume.durability(file.ino())).satisfies(found -> {
                assertThat(found.state()).isEqualTo(State.STAGED);
                assertThat(found.since()).isPresent();
                assertThat(found.where()).isEqualTo(Host.name());
            });
            assertThat(seenBesides(file.ino()).state()).isEqualTo(State.STAGED);
            assertThat(machine.files("data")).containsEntry("file", java.util.Arrays.hashCode(bytes));
            var stagedSince = volume.durability(file.ino()).since().orElseThrow();
            Eventually.holds("the clock of files has ticked", () -> Instant.now().isAfter(stagedSince.plusMillis(50)));
            assertThat(volume.store(LONG)).isTrue();
            assertThat(volume.durability(file.ino())).satisfies(found -> {
                assertThat(found.state()).isEqualTo(State.STORED);
                assertThat(found.since()).as("when it left the journal")
                        .hasValueSatisfying(since -> assertThat(since).isAfter(stagedSince));
                assertThat(found.where()).isEqualTo(Host.name());
            });
            volume.shipping().ship();
            assertThat(state(volume, file.ino())).isEqualTo(State.COMMITTED);
            assertThat(seenBesides(file.ino()).state()).isEqualTo(State.COMMITTED);
            file.write(5, ByteBuffer.wrap(new byte[10]));
            assertThat(state(volume, file.ino())).isEqualTo(State.BUFFERED);
        }
    }

    @Test
    void aCommittedFileNeedsNothingButTheStore() throws IOException {
        machine.create("data", url);
        byte[] bytes = Machine.bytes(1, 300_000);
        try (var volume = openLazily()) {
            Machine.write(volume, "file", bytes);
            assertThat(volume.store(LONG)).isTrue();
            volume.shipping().ship();
            long ino = volume.vfs().lookup(Vfs.ROOT, Name.of("file")).ino();
            assertThat(state(volume, ino)).isEqualTo(State.COMMITTED);
            var elsewhere = new Machine(directory.resolve("second"));
            elsewhere.volumes().attaching().attach(new AttachRequest(url, Optional.empty(), Optional.empty(),
                    Optional.empty(), true), AttachRequest.Watcher.NONE);
            assertThat(elsewhere.files("data")).containsEntry("file", java.util.Arrays.hashCode(bytes));
        } catch (volsh.ship.AttachedElsewhereException fenced) {
            // the first machine learns it when it closes
        } catch (FsException refused) {
            assertThat(refused.error()).as("or it knew that before").isEqualTo(FsError.READ_ONLY);
        }
    }

    /** The control: one that is only staged is not there, and whoever reads it is told where it is. */
    @Test
    void aStagedFileIsMissedElsewhereAndSaysWhereItIs() throws IOException {
        machine.create("data", url);
        try (var volume = openLazily()) {
            Machine.write(volume, "file", Machine.bytes(1, 300_000));
            volume.shipping().ship();
            var elsewhere = new Machine(directory.resolve("second"));
            elsewhere.volumes().attaching().attach(new AttachRequest(url, Optional.empty(), Optional.empty(),
                    Optional.empty(), true), AttachRequest.Watcher.NONE);
            Files.move(machine.directory(), directory.resolve("away"));   // else it would be found on this host
            assertThatThrownBy(() -> elsewhere.files("data"))
                    .hasMessageContaining("waits in the journal of")
                    .hasMessageContaining(Host.name() + ":" + machine.directory());
            Files.move(directory.resolve("away"), machine.directory());
        } catch (volsh.ship.AttachedElsewhereException fenced) {
            // the first machine learns it when it closes
        } catch (FsException refused) {
            assertThat(refused.error()).as("or it knew that before").isEqualTo(FsError.READ_ONLY);
        }
    }

    @Test
    void withoutShippingAFileIsStoredAtBest() throws IOException {
        machine.volumes().stores().add(Machine.STORE, url);
        machine.volumes()
                .create(VolumeDraft.named("data").withStore(Machine.STORE).withBlockSize(ByteSize.of("64KiB")));
        try (var volume = open(Optional.empty())) {
            Machine.write(volume, "file", Machine.bytes(1, 300_000));
            assertThat(state(volume, volume.vfs().lookup(Vfs.ROOT, Name.of("file")).ino())).isEqualTo(State.STORED);
        }
    }

    @Test
    void whatAProcessLeftIsStoredByTheNext() throws IOException {
        machine.create("data", url);
        byte[] bytes = Machine.bytes(1, 300_000);
        try (var volume = openLazily()) {
            Machine.write(volume, "file", bytes);
        }   // it has no patience: everything stays in its journal
        assertThat(machine.files("data")).as("read from the journal")
                .containsEntry("file", java.util.Arrays.hashCode(bytes));
        try (var next = open(Optional.empty())) {
            assertThat(next.store(LONG)).isTrue();
            assertThat(next.staged().isDone()).isTrue();
        }
        try (var engine = volsh.engine.sqlite.SqliteMetaEngine.open(
                machine.directory().resolve("state/volumes").resolve(machine.volumes().find("data").id().toString())
                        .resolve("meta.db"))) {
            assertThat(new Journals(engine).list()).isEmpty();
        }
        try (var left = Files.walk(machine.directory())) {
            assertThat(left.filter(path -> path.toString().endsWith(".journal"))).isEmpty();
        }
        assertThat(machine.files("data")).containsEntry("file", java.util.Arrays.hashCode(bytes));
    }

    /**
     * What waited on a disk that is lost is waited for until somebody says so; then the files are named that need it,
     * and nothing waits any more.
     */
    @Test
    void aLostJournalIsGivenUpWhenSomebodySaysSo() throws IOException {
        machine.create("data", url);
        machine.write("data", "kept", Machine.bytes(2, 300_000));
        try (var volume = openLazily()) {
            Machine.write(volume, "file", Machine.bytes(1, 300_000));
        }
        try (var all = Files.walk(machine.directory())) {
            for (var path : all.filter(each -> each.toString().endsWith(".journal")).map(Path::getParent).distinct()
                    .toList()) {
                LocalTrees.remove(path);
            }
        }
        var volumes = machine.volumes();
        var waiting = volumes.upkeep().repair("data", false, false, Watcher.NONE);
        assertThat(waiting.isClean()).as("it may come back").isTrue();
        assertThat(waiting.totals().elsewhere()).as("blocks that are not here").isPositive();
        assertThat(volumes.journals().left("data")).hasSize(1);
        var report = volumes.upkeep().repair("data", false, true, Watcher.NONE);
        assertThat(report.problems()).isNotEmpty().allSatisfy(problem -> {
            assertThat(problem.damage()).isEqualTo(Damage.OBJECT_MISSING);
            assertThat(problem.paths()).containsExactly("/file");
        });
        assertThat(volumes.journals().left("data")).isEmpty();
        machine.delete("data", "file");
        var after = volumes.upkeep().check("data", true, Optional.empty(), Watcher.NONE);
        assertThat(after.isClean()).isTrue();
        assertThat(after.totals().elsewhere()).isZero();
        assertThat(machine.files("data")).containsOnlyKeys("kept");
    }

    /** A process counts what waits now and then; one that is killed before it did has counted nothing. */
    @Test
    void whatAKilledProcessLeftIsCounted() throws IOException {
        machine.create("data", url);
        try (var volume = openLazily()) {
            Machine.write(volume, "file", Machine.bytes(1, 300_000));
            assertThat(machine.volumes().journals().here("data")).extracting(JournalRow::bytes).singleElement()
                    .as("not counted yet, unless the machine is slow").matches(bytes -> bytes == 0 || bytes >= 300_000);
            assertThat(machine.volumes().journals().left("data"))
                    .satisfiesExactly(row -> assertThat(row.bytes()).isGreaterThanOrEqualTo(300_000));
        }
    }

    /** A store that hangs for a minute and more before it gives up, which nobody wants to know of for each file. */
    @Test
    void aSilentStoreIsAskedOnce() throws Exception {
        var engine = new MemoryMetaEngine();
        var silent = new Silent();
        var executor = Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
        try (var volume = TestVolume.open(engine, new MemoryBlockStore(), new ChunkSettings(64 << 10, 0, 1 << 20),
                executor, InstantSource.system())) {
            var inos = new ArrayList<Long>();
            for (var name : List.of("a", "b")) {
                try (var file = volume.vfs().create(Vfs.ROOT, Name.of(name), 0644, Owner.ROOT)) {
                    file.write(0, ByteBuffer.wrap(Machine.bytes(1, 100_000)));
                    file.fsync();
                    inos.add(file.ino());
                }
            }
            var since = Instant.ofEpochSecond(1_700_000_000);
            new Journals(engine).put(JournalRow.opened(UUID.randomUUID(), "far", "/nowhere/journal", since)
                    .counted(since, 4, 200_000, since));
            var shipping = new Shipping(new Identity(TestVolume.ID, "here", "made"), engine, silent,
                    InstantSource.system(), ShippingTurn.FREE);
            var safety = new DurabilityProbe(volume.vfs(), engine, shipping, false, silent, new OsDisk(),
                    InstantSource.system(), Optional.empty(), new TimedStoreCall(Duration.ofMillis(50)));
            for (long ino : inos) {
                assertThat(safety.of(ino)).isEqualTo(new Durability(State.STAGED, Optional.of(since), "far"));
            }
            Eventually.holds("the store is asked, by a thread of its own", () -> silent.gets.get() > 0);
            assertThat(silent.gets.get()).isOne();
        } finally {
            silent.close();
            executor.shutdown();
        }
    }

    /** Answers nothing until it is closed. */
    private static final class Silent implements Forwarding {
        private final AtomicInteger gets = new AtomicInteger();
        private final CountDownLatch closed = new CountDownLatch(1);

        @Override
        public BlockStore delegate() {
            throw new AssertionError("only gets are expected");
        }

        @Override
        public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
            gets.incrementAndGet();
            try {
                closed.await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
            throw new IOException("closed");
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }

    /** Two processes on one journal would delete each other's segments. */
    @Test
    void theJournalOfAProcessThatLivesIsNotTakenOver() throws IOException {
        machine.create("data", url);
        try (var volume = openLazily()) {
            Machine.write(volume, "file", Machine.bytes(1, 300_000));
            int waiting = volume.staged().blocks();
            assertThat(waiting).isPositive();
            try (var other = ChildJvm.start(directory, Taker.class, machine.directory())) {
                assertThat(other.line()).isEqualTo("0");
            }
            assertThat(volume.staged().blocks()).isEqualTo(waiting);
        }
        try (var other = ChildJvm.start(directory, Taker.class, machine.directory())) {
            assertThat(other.line()).as("it is gone now").isNotEqualTo("0");
        }
    }

    /** Says how many journals it could have taken over. */
    static final class Taker {
        private Taker() {}

        public static void main(String[] args) throws IOException {
            var machine = new Machine(Path.of(args[0]));
            var database = machine.directory().resolve("state/volumes")
                    .resolve(machine.volumes().find("data").id().toString()).resolve("meta.db");
            int taken = 0;
            try (var engine = volsh.engine.sqlite.SqliteMetaEngine.open(database)) {
                for (var row : new Journals(engine).list()) {
                    taken += JournalDirectory.adopt(row, new OsDisk(), InstantSource.system()).isPresent() ? 1 : 0;
                }
            }
            System.out.println(taken);
        }
    }

    @Test
    void destroyingAVolumeTakesItsJournalsAlong() throws IOException {
        machine.create("data", url);
        var place = directory.resolve("nvme");
        try (var volume = open(Optional.of(new Writeback(Optional.of(place), Writeback.LIMIT, Duration.ofHours(1),
                Duration.ZERO)))) {
            Machine.write(volume, "file", Machine.bytes(1, 300_000));
        }
        try (var left = Files.walk(place)) {
            assertThat(left.filter(path -> path.toString().endsWith(".journal"))).isNotEmpty();
        }
        machine.volumes().destroy("data", false);
        try (var left = Files.walk(place)) {
            assertThat(left.filter(Files::isRegularFile)).isEmpty();
        }
    }

    @Test
    void aBlockOnAnotherHostIsWaitedForAndNeverZeros() throws Exception {
        var engine = new MemoryMetaEngine();
        var rows = new Journals(engine);
        var bucket = new MemoryBlockStore();
        var reads = new JournalReads(bucket, rows, new OsDisk(), InstantSource.system(), Duration.ofMillis(300));
        var key = BlockKey.of(7);
        assertThatThrownBy(() -> reads.get(key, 0, ByteBuffer.allocate(3))).as("nobody has it")
                .isInstanceOf(NoSuchBlockException.class);
        rows.put(JournalRow.opened(UUID.randomUUID(), "far", "/nowhere/journal", Instant.now())
                .counted(Instant.now(), 1, 4096, Instant.now()));
        assertThatThrownBy(() -> reads.get(key, 0, ByteBuffer.allocate(3)))
                .isInstanceOf(UnavailableException.class).hasMessageContaining("far:/nowhere/journal")
                .hasMessageContaining("4KiB");
        record Counted(BlockStore delegate, AtomicInteger gets) implements Forwarding {
            @Override
            public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
                gets.incrementAndGet();
                return delegate.get(key, offset, target);
            }
        }
        var gets = new AtomicInteger();
        var patient = new JournalReads(new Counted(bucket, gets), rows, new OsDisk(), InstantSource.system(), LONG);
        var uploading = Thread.ofPlatform().start(() -> {
            Eventually.holds("the reader has come in vain, more than once", () -> gets.get() > 2);
            bucket.put(key, ByteBuffer.wrap(new byte[] {1, 2, 3}));
        });
        var target = ByteBuffer.allocate(3);
        assertThat(patient.get(key, 0, target)).isEqualTo(3);
        assertThat(target.array()).containsExactly(1, 2, 3);
        uploading.join();
    }
}
