package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.NoSuchBlockException;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.history.Trees;
import volsh.meta.EngineKind;
import volsh.meta.OnEveryEngine;

/**
 * A file that stays open keeps what it needs, and nothing that others deleted: a block goes as soon as no read under
 * way can get it.
 */
@OnEveryEngine
final class OpenFilesLetGoTest {
    private static final int BLOCK = 4096;
    private static final int SIZE = 3 * BLOCK;

    private final EngineKind kind;
    private final MetaEngine engine;
    private final AtomicInteger missed = new AtomicInteger();
    private final Interrupting store = new Interrupting(new Missing(new MemoryBlockStore(), missed));
    private final ManualClock clock = new ManualClock();
    private TestVolume here;
    private TestVolume elsewhere;
    private OpenFile file;

    OpenFilesLetGoTest(EngineKind kind) throws IOException {
        this.kind = kind;
        engine = kind.open();
    }

    /** Counts gets of blocks that are gone. */
    private record Missing(BlockStore delegate, AtomicInteger missed) implements Forwarding {
        @Override
        public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
            try {
                return delegate.get(key, offset, target);
            } catch (NoSuchBlockException gone) {
                missed.incrementAndGet();
                throw gone;
            }
        }
    }

    @BeforeEach
    void openFiles() throws IOException {
        here = mount();
        elsewhere = mount();
        file = create(here, "f", 1);
    }

    private TestVolume mount() throws IOException {
        return TestVolume.open(engine, store, new ChunkSettings(BLOCK, 0, 1 << 20, 0), Runnable::run, clock);
    }

    private static OpenFile create(TestVolume volume, String name, int seed) throws IOException {
        return create(volume, Vfs.ROOT, name, seed);
    }

    private static OpenFile create(TestVolume volume, long parent, String name, int seed) throws IOException {
        var created = volume.vfs().create(parent, Name.of(name), 0644, Owner.ROOT);
        created.write(0, ByteBuffer.wrap(noise(SIZE, seed)));
        created.flush();
        return created;
    }

    private static byte[] read(OpenFile from) throws IOException {
        var bytes = ByteBuffer.allocate(2 * SIZE);
        return Arrays.copyOf(bytes.array(), from.read(0, bytes));
    }

    private void overwrite(int seed) throws IOException {
        try (var there = elsewhere.vfs().open(file.ino())) {
            there.write(0, ByteBuffer.wrap(noise(SIZE, seed)));
        }
    }

    /** Seconds pass, in each of which both sessions renew their leases and one of them reclaims. */
    private int reclaim(int seconds) throws IOException {
        int deleted = 0;
        for (int i = 0; i < seconds; i++) {
            clock.advance(Duration.ofSeconds(1));
            here.refresh();
            deleted += elsewhere.reclaim();
        }
        return deleted;
    }

    @Test
    void whatIsRemovedBesideAnOpenFileIsGivenBackInTwoTicks() throws IOException {
        create(here, "big", 2).close();
        here.vfs().unlink(Vfs.ROOT, Name.of("big"));
        try (var opened = here.vfs().create(Vfs.ROOT, Name.of("next"), 0644, Owner.ROOT)) {
            opened.write(0, ByteBuffer.wrap(noise(BLOCK, 3)));
            assertThat(reclaim(2)).as("the blocks of 'big', with two files open").isEqualTo(3);
            opened.flush();
        }
        assertThat(read(file)).isEqualTo(noise(SIZE, 1));
    }

    @Test
    void aRemovedFileThatIsOpenStaysAndKeepsNothingElse() throws IOException {
        create(here, "big", 2).close();
        elsewhere.vfs().unlink(Vfs.ROOT, Name.of("f"));
        assertThat(reclaim(5)).isZero();
        elsewhere.vfs().unlink(Vfs.ROOT, Name.of("big"));
        try (var temporary = here.vfs().createUnnamed(Vfs.ROOT, 0600, Owner.ROOT)) {
            temporary.write(0, ByteBuffer.wrap(noise(BLOCK, 3)));
            temporary.flush();
            assertThat(reclaim(3)).as("the blocks of 'big'").isEqualTo(3);
            assertThat(read(temporary)).isEqualTo(noise(BLOCK, 3));
            here.vfs().place(temporary, Vfs.ROOT, Name.of("placed"));
            assertThat(reclaim(3)).isZero();
            assertThat(read(temporary)).isEqualTo(noise(BLOCK, 3));
        }
        assertThat(here.audit()).isEmpty();
        assertThat(read(file)).isEqualTo(noise(SIZE, 1));
        file.close();
        assertThat(reclaim(2)).isEqualTo(3);
    }

    /** The tree that a restore replaces is out of reach as a whole: its files have names, and lose them one by one. */
    @Test
    void aFileInATreeThatWasReplacedStaysWhileItIsOpen() throws IOException {
        long below = here.vfs().makeDirectory(Vfs.ROOT, Name.of("d"), 0755, Owner.ROOT).ino();
        try (var inTree = create(here, below, "g", 2)) {
            long tick = here.ticks().pin();
            clock.advance(Duration.ofSeconds(2));
            var trees = new Trees(engine, clock, elsewhere.names());
            trees.placeAsRoot(trees.copy(tick, Vfs.ROOT, Vfs.ROOT, Trees.Watcher.NONE), tick);
            elsewhere.ticks().unpin(tick);
            assertThat(reclaim(5)).isZero();
            assertThat(read(inTree)).isEqualTo(noise(SIZE, 2));
            inTree.write(0, ByteBuffer.wrap(noise(SIZE, 3)));
            inTree.flush();
            assertThat(reclaim(3)).isZero();
            assertThat(read(inTree)).isEqualTo(noise(SIZE, 3));
        }
        assertThat(reclaim(3)).as("what was written to a file that is gone").isEqualTo(3);
        assertThat(missed).hasValue(0);
    }

    @Test
    void rememberedExtentsAreForgottenBeforeTheirBlocksGo() throws IOException {
        assertThat(read(file)).isEqualTo(noise(SIZE, 1));
        overwrite(2);
        assertThat(reclaim(2)).isEqualTo(3);
        assertThat(read(file)).isEqualTo(noise(SIZE, 2));
        assertThat(missed).hasValue(0);
    }

    @Test
    void aReadUnderWayKeepsItsBlocks() throws IOException {
        store.onGet(() -> {
            overwrite(2);
            assertThat(reclaim(5)).as("a read is under way").isZero();
        });
        assertThat(read(file)).isEqualTo(noise(SIZE, 1));
        assertThat(reclaim(2)).isEqualTo(3);
        assertThat(read(file)).isEqualTo(noise(SIZE, 2));
        assertThat(missed).hasValue(0);
    }

    /** Reads that follow each other without a gap: the second begins before the first has ended. */
    @Test
    void readsWithoutAGapKeepNothingForEver() throws IOException {
        var counted = new int[1];
        store.onGet(() -> {
            overwrite(2);
            assertThat(reclaim(3)).isZero();
            store.onGet(() -> counted[0] = reclaim(3));   // in the middle of a read that began later
            assertThat(read(file)).isEqualTo(noise(SIZE, 2));
            assertThat(counted[0]).as("the first is still under way").isZero();
        });
        assertThat(read(file)).isEqualTo(noise(SIZE, 1));
        store.onGet(() -> counted[0] = reclaim(3));
        assertThat(read(file)).isEqualTo(noise(SIZE, 2));
        assertThat(counted[0]).as("the first has ended, another one is under way").isEqualTo(3);
        assertThat(missed).hasValue(0);
    }

    @Test
    void aFileThatIsMergedKeepsItsBlocks() throws IOException {
        store.onGet(() -> {
            overwrite(2);
            assertThat(reclaim(3)).isZero();
        });
        here.vfs().merging().compact(file.ino(), 0, 2, () -> false);
        assertThat(missed).hasValue(0);
    }

    /**
     * Threads read what another session overwrites and removes while all that can be deleted is: no get meets a block
     * that is gone.
     */
    @Test
    void noReadMeetsABlockThatIsGone() throws Exception {
        var done = new AtomicBoolean();
        var deleted = new AtomicInteger();
        try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            var reading = threads.submit(() -> readWhile(done));
            var again = threads.submit(() -> readWhile(done));
            try {
                for (int i = 0; i < kind.steps(100) || deleted.get() == 0 && i < 5_000; i++) {
                    overwrite(i);
                    create(elsewhere, "g", i).close();
                    deleted.addAndGet(reclaim(1));
                    elsewhere.vfs().unlink(Vfs.ROOT, Name.of("g"));
                }
            } finally {
                done.set(true);
            }
            assertThat(reading.get() + again.get()).isPositive();
        }
        assertThat(missed).hasValue(0);
        assertThat(deleted).hasPositiveValue();
    }

    private int readWhile(AtomicBoolean done) throws IOException {
        int reads = 0;
        while (!done.get() || reads == 0) {
            assertThat(read(file)).hasSize(SIZE);
            reads++;
        }
        return reads;
    }
}
