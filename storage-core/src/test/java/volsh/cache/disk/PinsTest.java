package volsh.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.cache.disk.TierFixture.FRAMES;
import static volsh.cache.disk.TierFixture.ROOT;
import static volsh.cache.disk.TierFixture.offer;
import static volsh.cache.disk.TierFixture.read;
import static volsh.cache.disk.TierFixture.room;
import static volsh.cache.disk.TierFixture.size;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import volsh.disk.SimulatedDisk;

/** Pinned blocks stay, whatever else is read; pins outlive restarts and power loss, and end when they should. */
final class PinsTest {
    private static final long QUOTA = 200_000;

    private final SimulatedDisk disk = new SimulatedDisk();
    private final TierFixture fixture = new TierFixture(disk, ROOT);

    private static BlockSet blocks(long... ids) {
        var set = new BlockSet.Builder();
        LongStream.of(ids).forEach(id -> set.add(id, size(id)));
        return set.build();
    }

    private Pin pin(String path, Optional<Duration> expires, boolean drops, long... ids) {
        var now = fixture.wall.get();
        return new Pin(path, now, expires.map(now::plus), drops, blocks(ids));
    }

    private Pin pin(String path, long... ids) {
        return pin(path, Optional.empty(), false, ids);
    }

    /** Reads far more than fits, again and again, until nothing old is left that may go. */
    private static void flood(DiskTier tier) {
        for (int round = 0; round < 3; round++) {
            for (long block = 1000; block < 1400; block++) {
                read(tier, block, 0, FRAMES);
                offer(tier, block, 0, FRAMES);
            }
            for (int i = 0; i < 40; i++) {   // the clock goes on: everybody was away for long
                read(tier, 5000 + i, 0, FRAMES);
            }
        }
    }

    @Test
    void whatIsPinnedStaysUnderPressure() throws IOException {
        try (var tier = fixture.open(room(QUOTA))) {
            for (long block = 1; block <= 6; block++) {
                offer(tier, block, 0, FRAMES);
            }
            tier.upkeep().pin(pin("/train", 1, 2, 3));
            flood(tier);
            assertThat(List.of(read(tier, 1, 0, FRAMES), read(tier, 2, 0, FRAMES), read(tier, 3, 0, FRAMES)))
                    .containsOnly(FRAMES);
            assertThat(LongStream.rangeClosed(4, 6).map(block -> read(tier, block, 0, FRAMES)).sum())
                    .as("negative control: what is not pinned goes").isLessThan(3 * FRAMES);
            assertThat(tier.usage().getFirst().bytes()).isLessThanOrEqualTo(QUOTA);
        }
    }

    @Test
    void whatIsPinnedComesInAlthoughTheCacheIsFull() throws IOException {
        try (var tier = fixture.open(room(QUOTA))) {
            for (long block = 1000; block < 1040; block++) {
                offer(tier, block, 0, FRAMES);
            }
            offer(tier, 7, 0, FRAMES);
            assertThat(read(tier, 7, 0, FRAMES)).as("nobody was away for long, so nobody goes").isZero();
            tier.upkeep().pin(pin("/train", 7, 8));
            offer(tier, 7, 0, FRAMES);
            assertThat(read(tier, 7, 0, FRAMES)).isEqualTo(FRAMES);
        }
    }

    @Test
    void atMostThreeQuartersMayBePinned() throws IOException {
        try (var tier = fixture.open(room(QUOTA))) {
            var many = LongStream.range(1, 100).toArray();
            assertThatThrownBy(() -> tier.upkeep().pin(pin("/all", many))).isInstanceOf(PinTooLargeException.class)
                    .hasMessageContaining("at most 146.5KiB may be pinned (75%), and 0B already are");
            assertThat(tier.upkeep().pins()).isEmpty();
            tier.upkeep().pin(pin("/a", 1, 2, 3));
            tier.upkeep().pin(pin("/b", 2, 3, 4));
            assertThat(new VolumeCachePins(disk).bytes()).as("shared blocks count once")
                    .isEqualTo(blocks(1, 2, 3, 4).bytes());
            tier.upkeep().pin(pin("/a", 1));
            assertThat(tier.upkeep().pins()).extracting(Pin::path).containsExactlyInAnyOrder("/a", "/b");
            assertThatThrownBy(() -> tier.upkeep().resize(ROOT.getParent(), 50_000))
                    .isInstanceOf(PinTooLargeException.class);
            assertThat(tier.upkeep().unpin("/b")).isTrue();
            assertThat(tier.upkeep().unpin("/b")).isFalse();
        }
    }

