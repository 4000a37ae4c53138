package volsh.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.cache.disk.TierFixture.FRAMES;
import static volsh.cache.disk.TierFixture.ROOT;
import static volsh.cache.disk.TierFixture.bytes;
import static volsh.cache.disk.TierFixture.offer;
import static volsh.cache.disk.TierFixture.read;
import static volsh.cache.disk.TierFixture.readPiece;
import static volsh.cache.disk.TierFixture.room;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.cache.EvictionPolicy;
import volsh.cache.FrameKey;
import volsh.disk.Disk;
import volsh.disk.OsDisk;
import volsh.disk.SimulatedDisk;
import volsh.hang.Eventually;

/** What a cache directory keeps, what it gives up, and that nobody suffers from its troubles. */
final class CacheDirectoryTest {
    private static final long PLENTY = 1 << 30;

    @TempDir
    Path directory;

    private final SimulatedDisk disk = new SimulatedDisk();
    private final TierFixture fixture = new TierFixture(disk, ROOT);

    private static DirectoryUsage usage(DiskTier tier) {
        return tier.usage().getFirst();
    }

    @Test
    void whatIsOfferedIsThereAlsoAfterARestart() throws IOException {
        try (var tier = fixture.open(room(PLENTY))) {
            assertThat(read(tier, 1, 0, FRAMES)).isZero();
            offer(tier, 1, 2, 2);
            offer(tier, 1, 2, 1);
            assertThat(read(tier, 1, 0, FRAMES)).isEqualTo(2);
            offer(tier, 1, 0, FRAMES);
            offer(tier, 0xabcdefL << 32, 0, FRAMES);
            assertThat(read(tier, 1, 0, FRAMES)).isEqualTo(FRAMES);
            assertThat(usage(tier)).extracting(DirectoryUsage::hits, DirectoryUsage::misses, DirectoryUsage::kept,
                    DirectoryUsage::blocks).containsExactly(8L, 10L, 12L, 2L);
        }
        try (var tier = fixture.open(room(PLENTY))) {
            assertThat(usage(tier).blocks()).isEqualTo(2);
            assertThat(usage(tier).bytes()).isEqualTo(bytes(disk, ROOT));
            assertThat(read(tier, 1, 0, FRAMES)).isEqualTo(FRAMES);
            assertThat(read(tier, 0xabcdefL << 32, 5, 1)).isEqualTo(1);
            tier.drop(1);
            assertThat(read(tier, 1, 0, FRAMES)).isZero();
            assertThat(usage(tier).damaged()).isZero();
        }
    }

    /** The listing comes later: until then blocks are found by their names, and nothing is kept. */
    @Test
    void readsBeforeItKnowsWhatIsThere() throws IOException {
        try (var tier = fixture.open(room(PLENTY))) {
            offer(tier, 1, 0, FRAMES);
            offer(tier, 2, 0, FRAMES);
        }
        var later = new ArrayDeque<Runnable>();
        try (var tier = new CacheDirectory(disk, ROOT, room(PLENTY), later::add)) {
            assertThat(read(tier, 1, 0, FRAMES)).isEqualTo(FRAMES);
            assertThat(read(tier, 3, 0, FRAMES)).isZero();
            offer(tier, 3, 0, FRAMES);
            assertThat(read(tier, 3, 0, FRAMES)).isZero();
            while (!later.isEmpty()) {
                later.poll().run();
            }
            assertThat(read(tier, 3, 0, FRAMES)).isEqualTo(FRAMES);
            assertThat(usage(tier).blocks()).isEqualTo(3);
            assertThat(usage(tier).bytes()).isEqualTo(bytes(disk, ROOT));
        }
    }

