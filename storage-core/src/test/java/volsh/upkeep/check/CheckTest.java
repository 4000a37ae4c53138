package volsh.upkeep.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.BlockKey;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.Delta;
import volsh.engine.MetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.RenameMode;
import volsh.history.Trees;
import volsh.inventory.Row;
import volsh.meta.EngineKind;
import volsh.meta.OnEveryEngine;
import volsh.upkeep.Specimen;
import volsh.upkeep.SpillSort;
import volsh.upkeep.Watcher;
import volsh.vfs.ManualClock;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/**
 * What a check promises beside finding damage: it can be run on a volume in use, names files, and keeps what it
 * repairs.
 */
@OnEveryEngine
final class CheckTest {
    private static final int CHECKS = 8;
    private static final int STEPS = 40;

    @TempDir
    private Path directory;

    private final EngineKind kind;

    CheckTest(EngineKind kind) {
        this.kind = kind;
    }

    /** A copy that grows, and a tree that was replaced, have no name and wait to be removed: that is no damage. */
    @Test
    void treesOutOfReachAreNoDamage() throws Exception {
        var engine = kind.open();
        var store = new MemoryBlockStore();
        var clock = new ManualClock();
        try (var volume = TestVolume.open(engine, store, new ChunkSettings(4096, 100, 1 << 20), Runnable::run, clock)) {
            var tree = volume.vfs().makeDirectory(Vfs.ROOT, Name.of("tree"), 0700, Owner.ROOT);
            volume.vfs().makeDirectory(tree.ino(), Name.of("inner"), 0700, Owner.ROOT);
            volume.vfs().create(tree.ino(), Name.of("file"), 0600, Owner.ROOT).close();
            var trees = new Trees(engine, clock, volume.names());
            long copy = trees.copy(volume.ticks().pin(), tree.ino(), Vfs.ROOT, Trees.Watcher.NONE);
            assertThat(problems(engine, store)).isEmpty();
            trees.place(copy, Vfs.ROOT, Name.of("tree"), true);
            assertThat(problems(engine, store)).isEmpty();
        }
    }

    private List<CheckReport.Problem> problems(MetaEngine engine, MemoryBlockStore store) throws IOException {
        return new Check(engine, store, Specimen.ID, directory, OptionalLong.empty())
                .run(CheckOptions.DEEP, Watcher.NONE).problems();
    }

    /**
     * Somebody makes, links, renames, overwrites and removes files all the time: none of that is damage, but a file
     * that he leaves alone may be.
     */
    @Test
    void ofAVolumeInUseOnlyDamageIsTold() throws Exception {
        var engine = kind.open();
        var store = new MemoryBlockStore();
        var allowed = new Semaphore(0);
        var steps = new AtomicLong();
        var clock = new ManualClock();
        try (var volume = TestVolume.open(engine, store, new ChunkSettings(4096, 100, 1 << 20), Runnable::run, clock)) {
            var old = volume.vfs().makeDirectory(Vfs.ROOT, Name.of("old"), 0700, Owner.ROOT);
            clock.advance(Duration.ofSeconds(5));
            volume.ticks().advance();
            var damage = new Row.DirectoryCount(old.ino(), 3, new Delta(new long[] {1, 0, 0}, new long[] {0})).entry();
            engine.transact(tx -> {
                tx.put(damage.key(), damage.value());
                return null;
            });
            var writer = Thread.ofPlatform().start(() -> {
                while (steps.get() < CHECKS * kind.steps(STEPS)) {
                    allowed.acquireUninterruptibly();
                    churn(volume.vfs(), steps.incrementAndGet());
                }
            });
            for (int i = 0; i < CHECKS; i++) {
                allowed.release(kind.steps(STEPS));
                var report = new Check(engine, store, Specimen.ID, directory, OptionalLong.empty())
                        .run(CheckOptions.DEEP, Watcher.NONE);
                assertThat(report.problems().stream().filter(problem -> !problem.damage().isHarmless()))
                        .singleElement().satisfies(problem -> assertThat(problem.paths()).containsExactly("/old"));
            }
            writer.join();
            assertThat(volume.audit()).hasSize(1);
        }
    }