    /** Seen from outside. */
    private record VolumeCachePins(SimulatedDisk disk) {
        long bytes() throws IOException {
            return Pins.bytes(new PinFiles(disk, ROOT).load());
        }
    }

    @Test
    void shrinksAtOnceAndSparesThePinned() throws IOException {
        try (var tier = fixture.open(room(QUOTA))) {
            for (long block = 1; block <= 15; block++) {
                offer(tier, block, 0, FRAMES);
            }
            tier.upkeep().pin(pin("/a", 3, 5));
            long before = tier.usage().getFirst().bytes();
            tier.upkeep().resize(ROOT.getParent(), 60_000);
            assertThat(before).isGreaterThan(100_000);
            assertThat(tier.usage().getFirst().bytes()).isLessThanOrEqualTo(60_000)
                    .isEqualTo(TierFixture.bytes(disk, ROOT));
            assertThat(tier.usage().getFirst().quotaBytes()).isEqualTo(60_000);
            assertThat(read(tier, 3, 0, FRAMES) + read(tier, 5, 0, FRAMES)).isEqualTo(2 * FRAMES);
            assertThatThrownBy(() -> tier.upkeep().resize(ROOT, 60_000))
                    .hasMessageContaining("not a cache directory of this mount");
        }
    }

    @Test
    void pinsEndWhenTheirTimeIsOver() throws IOException {
        try (var tier = fixture.open(room(QUOTA))) {
            for (long block = 1; block <= 4; block++) {
                offer(tier, block, 0, FRAMES);
            }
            tier.upkeep().pin(pin("/a", Optional.of(Duration.ofDays(7)), false, 1));
            tier.upkeep().pin(pin("/b", Optional.of(Duration.ofDays(1)), true, 2));
            fixture.wall.set(fixture.wall.get().plus(Duration.ofDays(2)));
            assertThat(read(tier, 3, 0, FRAMES)).isEqualTo(FRAMES);
            assertThat(tier.upkeep().pins()).extracting(Pin::path).containsExactly("/a");
            assertThat(read(tier, 2, 0, FRAMES)).as("it was to be dropped").isZero();
            tier.upkeep().pin(pin("/c", Optional.of(Duration.ofDays(1)), true, 3));
            tier.upkeep().expirePins();
            assertThat(tier.upkeep().pins()).as("it is not yet time").extracting(Pin::path).containsExactly("/a", "/c");
            fixture.wall.set(fixture.wall.get().plus(Duration.ofDays(2)));
            tier.upkeep().expirePins();
            assertThat(tier.upkeep().pins()).as("nobody reads").extracting(Pin::path).containsExactly("/a");
            assertThat(tier.usage().getFirst().blocks()).isEqualTo(2);
            fixture.wall.set(fixture.wall.get().plus(Duration.ofDays(4)));
        }
        try (var tier = fixture.open(room(QUOTA))) {
            assertThat(tier.upkeep().pins()).as("also when nobody was there").isEmpty();
            assertThat(read(tier, 1, 0, FRAMES)).isEqualTo(FRAMES);
        }
        assertThat(new PinFiles(disk, ROOT).load()).isEmpty();
    }

    @Test
    void evictingSparesThePinned() throws IOException {
        try (var tier = fixture.open(room(QUOTA))) {
            for (long block = 1; block <= 4; block++) {
                offer(tier, block, 0, FRAMES);
            }
            tier.upkeep().pin(pin("/a", 2));
            assertThat(tier.upkeep().evict(blocks(1, 2, 3, 77))).isEqualTo(blocks(1, 3).bytes());
            assertThat(read(tier, 2, 0, FRAMES) + read(tier, 4, 0, FRAMES)).isEqualTo(2 * FRAMES);
            assertThat(read(tier, 1, 0, FRAMES) + read(tier, 3, 0, FRAMES)).isZero();
        }
    }

