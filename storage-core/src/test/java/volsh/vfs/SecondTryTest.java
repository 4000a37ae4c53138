package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.NoSuchBlockException;
import volsh.block.memory.MemoryBlockStore;
import volsh.cache.MemoryCache;
import volsh.cache.disk.CacheDirectory;
import volsh.cache.disk.CacheSpace;
import volsh.cache.disk.DiskTier;
import volsh.chunk.ChunkSettings;
import volsh.codec.CorruptBlockException;
import volsh.disk.OsDisk;
import volsh.engine.MetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.meta.EngineKind;
import volsh.meta.OnPostgres;

/**
 * What arrives damaged is got once more and nobody notices; what is damaged in the store is an error that names the
 * block.
 */
@OnPostgres
final class SecondTryTest {
    private static final int BLOCK = 512 << 10;   // four frames
    private static final int SIZE = 3 * BLOCK - 100;
    private static final int EVERY = 3;

    @TempDir
    Path directory;

    private final long seed = Long.getLong("volsh.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final Unsteady store = new Unsteady(random);
    private final MetaEngine engine;
    private final ManualClock clock = new ManualClock();
    private final byte[] bytes = noise(SIZE, 1);

    SecondTryTest(EngineKind kind) throws IOException {
        engine = kind.open();
    }

    private enum Trouble { FLIPPED, CUT_SHORT, MISSING }

    /** Spoils the answer of every so many gets, and of those right behind it if there are to be more in a row. */
    private static final class Unsteady implements Forwarding {
        private final MemoryBlockStore memory = new MemoryBlockStore();
        private final Random random;
        private Trouble trouble = Trouble.FLIPPED;
        private int every = Integer.MAX_VALUE;
        private int row = 1;
        private int gets;
        private int spoilt;

        Unsteady(Random random) {
            this.random = random;
        }

        @Override
        public BlockStore delegate() {
            return memory;
        }

        void spoil(Trouble now, int each, int inARow) {
            trouble = now;
            every = each;
            row = inARow;
            gets = 0;
        }

        @Override
        public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
            boolean well = gets++ % every >= row;
            int start = target.position();
            int count = memory.get(key, offset, target);
            if (well) {
                return count;
            }
            spoilt++;
            return switch (trouble) {
                case FLIPPED -> {
                    int at = start + random.nextInt(count);
                    target.put(at, (byte) (target.get(at) ^ 1 << random.nextInt(8)));
                    yield count;
                }
                case CUT_SHORT -> {
                    target.position(start + random.nextInt(count));
                    yield target.position() - start;
                }
                case MISSING -> throw new NoSuchBlockException(key);
            };
        }
    }

    private TestVolume open(long cache, DiskTier tier) throws IOException {
        System.out.println("second try seed " + seed);
        return TestVolume.open(engine, store, new ChunkSettings(BLOCK, 0, 8 << 20, cache, 0), Runnable::run, clock,
                new MemoryCache(cache, 1 << 17), tier);
    }