    private static void churn(Vfs vfs, long step) {
        try {
            var name = Name.of("f" + step % 40);
            try (var file = vfs.create(Vfs.ROOT, name, 0644, Owner.ROOT)) {
                file.write(0, ByteBuffer.allocate(9000));
                file.flush();
                file.write(5000, ByteBuffer.allocate(100));
            }
            vfs.link(vfs.lookup(Vfs.ROOT, name).ino(), Vfs.ROOT, Name.of("l" + step));
            vfs.rename(Vfs.ROOT, name, Vfs.ROOT, Name.of("r" + step), RenameMode.REPLACE);
            vfs.unlink(Vfs.ROOT, Name.of("l" + step));
            if (step > 10) {
                vfs.unlink(Vfs.ROOT, Name.of("r" + (step - 10)));
            }
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Test
    void filesWithDamagedBlocksAreNamed() throws IOException {
        var volume = Specimen.make(kind.open(), directory, 3, 0);
        var entry = volume.pick(Row.Entry.class, 'E', any -> Arrays.equals(any.name(), "copy".getBytes()));
        var run = volume.pick(Row.Run.class, 'X', any -> any.ino() == entry.ino() && volume.isAlone(any.block()));
        volume.store.delete(BlockKey.of(run.block()));
        var found = volume.check(CheckOptions.QUICK).problems();
        assertThat(found).singleElement().satisfies(problem -> {
            assertThat(problem.damage()).isEqualTo(Damage.OBJECT_MISSING);
            assertThat(problem.paths()).contains("/the directory/copy", "/the directory/file");
        });
        var elsewhere = volume.pick(Row.Entry.class, 'E', any -> Arrays.equals(any.name(), "below".getBytes()));
        assertThat(volume.check(new CheckOptions(false, OptionalLong.of(elsewhere.ino()))).problems()).isEmpty();
        assertThat(volume.check(new CheckOptions(false, OptionalLong.of(entry.directory()))).problems()).hasSize(1);
    }

    /** A file whose attributes are gone has its bytes again, under its name; what was changed can be read in a file. */
    @Test
    void aRepairKeepsBytesAndWritesDownWhatItChanges() throws IOException {
        var volume = Specimen.make(kind.open(), directory, 4, 0);
        var entry = volume.pick(Row.Entry.class, 'E', any -> Arrays.equals(any.name(), "file".getBytes()));
        volume.delete(Row.from('N', entry.ino()));
        volume.delete(entry.entry().key());
        var report = volume.repair();
        assertThat(report.isClean()).isTrue();
        assertThat(report.repairs().getFirst().paths()).containsExactly("/lost+found/inode-" + entry.ino());
        assertThat(volume.node(entry.ino()).row().size()).isEqualTo(5 * 4096);
        try (var written = Files.list(directory.resolve("repairs"))) {
            assertThat(Files.readString(written.findFirst().orElseThrow())).contains("rows-without-inode")
                    .contains("\"before\"");
        }
    }

    /** Any number of tuples come back in order, whether they fit into memory or not. */
    @Test
    void whatDoesNotFitIsSortedInFiles() throws IOException {
        var random = new Random(5);
        for (int count : new int[] {0, 1, 7, 64, 1000}) {
            var expected = new ArrayList<long[]>();
            try (var spill = new SpillSort(directory, 2, 7)) {
                for (int i = 0; i < count; i++) {
                    long[] tuple = {random.nextInt(50) - 25, random.nextLong()};
                    expected.add(tuple);
                    spill.add(tuple.clone());
                }
                expected.sort(Arrays::compareUnsigned);
                var sorted = spill.sorted();
                for (long[] tuple : expected) {
                    assertThat(sorted.next()).isEqualTo(tuple);
                }
                assertThat(sorted.peek()).isNull();
            }
        }
        try (var left = Files.list(directory)) {
            assertThat(left).as("files left behind").isEmpty();
        }
    }
}