    @Test
    void aPinThatNoLongerFitsWaits() throws IOException {
        try (var tier = fixture.open(room(QUOTA))) {
            tier.upkeep().pin(pin("/a", 1, 2));
            fixture.wall.set(fixture.wall.get().plusSeconds(1));
            tier.upkeep().pin(pin("/b", 3, 4, 5));
        }
        try (var tier = fixture.open(room(blocks(1, 2).bytes() * 2))) {
            assertThat(tier.upkeep().pins()).hasSize(2);
            for (long block = 1; block <= 5; block++) {
                offer(tier, block, 0, FRAMES);
            }
            flood(tier);
            assertThat(read(tier, 1, 0, FRAMES) + read(tier, 2, 0, FRAMES)).isEqualTo(2 * FRAMES);
            assertThat(tier.usage().getFirst().bytes()).isLessThanOrEqualTo(blocks(1, 2).bytes() * 2);
        }
    }

    /** Claims make room by what is older than they, and stop there. */
    @Test
    void aClaimTakesWhatNobodyAskedForSince() throws IOException {
        try (var tier = fixture.open(room(QUOTA))) {
            for (long block = 1000; block < 1040; block++) {
                offer(tier, block, 0, FRAMES);
            }
            var claim = tier.upkeep().claim(false);
            long kept = 0;
            var last = RetainedFrames.YES;
            for (long block = 1; block <= 60 && last == RetainedFrames.YES; block++) {
                last = keep(tier, block, claim);
                kept += last == RetainedFrames.YES ? 1 : 0;
            }
            assertThat(last).isEqualTo(RetainedFrames.NO_ROOM);
            assertThat(tier.usage().getFirst().bytes()).isBetween(QUOTA * 9 / 10, QUOTA);
            for (long block = 1; block <= kept; block++) {
                assertThat(read(tier, block, 0, FRAMES)).as("what the claim brought stays").isEqualTo(FRAMES);
                assertThat(tier.upkeep().has(block, 0, FRAMES)).containsOnly(true);
            }
            assertThat(tier.upkeep().has(99_999, 0, FRAMES)).containsOnly(false);
        }
    }

    private static RetainedFrames keep(DiskTier tier, long block, KeepRequest claim) {
        var bytes = ByteBuffer.allocate(size(block));
        var lengths = new int[FRAMES];
        for (int frame = 0; frame < FRAMES; frame++) {
            lengths[frame] = TierFixture.length(block, frame);
            bytes.put(TierFixture.frame(block, frame));
        }
        return tier.upkeep().keep(block, FRAMES, 0, lengths, bytes.flip(), claim);
    }

    private static Pin of(String path, long... ids) {
        return new Pin(path, Instant.EPOCH, Optional.empty(), false, blocks(ids));
    }

    /** Each directory has its part of everything: pins are in all of them or in none. */
    @Test
    void severalDirectoriesAreKeptAsOne() throws IOException {
        var disks = List.of(new SimulatedDisk(), new SimulatedDisk(), new SimulatedDisk());
        var places = new ArrayList<CacheDirectories.Place>();
        for (int i = 0; i < disks.size(); i++) {
            var root = Path.of("/cache" + i, "volume");
            var tier = new TierFixture(disks.get(i), root).open(room(i == 2 ? 40_000 : QUOTA));
            places.add(new CacheDirectories.Place(i * 1_000_003L, tier, List.of()));
        }
        try (var all = new CacheDirectories(places)) {
            var upkeep = all.upkeep();
            for (long block = 1; block <= 6; block++) {
                offer(all, block, 0, FRAMES);
            }
            upkeep.pin(of("/a", 1, 2, 3));
            assertThat(upkeep.pins()).extracting(Pin::blocks).containsExactly(blocks(1, 2, 3));
            assertThatThrownBy(() -> upkeep.pin(of("/a", LongStream.range(1, 20).toArray())))
                    .isInstanceOf(PinTooLargeException.class)
                    .hasMessageContaining("/cache2");
            assertThat(upkeep.pins()).as("as it was before").extracting(Pin::blocks).containsExactly(blocks(1, 2, 3));
            assertThatThrownBy(() -> upkeep.pin(of("/b", LongStream.range(1, 20).toArray())))
                    .isInstanceOf(PinTooLargeException.class);
            assertThat(upkeep.pins()).hasSize(1);
            flood(all);
            assertThat(read(all, 1, 0, FRAMES) + read(all, 2, 0, FRAMES) + read(all, 3, 0, FRAMES))
                    .isEqualTo(3 * FRAMES);
            var claim = upkeep.claim(false);
            for (long block = 40; block < 46; block++) {
                assertThat(keep(all, block, claim)).isEqualTo(RetainedFrames.YES);
                assertThat(upkeep.has(block, 0, FRAMES)).containsOnly(true);
            }
            upkeep.resize(Path.of("/cache0"), 50_000);
            assertThat(all.usage()).extracting(DirectoryUsage::quotaBytes).containsExactly(50_000L, QUOTA, 40_000L);
            assertThat(all.usage()).allMatch(usage -> usage.bytes() <= usage.quotaBytes());
            assertThatThrownBy(() -> upkeep.resize(Path.of("/nowhere"), 50_000))
                    .hasMessageContaining("not a cache directory of this mount");
            assertThat(upkeep.unpin("/a")).isTrue();
            assertThat(upkeep.evict(blocks(1, 2, 3))).isEqualTo(blocks(1, 2, 3).bytes());
            assertThat(all.epochs()).hasSize(3);
        }
    }