    @Test
    void holdsItsQuotaAndTheFloorOfTheDiskUnderRandomLoad() throws IOException {
        long seed = new Random().nextLong();
        System.out.println("cache quota seed " + seed);
        var random = new Random(seed);
        long quota = 200_000;
        long floor = 50_000;
        long[] free = new long[1];
        long evictions = 0;
        long kept = 0;
        for (int round = 0; round < 4; round++) {
            var tiers = new ArrayList<CacheDirectory>();
            CacheSpace.FreeSpace space = () -> free[0] - (tiers.isEmpty() ? 0 : usage(tiers.getFirst()).bytes());
            try (var tier = fixture.open(new CacheSpace(quota, floor, space))) {
                tiers.add(tier);
                for (int i = 0; i < 1000; i++) {
                    free[0] = i % 200 < 100 ? 300_000 : 180_000;   // somebody else fills the disk, and clears it again
                    long block = random.nextInt(30) + i / 100 * 10;
                    int first = random.nextInt(FRAMES);
                    int count = 1 + random.nextInt(FRAMES - first);
                    read(tier, block, first, count);
                    long before = usage(tier).kept();
                    offer(tier, block, first, count);
                    assertThat(usage(tier).bytes()).isLessThanOrEqualTo(quota);
                    if (usage(tier).kept() > before) {
                        assertThat(space.bytes()).isGreaterThanOrEqualTo(floor);
                    }
                }
                assertThat(bytes(disk, ROOT)).as("what it believes").isEqualTo(usage(tier).bytes());
                evictions += usage(tier).evictions();
                kept += usage(tier).kept();
                assertThat(usage(tier).hits()).isPositive();
                assertThat(usage(tier).failures()).isZero();
            }
        }
        System.out.printf("%d frames kept, %d blocks evicted%n", kept, evictions);
        assertThat(evictions).isGreaterThan(20);
    }

    @Test
    void givesWayWhenTheDiskGetsShort() throws IOException {
        long[] free = {PLENTY};
        try (var tier = fixture.open(new CacheSpace(PLENTY, 1000, () -> free[0]))) {
            for (int block = 0; block < 20; block++) {
                offer(tier, block, 0, FRAMES);
            }
            free[0] = 500;
            offer(tier, 99, 0, FRAMES);
            assertThat(usage(tier).blocks()).isZero();
            assertThat(usage(tier).skipped()).isEqualTo(FRAMES);
        }
    }

    @Test
    void aSmallerQuotaIsMetAtTheNextStart() throws IOException {
        try (var tier = fixture.open(room(PLENTY))) {
            for (int block = 0; block < 50; block++) {
                offer(tier, block, 0, FRAMES);
            }
        }
        try (var tier = fixture.open(room(50_000))) {
            assertThat(bytes(disk, ROOT)).isEqualTo(usage(tier).bytes()).isBetween(20_000L, 50_000L);
        }
    }

    /**
     * Readers, a writer that evicts for them, and deletions: no wrong byte, and nobody takes a file that is being made
     * for damage.
     */
    @Test
    void manyThreadsAgree() throws Exception {
        long seed = new Random().nextLong();
        System.out.println("cache threads seed " + seed);
        var root = directory.resolve("volume");
        var writer = Executors.newSingleThreadExecutor();
        var threads = Executors.newFixedThreadPool(4);
        try (var tier = new CacheDirectory(new OsDisk(), root, room(150_000), writer, new Ruthless(),
                new SplittableRandom(seed), System::nanoTime)) {
            var found = new ArrayList<Future<Integer>>();
            for (int thread = 0; thread < 4; thread++) {
                var random = new Random(seed + thread);
                found.add(threads.submit(() -> work(tier, random)));
            }
            int frames = 0;
            for (var one : found) {
                frames += one.get();
            }
            writer.submit(() -> { }).get();
            for (int block = 0; block < 24; block++) {   // the writer may have been behind all the time
                frames += read(tier, block, 0, FRAMES);
            }
            System.out.printf("%d frames found, %s%n", frames, usage(tier));
            assertThat(frames).isPositive();
            assertThat(usage(tier).evictions()).isPositive();
            assertThat(usage(tier).damaged()).isZero();
            assertThat(usage(tier).failures()).isZero();
            assertThat(usage(tier).bytes()).isEqualTo(bytes(new OsDisk(), root)).isLessThanOrEqualTo(150_000);
        } finally {
            threads.shutdown();
            writer.shutdown();
        }
    }