    private OpenFile written(TestVolume volume) throws IOException {
        var file = volume.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT);
        file.write(0, ByteBuffer.wrap(bytes));
        file.flush();
        return file;
    }

    private void assertReads(OpenFile file, int offset, ByteBuffer target) throws IOException {
        int length = target.remaining();
        assertThat(file.read(offset, target)).isEqualTo(length);
        assertThat(target.flip().mismatch(ByteBuffer.wrap(bytes, offset, length))).as("wrong byte").isEqualTo(-1);
    }

    private void readAround(OpenFile file) throws IOException {
        for (int i = 0; i < 50; i++) {
            int length = 1 + random.nextInt(i % 2 == 0 ? 5_000 : SIZE - 1);
            var target = i % 3 == 0 ? ByteBuffer.allocate(length) : ByteBuffer.allocateDirect(length);
            assertReads(file, random.nextInt(SIZE - length + 1), target);
        }
    }

    private CacheDirectory tier() throws IOException {
        return new CacheDirectory(new OsDisk(), directory.resolve("cache"),
                new CacheSpace(1 << 30, 0, () -> Long.MAX_VALUE), Runnable::run);
    }

    private void emptyTheTier() throws IOException {
        try (var all = Files.walk(directory.resolve("cache"))) {
            for (var path : all.filter(each -> each.getFileName().toString().matches("[0-9a-f]{16}")).toList()) {
                Files.delete(path);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatHappensOnTheWayIsNoError(Trouble trouble) throws IOException {
        for (long cache : List.of(0L, 1L << 20)) {
            try (var volume = open(cache, DiskTier.NONE); var file = written(volume)) {
                store.spoil(trouble, EVERY, 1);
                int before = store.spoilt;
                readAround(file);
                assertThat(store.spoilt - before).as("answers spoilt").isGreaterThan(10);
                assertThat(volume.caches().rereads()).as("but for what was read ahead and not needed")
                        .isBetween(10L, (long) store.spoilt - before);
                volume.vfs().unlink(Vfs.ROOT, Name.of("f"));
            }
        }
    }

    /** Negative control: the same, so that the second answer is spoilt too. */
    @ParameterizedTest
    @EnumSource
    void withoutASecondGoodAnswerItWouldBeOne(Trouble trouble) throws IOException {
        try (var volume = open(0, DiskTier.NONE); var file = written(volume)) {
            store.spoil(trouble, 4, 2);
            assertThatThrownBy(() -> readAround(file)).isInstanceOf(CorruptBlockException.class);
        }
    }

    @Test
    void rightAnswersAreAskedForOnce() throws IOException {
        try (var volume = open(0, DiskTier.NONE); var file = written(volume)) {
            store.spoil(Trouble.FLIPPED, Integer.MAX_VALUE, 0);
            assertReads(file, 0, ByteBuffer.allocateDirect(SIZE));
            assertThat(store.gets).as("one for each block").isEqualTo(3);
            assertThat(volume.caches().rereads()).isZero();
        }
    }

    @Test
    void damageInTheStoreIsAnErrorThatNamesTheBlock() throws IOException {
        try (var volume = open(0, DiskTier.NONE); var file = written(volume)) {
            var block = store.memory.list("blocks/").toList().getFirst();
            var stored = ByteBuffer.allocate((int) block.size());
            assertThat(store.memory.get(block.key(), 0, stored)).isEqualTo(block.size());
            var name = "block %d of".formatted(block.key().block().getAsLong());
            store.memory.put(block.key(),
                    stored.flip().put(stored.limit() - 7, (byte) ~stored.get(stored.limit() - 7)));
            assertFails(file, name);
            store.memory.put(block.key(), stored.slice(0, stored.limit() - 1));
            assertFails(file, name);
            store.memory.delete(block.key());
            assertFails(file, name);
        }
    }

    private void assertFails(OpenFile file, String block) {
        store.spoil(Trouble.FLIPPED, Integer.MAX_VALUE, 0);
        assertThatThrownBy(() -> file.read(0, ByteBuffer.allocateDirect(SIZE)))
                .isInstanceOf(CorruptBlockException.class).hasMessageContaining(block);
        assertThat(store.gets).as("at most one for each block, and one more").isBetween(2, 4);
    }

    /** Frames that were fetched in vain do not get into the cache directory, also if it lied itself. */
    @Test
    void aCacheDirectoryHoldsWhatWasRightInTheEnd() throws IOException {
        var lying = new Lying(tier(), new AtomicBoolean(true), new AtomicInteger());
        for (long cache : List.of(0L, 1L << 20)) {
            try (var volume = open(cache, lying); var file = written(volume)) {
                store.spoil(Trouble.FLIPPED, EVERY, 1);
                for (int round = 0; round < 20; round++) {
                    assertReads(file, 0, ByteBuffer.allocateDirect(SIZE));
                }
                assertThat(volume.caches().rereads()).isPositive();
            }
            lying.lies.set(false);
            lying.drops.set(0);
            store.spoil(Trouble.FLIPPED, Integer.MAX_VALUE, 0);
            try (var volume = open(0, lying);
                    var file = volume.vfs().open(volume.vfs().lookup(Vfs.ROOT, Name.of("f")).ino())) {
                assertReads(file, 0, ByteBuffer.allocateDirect(SIZE));
                assertThat(lying.drops.get()).as("damaged blocks in the directory").isZero();
                volume.vfs().unlink(Vfs.ROOT, Name.of("f"));
            }
            lying.lies.set(true);
        }
    }

    /** The same for what is fetched before anybody reads it. */
    @Test
    void warmingTriesAgainToo() throws IOException {
        try (var volume = open(0, tier()); var file = written(volume)) {
            emptyTheTier();
            volume.caches().recount();
            store.spoil(Trouble.FLIPPED, 2, 1);
            warm(volume, file);
            assertThat(volume.caches().rereads()).isEqualTo(3);
            store.spoil(Trouble.MISSING, 1, 1);
            assertReads(file, 0, ByteBuffer.allocateDirect(SIZE));
            emptyTheTier();
            volume.caches().recount();
            store.spoil(Trouble.FLIPPED, 1, 1);
            assertThatThrownBy(() -> warm(volume, file)).as("negative control")
                    .isInstanceOf(CorruptBlockException.class);
        }
    }

    private static void warm(TestVolume volume, OpenFile file) throws IOException {
        try (var load = volume.caches().load(4 << 20)) {
            for (var row : volume.names().files().content(file.ino(), 0, SIZE).blocks().values()) {
                var loaded = load.load(row, load.frames(row, 0, row.rawSize()), volume.caches().requests().claim(false),
                        bytes -> {});
                assertThat(loaded.fetched()).isPositive();
            }
        }
    }

    /** Gives the last frame of all with a wrong byte, while it lies. */
    private record Lying(DiskTier delegate, AtomicBoolean lies, AtomicInteger drops) implements DiskTier {
        @Override
        public boolean isOn() {
            return true;
        }

        @Override
        public boolean[] read(long block, int first, int[] lengths, ByteBuffer stored) {
            var here = delegate.read(block, first, lengths, stored);
            int last = here.length - 1;
            if (here[last] && lies.get()) {
                int at = stored.limit() - lengths[last] + 20;
                stored.put(at, (byte) ~stored.get(at));
            }
            return here;
        }

        @Override
        public void offer(long block, int frameCount, int first, ByteBuffer[] stored) {
            delegate.offer(block, frameCount, first, stored);
        }

        @Override
        public void drop(long block) {
            drops.incrementAndGet();
            delegate.drop(block);
        }
    }
}
