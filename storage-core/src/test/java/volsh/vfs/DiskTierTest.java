package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.memory.MemoryBlockStore;
import volsh.cache.MemoryCache;
import volsh.cache.disk.CacheDirectory;
import volsh.cache.disk.CacheSpace;
import volsh.cache.disk.DirectoryUsage;
import volsh.cache.disk.DiskTier;
import volsh.chunk.ChunkSettings;
import volsh.disk.OsDisk;
import volsh.engine.MetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.meta.EngineKind;
import volsh.meta.OnPostgres;

/**
 * Files read through a cache directory: from the store only what it does not have, and whatever happens to it, the
 * right bytes.
 */
@OnPostgres
final class DiskTierTest {
    private static final int BLOCK = 256 << 10;   // two frames
    private static final int SIZE = 4 * BLOCK - 100;

    @TempDir
    Path directory;

    private final Unreachable store = new Unreachable(new MemoryBlockStore(), new AtomicInteger(), new AtomicInteger());
    private final MetaEngine engine;
    private final ManualClock clock = new ManualClock();
    private final byte[] bytes = noise(SIZE, 1);

    DiskTierTest(EngineKind kind) throws IOException {
        engine = kind.open();
    }

    /** Counts gets; refuses them while {@code down} is not 0. */
    private record Unreachable(BlockStore delegate, AtomicInteger gets, AtomicInteger down) implements Forwarding {
        @Override
        public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
            gets.incrementAndGet();
            if (down.get() != 0) {
                throw new IOException("unreachable");
            }
            return delegate.get(key, offset, target);
        }
    }

    /** Gives frames with a wrong byte: nobody checks them but the codec. */
    private record Lying(DiskTier delegate, AtomicInteger drops) implements DiskTier {
        @Override
        public boolean isOn() {
            return true;
        }

        @Override
        public boolean[] read(long block, int first, int[] lengths, ByteBuffer stored) {
            var here = delegate.read(block, first, lengths, stored);
            for (int i = 0, at = stored.position(); i < here.length; at += lengths[i++]) {
                if (here[i]) {
                    stored.put(at + lengths[i] / 2, (byte) ~stored.get(at + lengths[i] / 2));
                }
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

    private CacheDirectory tier() throws IOException {
        return new CacheDirectory(new OsDisk(), directory.resolve("cache"),
                new CacheSpace(1 << 30, 0, () -> Long.MAX_VALUE), Runnable::run);
    }

    private TestVolume open(DiskTier tier) throws IOException {
        return TestVolume.open(engine, store, new ChunkSettings(BLOCK, 0, 8 << 20), Runnable::run, clock,
                new MemoryCache(0, 1), tier);
    }

    private OpenFile written(TestVolume volume) throws IOException {
        var file = volume.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT);
        file.write(0, ByteBuffer.wrap(bytes));
        file.flush();
        store.gets().set(0);
        return file;
    }

    private void assertReads(OpenFile file, int offset, int length) throws IOException {
        var target = ByteBuffer.allocateDirect(length);
        assertThat(file.read(offset, target)).isEqualTo(length);
        var found = new byte[length];
        target.flip().get(found);
        if (!Arrays.equals(found, Arrays.copyOfRange(bytes, offset, offset + length))) {
            throw new AssertionError("wrong bytes at %d, %d of them".formatted(offset, length));
        }
    }

    @Test
    void whatWasJustWrittenIsThereAndStaysWhenTheStoreIsGone() throws IOException {
        try (var volume = open(tier()); var file = written(volume)) {
            store.down().set(1);
            assertReads(file, 0, SIZE);
            assertReads(file, 77_777, 5);
            assertThat(store.gets().get()).isZero();
        }
        try (var volume = open(tier());
                var file = volume.vfs().open(volume.vfs().lookup(Vfs.ROOT, Name.of("f")).ino())) {
            assertReads(file, 0, SIZE);
            assertThat(store.gets().get()).isZero();
            removeFiles();
            assertThatThrownBy(() -> assertReads(file, 0, SIZE)).hasMessageContaining("unreachable");
            store.down().set(0);
            store.gets().set(0);
            assertReads(file, 0, 100);
            assertReads(file, 100, 100);
            assertThat(store.gets().get()).as("one for the frame of both").isEqualTo(1);
            assertReads(file, 0, BLOCK);
            assertThat(store.gets().get()).as("the other frame").isEqualTo(2);
            assertReads(file, 0, BLOCK);
            assertThat(store.gets().get()).isEqualTo(2);
        }
    }

    private List<Path> files() throws IOException {
        try (var all = Files.walk(directory.resolve("cache"))) {
            return all.filter(path -> path.getFileName().toString().matches("[0-9a-f]{16}")).sorted().toList();
        }
    }

    private void removeFiles() throws IOException {
        for (var path : files()) {
            Files.delete(path);
        }
    }

    @Test
    void everyDamageIsFoundAndHealedFromTheStore() throws IOException {
        int damages = 500;
        long seed = new Random().nextLong();
        System.out.println("cache damage seed " + seed);
        var random = new Random(seed);
        int flips = 0;
        int healed = 0;
        try (var volume = open(tier()); var file = written(volume)) {
            var files = files();   // to look for them among 256 directories each time would take most of the time
            assertThat(files).hasSize(4);
            for (int i = 0; i < damages; i++) {
                var victim = files.get(random.nextInt(4));
                boolean flip = random.nextInt(3) > 0;
                flips += flip ? 1 : 0;
                damage(victim, flip, random);
                long found = usage(volume).damaged();
                int gets = store.gets().get();
                assertReads(file, 0, SIZE);
                assertThat(usage(volume).damaged() - found).as("damage %d of %s", i, victim).isEqualTo(1);
                healed += store.gets().get() - gets;
                assertThat(victim).as("it is there again").exists();
            }
            System.out.printf("%d flips, %d cuts: %d detected, %d frames or runs fetched again, no error%n",
                    flips, damages - flips, usage(volume).damaged(), healed);
            assertThat(usage(volume).damaged()).isEqualTo(damages);
            assertThat(healed).isGreaterThanOrEqualTo(damages);
        }
    }

    /**
     * The same for those who read a few bytes here and there: each is checked by itself, and none of them gets a wrong
     * one.
     */
    @Test
    void everyDamageIsFoundBySmallReads() throws IOException {
        int damages = 500;
        long seed = new Random().nextLong();
        System.out.println("cache damage seed, small reads " + seed);
        var random = new Random(seed);
        try (var volume = open(tier()); var file = written(volume)) {
            var files = files();
            int pieces = 0;
            for (int i = 0; i < damages; i++) {
                int block = random.nextInt(4);
                damage(files.get(block), random.nextInt(3) > 0, random);
                long found = usage(volume).damaged();
                int begin = block * BLOCK;
                int end = Math.min(SIZE, begin + BLOCK);
                for (int at = begin; at < end; pieces++) {
                    int length = Math.min(end - at, random.nextBoolean() ? 4096 : 1 + random.nextInt(12_000));
                    assertReads(file, at, length);
                    at += length;
                }
                assertThat(usage(volume).damaged() - found).as("damage %d of block %d", i, block).isEqualTo(1);
                assertThat(files.get(block)).as("it is there again").exists();
            }
            System.out.printf("%d damages, %d small reads: %d detected, no error%n", damages, pieces,
                    usage(volume).damaged());
        }
    }

    /** What a small read brings from the disk is what it asks for: the rest of the frame may be gone. */
    @Test
    void aSmallReadReadsNoMore() throws IOException {
        try (var volume = open(tier()); var file = written(volume)) {
            store.down().set(1);
            for (var path : files()) {
                try (var channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
                    channel.truncate(channel.size() - 100);
                }
            }
            for (int block = 0; block < 4; block++) {
                assertReads(file, block * BLOCK + 128_000, 3000);
                assertReads(file, block * BLOCK + 140_000, 4096);
            }
            assertThat(store.gets().get()).isZero();
            assertThat(usage(volume).damaged()).isZero();
            assertThatThrownBy(() -> assertReads(file, SIZE - 50, 50)).as("control: this is where it was cut")
                    .hasMessageContaining("unreachable");
            assertThat(usage(volume).damaged()).isEqualTo(1);
        }
    }

    /**
     * Negative control: wrong bytes from a tier that does not check its pieces reach the reader, because nobody else
     * can check them.
     */
    @Test
    void whoDoesNotCheckPiecesIsNoted() throws IOException {
        try (var volume = open(new LyingPieces(tier())); var file = written(volume)) {
            assertThatThrownBy(() -> assertReads(file, 4096, 4096)).hasMessageContaining("wrong bytes");
            assertReads(file, 0, SIZE);
        }
    }

    private record LyingPieces(DiskTier delegate) implements DiskTier {
        @Override
        public boolean isOn() {
            return true;
        }

        @Override
        public boolean[] read(long block, int first, int[] lengths, ByteBuffer stored) {
            return delegate.read(block, first, lengths, stored);
        }

        @Override
        public boolean readPiece(long block, int frame, int length, int from, ByteBuffer target) {
            int at = target.position();
            boolean here = delegate.readPiece(block, frame, length, from, target);
            target.put(at, (byte) ~target.get(at));
            return here;
        }

        @Override
        public void offer(long block, int frameCount, int first, ByteBuffer[] stored) {
            delegate.offer(block, frameCount, first, stored);
        }
    }

    private static DirectoryUsage usage(TestVolume volume) {
        return volume.caches().directories().getFirst();
    }

    private static void damage(Path file, boolean flip, Random random) throws IOException {
        try (var channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long at = random.nextBoolean() ? random.nextLong(channel.size()) : random.nextLong(64);   // the head too
            if (!flip) {
                channel.truncate(at);
                return;
            }
            var one = ByteBuffer.allocate(1);
            assertThat(channel.read(one, at)).isEqualTo(1);
            one.put(0, (byte) (one.get(0) ^ 1 << random.nextInt(8)));
            assertThat(channel.write(one.flip(), at)).isEqualTo(1);
        }
        // some kernels' clocks tick too slowly for this test
        Files.setLastModifiedTime(file, FileTime.fromMillis(random.nextLong(1L << 40)));
    }

    /**
     * Negative control: without the checksums of the files the codec still notices; it is asked, and all comes from the
     * store.
     */
    @Test
    void aTierThatLiesIsNotBelieved() throws IOException {
        var lying = new Lying(tier(), new AtomicInteger());
        try (var volume = open(lying); var file = written(volume)) {
            assertReads(file, 0, SIZE);
            assertThat(lying.drops().get()).isEqualTo(4);
            assertThat(store.gets().get()).isEqualTo(4);
        }
    }
}