    /** Any block may go at any time. */
    private static final class Ruthless implements EvictionPolicy {
        @Override
        public void accessed(FrameKey key, long now) {}

        @Override
        public boolean mayEvict(long idle) {
            return true;
        }
    }

    private static int work(DiskTier tier, Random random) {
        int found = 0;
        for (int i = 0; i < 1500; i++) {
            long block = random.nextInt(24);
            int first = random.nextInt(FRAMES);
            int count = 1 + random.nextInt(FRAMES - first);
            switch (random.nextInt(10)) {
                case 0 -> tier.drop(block);
                case 1, 2, 3, 4 -> offer(tier, block, first, count);
                case 5, 6 -> found += readPiece(tier, block, first, 100, 50) ? 1 : 0;
                default -> found += read(tier, block, first, count);
            }
        }
        return found;
    }

    /** Any piece of any frame, whoever writes and deletes meanwhile: the right bytes or none. */
    @Test
    void piecesOfFramesAreRightOrMissing() throws IOException {
        long seed = new Random().nextLong();
        System.out.println("cache pieces seed " + seed);
        var random = new Random(seed);
        int found = 0;
        try (var tier = fixture.open(room(PLENTY))) {
            for (int i = 0; i < 4000; i++) {
                long block = random.nextInt(12);
                int frame = random.nextInt(FRAMES);
                int length = TierFixture.length(block, frame);
                int from = random.nextInt(length);
                int count = 1 + random.nextInt(Math.min(length / 2, length - from));
                switch (random.nextInt(20)) {
                    case 0 -> tier.drop(block);
                    case 1, 2 -> offer(tier, block, frame, 1);
                    case 3 -> offer(tier, block, 0, FRAMES);
                    default -> found += readPiece(tier, block, frame, from, count) ? 1 : 0;
                }
            }
            assertThat(readPiece(tier, 1, 0, 0, TierFixture.length(1, 0))).as("more than half is not a piece")
                    .isFalse();
            assertThat(usage(tier).damaged()).isZero();
            assertThat(usage(tier).hits()).isEqualTo(found);
        }
        assertThat(found).isGreaterThan(1000);
    }

    @Test
    void filesStayOpenUntilTheyChangeOrAreTooMany() throws IOException {
        var root = directory.resolve("volume");
        try (var tier = new TierFixture(new OsDisk(), root).open(room(PLENTY))) {
            for (int block = 0; block < 6; block++) {
                offer(tier, block, 0, 3);
            }
        }
        var files = new BlockFiles(new OsDisk(), root);
        try (var open = new OpenBlocks(files, 3)) {
            OpenBlock first;
            try (var taken = open.take(0); var again = open.take(0)) {
                first = taken;
                assertThat(again).isSameAs(first);
            }
            for (int block = 1; block < 6; block++) {
                open.take(block).close();
            }
            assertThat(open.count()).isEqualTo(3);
            try (var later = open.take(0)) {
                assertThat(later).isNotSameAs(first);
                open.forget(0);
                assertThat(later.position(0)).as("who has it keeps it").isPositive();
                assertThat(later.file().size()).isPositive();
            }
            assertThat(open.count()).isEqualTo(2);
            var path = root.resolve("05").resolve("0000000000000005");
            Files.delete(path);
            assertThatThrownBy(() -> open.take(5)).isInstanceOf(NoSuchFileException.class);
        }
    }

    /** Whoever is interrupted closes the file under those who share it: they open it once more. */
    @Test
    void anInterruptedReaderCostsTheOthersNothing() throws Exception {
        var root = directory.resolve("volume");
        try (var tier = new TierFixture(new OsDisk(), root).open(room(PLENTY))) {
            offer(tier, 1, 0, FRAMES);
            assertThat(read(tier, 1, 0, FRAMES)).isEqualTo(FRAMES);
            var interrupted = new Thread(() -> {
                Thread.currentThread().interrupt();
                read(tier, 1, 0, FRAMES);
            });
            interrupted.start();
            interrupted.join();
            assertThat(read(tier, 1, 0, FRAMES)).isEqualTo(FRAMES);
            assertThat(usage(tier).failures()).isZero();
        }
    }