    /** An acknowledged pin is there after power loss at any point; an unfinished one is there whole or not at all. */
    @Test
    void pinsSurvivePowerLoss() throws IOException {
        long seed = new Random().nextLong();
        System.out.println("pins seed " + seed);
        var random = new Random(seed);
        int acknowledged = 0;
        int lost = 0;
        for (int crash = 0; crash < 300; crash++) {
            boolean careless = crash % 3 == 2;
            var powered = new SimulatedDisk();
            if (careless) {
                powered.ignoreSyncs();
            }
            var crashing = new TierFixture(powered, ROOT);
            Pin promised = null;
            try (var tier = crashing.open(room(QUOTA))) {
                powered.losePowerAtCall(1 + random.nextInt(40));
                for (int i = 0; i < 6; i++) {
                    var next = new Pin("/p", Instant.ofEpochSecond(i + 1), Optional.empty(), false, blocks(i, i + 1));
                    tier.upkeep().pin(next);
                    promised = next;
                }
            } catch (IOException powerWasLost) {
                // somewhere in between
            }
            powered.crash(random);
            if (promised != null) {
                acknowledged++;
                var found = new PinFiles(powered, ROOT).load();
                boolean right = found.size() == 1 && !found.getFirst().created().isBefore(promised.created());
                lost += right ? 0 : 1;
                assertThat(right || careless).as("crash %d: %s after %s", crash, found, promised).isTrue();
            }
        }
        System.out.printf("%d pins acknowledged, %d lost by those that do not sync%n", acknowledged, lost);
        assertThat(acknowledged).isGreaterThan(100);
        assertThat(lost).as("negative control: without syncs pins are lost").isPositive();
    }

    @Test
    void aDamagedPinIsNone() throws IOException {
        var files = new PinFiles(disk, ROOT);
        files.put(pin("/a", 1));
        files.put(pin("/b", 2));
        var victim = disk.list(ROOT.resolve("pins")).getFirst();
        try (var file = disk.edit(ROOT.resolve("pins").resolve(victim.name()))) {
            file.write(ByteBuffer.wrap(new byte[] {42}), victim.size() / 2);
        }
        assertThat(files.load()).hasSize(1);
    }

    /** Whatever bit of it is another, and wherever it is cut off. */
    @Test
    void aPinWithAFlippedBitIsNone() throws IOException {
        var files = new PinFiles(disk, ROOT);
        files.put(pin("/a", 1));
        var path = ROOT.resolve("pins").resolve(disk.list(ROOT.resolve("pins")).getFirst().name());
        byte[] whole;
        try (var file = disk.open(path)) {
            whole = new byte[(int) file.size()];
            file.read(ByteBuffer.wrap(whole), 0);
        }
        for (int at = 0; at < whole.length; at++) {
            for (int bit = 0; bit <= 8; bit++) {
                byte[] wrong = bit == 8 ? java.util.Arrays.copyOf(whole, at) : whole.clone();
                if (bit < 8) {
                    wrong[at] ^= (byte) (1 << bit);
                }
                disk.delete(path);
                try (var file = disk.create(path)) {
                    file.write(ByteBuffer.wrap(wrong), 0);
                }
                assertThat(files.load()).as("byte %d, bit %d", at, bit).isEmpty();
            }
        }
    }
}