    /** The training loop: what LRU would lose all of. */
    @Test
    void keepsAPartOfADataSetThatIsTooLarge() throws IOException {
        long seed = 5;
        var random = new Random(seed);
        int blocks = 250;
        long all = 0;
        for (int block = 0; block < blocks; block++) {
            all += TierFixture.size(block);
        }
        try (var tier = fixture.open(room(all * 4 / 5))) {
            var order = new ArrayList<Integer>();
            for (int block = 0; block < blocks; block++) {
                order.add(block);
            }
            int found = 0;
            int epochs = 8;
            for (int epoch = 0; epoch <= epochs; epoch++) {
                Collections.shuffle(order, random);
                for (int block : order) {
                    int here = read(tier, block, 0, FRAMES);
                    found += epoch > 0 ? here : 0;
                    if (here < FRAMES) {
                        offer(tier, block, 0, FRAMES);
                    }
                }
            }
            double ratio = (double) found / (epochs * blocks * FRAMES);
            System.out.printf("disk tier: %.1f %% hits of a set of 1.25 x the cache, shuffled, "
                    + "from the second pass on%n", 100 * ratio);
            assertThat(ratio).isGreaterThan(0.75);
        }
    }

    // ---- trouble

    @Test
    void aFullDiskIsByPassedForAWhile() throws IOException {
        disk.capacity(60_000);
        try (var tier = fixture.open(room(PLENTY))) {
            for (int block = 0; block < 20; block++) {
                offer(tier, block, 0, FRAMES);
            }
            assertThat(usage(tier).failures()).as("tried once, then left alone").isEqualTo(1);
            assertThat(usage(tier).up()).isFalse();
            long kept = usage(tier).blocks();
            assertThat(kept).isPositive();
            assertThat(read(tier, 0, 0, FRAMES)).as("reads go on").isEqualTo(FRAMES);
            assertThat(bytes(disk, ROOT)).isEqualTo(usage(tier).bytes());
            disk.capacity(PLENTY);
            fixture.nanos.addAndGet(Duration.ofMinutes(1).toNanos());
            offer(tier, 99, 0, FRAMES);
            assertThat(read(tier, 99, 0, FRAMES)).isEqualTo(FRAMES);
            assertThat(usage(tier).up()).isTrue();
        }
    }

    /** Never answers while it is told not to. */
    private record Hanging(Disk delegate, AtomicReference<CountDownLatch> hold, AtomicLong asked) implements Disk {
        @Override
        public File open(Path path) throws IOException {
            return delegate.open(path);
        }

        @Override
        public File edit(Path path) throws IOException {
            return delegate.edit(path);
        }

        @Override
        public File create(Path path) throws IOException {
            return delegate.create(path);
        }

        @Override
        public void makeDirectories(Path made) throws IOException {
            delegate.makeDirectories(made);
        }

        @Override
        public void rename(Path from, Path to) throws IOException {
            delegate.rename(from, to);
        }

        @Override
        public void link(Path from, Path to) throws IOException {
            delegate.link(from, to);
        }

        @Override
        public void delete(Path path) throws IOException {
            delegate.delete(path);
        }

        @Override
        public List<Listed> list(Path listed) throws IOException {
            return delegate.list(listed);
        }

        @Override
        public Optional<Stamp> stamp(Path path) throws IOException {
            asked.incrementAndGet();
            try {
                hold.get().await();
            } catch (InterruptedException stop) {
                throw new IOException(stop);
            }
            return delegate.stamp(path);
        }

        @Override
        public void syncDirectory(Path synced) throws IOException {
            delegate.syncDirectory(synced);
        }
    }

    @Test
    void aDiskThatHangsKeepsOnlyThoseWhoAskedItBefore() throws Exception {
        var hanging = new Hanging(disk, new AtomicReference<>(new CountDownLatch(0)), new AtomicLong());
        var hung = new TierFixture(hanging, ROOT);
        try (var tier = hung.open(room(PLENTY)); var threads = Executors.newCachedThreadPool()) {
            hung.nanos.set(1);
            offer(tier, 1, 0, FRAMES);
            offer(tier, 2, 0, FRAMES);
            assertThat(read(tier, 1, 0, FRAMES)).isEqualTo(FRAMES);
            var latch = new CountDownLatch(1);
            hanging.hold().set(latch);
            long before = hanging.asked().get();
            var stuck = threads.submit(() -> read(tier, 1, 0, FRAMES));
            Eventually.holds("the disk is asked", () -> hanging.asked().get() > before);
            assertThat(usage(tier).up()).isTrue();
            hung.nanos.addAndGet(Duration.ofSeconds(3).toNanos());
            assertThat(read(tier, 2, 0, FRAMES)).as("goes by without asking").isZero();
            assertThat(hanging.asked().get()).isEqualTo(before + 1);
            assertThat(usage(tier).up()).isFalse();
            latch.countDown();
            assertThat(stuck.get()).as("late, and right").isEqualTo(FRAMES);
            assertThat(read(tier, 2, 0, FRAMES)).isEqualTo(FRAMES);
            assertThat(usage(tier).up()).isTrue();
        }
    }

    /**
     * A mount has 12 threads: if all of them hung in a disk nobody would be served, not even who needs nothing of it.
     */
    @Test
    void notEverybodyHangsInADisk() throws Exception {
        var hanging = new Hanging(disk, new AtomicReference<>(new CountDownLatch(0)), new AtomicLong());
        var hung = new TierFixture(hanging, ROOT);
        try (var tier = hung.open(room(PLENTY)); var threads = Executors.newCachedThreadPool()) {
            hung.nanos.set(1);
            offer(tier, 1, 0, FRAMES);
            var latch = new CountDownLatch(1);
            hanging.hold().set(latch);
            long before = hanging.asked().get();
            var readers = new ArrayList<Future<Integer>>();
            for (int i = 0; i < 12; i++) {
                readers.add(threads.submit(() -> read(tier, 1, 0, FRAMES)));
            }
            Eventually.holds("as many as may are inside", () -> hanging.asked().get() >= before + HungDisk.INSIDE_MAX);
            hung.nanos.addAndGet(Duration.ofSeconds(3).toNanos());
            Eventually.holds("the others are done",
                    () -> readers.stream().filter(Future::isDone).count() >= 12 - HungDisk.INSIDE_MAX);
            assertThat(hanging.asked().get()).as("inside").isEqualTo(before + HungDisk.INSIDE_MAX);
            latch.countDown();
            int found = 0;
            for (var reader : readers) {
                found += reader.get() == FRAMES ? 1 : 0;
            }
            assertThat(found).as("late, and right; the others were told to go to the store")
                    .isEqualTo(HungDisk.INSIDE_MAX);
            assertThat(read(tier, 1, 0, FRAMES)).isEqualTo(FRAMES);
        }
    }

    @Test
    void noFailingCallReachesTheReader() throws IOException {
        long failures = 0;
        for (int n = 1; n < 60; n++) {
            var failing = new SimulatedDisk();
            try (var tier = new TierFixture(failing, ROOT).open(room(PLENTY))) {
                failing.failCall(n);
                for (int block = 0; block < 4; block++) {
                    offer(tier, block, 0, 2);
                    offer(tier, block, 1, FRAMES - 1);
                    read(tier, block, 0, FRAMES);
                    tier.drop(block + 3);
                }
                failures += usage(tier).failures();
            }
        }
        assertThat(failures).isGreaterThan(20);
    }

    @Test
    void aDirectoryThatVanishesIsNotMadeAnew() throws IOException {
        var root = directory.resolve("nvme/volume");
        try (var tier = new TierFixture(new OsDisk(), root).open(room(PLENTY))) {
            offer(tier, 1, 0, FRAMES);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root))).isEqualTo("rwx------");
            try (var files = Files.walk(root)) {
                for (var path : files.filter(Files::isRegularFile).toList()) {
                    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                            .isEqualTo("rw-------");
                }
            }
            remove(directory.resolve("nvme"));
            assertThat(read(tier, 1, 0, FRAMES)).isZero();
            offer(tier, 1, 0, FRAMES);
            offer(tier, 2, 0, FRAMES);
            assertThat(read(tier, 2, 0, FRAMES)).isZero();
            assertThat(usage(tier).failures()).isEqualTo(1);
            assertThat(directory.resolve("nvme")).doesNotExist();
        }
    }

    /** Who can write to the directory could point a link at a file of ours: it is neither read nor written. */
    @Test
    void noLinkIsFollowed() throws IOException {
        var root = directory.resolve("volume");
        var victim = Files.writeString(directory.resolve("victim"), "precious");
        try (var tier = new TierFixture(new OsDisk(), root).open(room(PLENTY))) {
            offer(tier, 1, 0, 1);
            var file = root.resolve("01").resolve("0000000000000001");
            Files.delete(file);
            Files.createSymbolicLink(file, victim);
            assertThat(read(tier, 1, 0, FRAMES)).isZero();
            offer(tier, 1, 0, FRAMES);
            assertThat(victim).hasContent("precious");
        }
    }

    /** Nor is one in place of a directory of ours: nothing is read, written or deleted behind it. */
    @Test
    void noLinkToADirectoryIsFollowed() throws IOException {
        var root = directory.resolve("volume");
        var victim = Files.createDirectory(directory.resolve("victim"));
        var precious = Files.writeString(victim.resolve("0000000000000001"), "precious");
        try (var tier = new TierFixture(new OsDisk(), root).open(room(PLENTY))) {
            offer(tier, 2, 0, FRAMES);
        }
        Files.delete(root.resolve("01"));
        Files.createSymbolicLink(root.resolve("01"), victim);
        try (var tier = new TierFixture(new OsDisk(), root).open(room(PLENTY))) {
            assertThat(read(tier, 1, 0, FRAMES)).isZero();
            assertThat(read(tier, 2, 0, FRAMES)).as("the others are of use").isEqualTo(FRAMES);
            tier.drop(1);
            offer(tier, 0x101, 0, FRAMES);
            offer(tier, 1, 0, FRAMES);
            assertThat(usage(tier).failures()).as("it is told").isPositive();
        }
        assertThat(victim).isDirectoryContaining(file -> file.equals(precious));
        assertThat(victim.toFile().list()).hasSize(1);
        assertThat(precious).hasContent("precious");
    }

    private static void remove(Path tree) throws IOException {
        try (var files = Files.walk(tree)) {
            for (var path : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    @Test
    void severalDirectoriesShareTheBlocksAndOneInTroubleCostsOnlyItsOwn() throws IOException {
        var disks = List.of(new SimulatedDisk(), new SimulatedDisk(), new SimulatedDisk());
        var places = new ArrayList<CacheDirectories.Place>();
        for (var each : disks) {
            var tier = new TierFixture(each, ROOT).open(room(PLENTY));
            places.add(new CacheDirectories.Place(places.size() * 1_000_003L, tier, List.of()));
        }
        try (var all = new CacheDirectories(places)) {
            for (int block = 0; block < 300; block++) {
                offer(all, block, 0, 1);
            }
            assertThat(all.usage()).allMatch(one -> one.blocks() > 60);
            disks.getFirst().losePowerAtCall(1);
            int found = 0;
            for (int block = 0; block < 300; block++) {
                found += read(all, block, 0, 1);
                offer(all, 1000 + block, 0, 1);
            }
            assertThat(found).isEqualTo(300 - (int) all.usage().getFirst().blocks());
            assertThat(all.usage()).extracting(DirectoryUsage::up).containsExactly(false, true, true);
            assertThat(all.usage().getFirst().failures()).as("left alone soon").isLessThan(6);
            var fewer = new CacheDirectories(places.subList(1, 3));
            int stillFound = 0;
            for (int block = 0; block < 300; block++) {
                stillFound += read(fewer, block, 0, 1);
            }
            assertThat(stillFound).as("the others' blocks are where they were").isEqualTo(found);
        }
    }
}
