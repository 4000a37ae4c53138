package volsh.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/**
 * What stays in the cache under the ways in which training reads, beside what a least-recently-used cache would keep.
 */
final class EvictionTest {
    private static final int FRAME = 4096;
    private static final int ROOM = 1024;
    private static final int SEED = 42;

    private final Random random = new Random(SEED);

    /** Reads a frame; was it there? */
    private interface Reader {
        boolean read(FrameKey key);
    }

    private static boolean read(MemoryCache cache, FrameKey key) {
        return switch (cache.ask(key, FRAME, FRAME)) {
            case Answer.Here(FrameLease lease) -> {
                lease.close();
                yield true;
            }
            case Answer.Missing(Answer.Room room) -> {
                room.filled().close();
                yield false;
            }
            case Answer.Coming _, Answer.Unwanted _ -> throw new AssertionError("alone, and with room");
        };
    }

    /** Hit ratios of each pass, ours and the other's. */
    private record Result(String what, List<Double> ours, List<Double> leastRecentlyUsed) {
        double oursFrom(int pass) {
            return ours.subList(pass - 1, ours.size()).stream().mapToDouble(Double::doubleValue).average()
                    .orElseThrow();
        }

        double othersFrom(int pass) {
            return leastRecentlyUsed.subList(pass - 1, leastRecentlyUsed.size()).stream()
                    .mapToDouble(Double::doubleValue).average().orElseThrow();
        }
    }

    private static double pass(Reader reader, List<FrameKey> keys) {
        return (double) keys.stream().filter(reader::read).count() / keys.size();
    }

    private Result run(String what, int passes, IntFunction<List<FrameKey>> reads) {
        var result = new Result(what, new ArrayList<>(), new ArrayList<>());
        var lru = new LeastRecentlyUsed(ROOM);
        try (var cache = new MemoryCache((long) ROOM * FRAME, new EpochPolicy((long) ROOM * FRAME, FRAME),
                new SplittableRandom(SEED))) {
            for (int i = 0; i < passes; i++) {
                var keys = reads.apply(i);
                result.ours().add(pass(key -> read(cache, key), keys));
                result.leastRecentlyUsed().add(pass(lru::read, keys));
            }
            assertThat(cache.usage().leases()).isZero();
            assertThat(cache.usage().bytes()).isLessThanOrEqualTo((long) ROOM * FRAME);
        }
        System.out.printf("%-42s seed %d ours %s LRU %s%n", what, SEED, percent(result.ours()),
                percent(result.leastRecentlyUsed()));
        return result;
    }

    private static String percent(List<Double> ratios) {
        return ratios.stream().map(ratio -> "%3.0f%%".formatted(100 * ratio)).toList().toString();
    }

    private static List<FrameKey> dataset(int first, int frames) {
        var keys = new ArrayList<FrameKey>();
        for (int i = 0; i < frames; i++) {
            keys.add(new FrameKey(first + i / 32, i % 32));
        }
        return keys;
    }

    private List<FrameKey> shuffled(List<FrameKey> keys) {
        var copy = new ArrayList<>(keys);
        Collections.shuffle(copy, random);
        return copy;
    }

    @Test
    void aDataSetThatFitsStays() {
        var set = dataset(0, ROOM * 95 / 100);
        assertThat(run("fits, shuffled", 5, pass -> shuffled(set)).oursFrom(2)).isGreaterThanOrEqualTo(0.99);
    }

    @Test
    void aDataSetABitTooLargeMostlyStaysInFixedOrder() {
        var set = dataset(0, ROOM * 5 / 4);
        var result = run("1.25 x cache, fixed order", 6, pass -> set);
        assertThat(result.oursFrom(2)).isGreaterThanOrEqualTo(0.75);
        assertThat(result.othersFrom(2)).as("or the comparison is none").isLessThan(0.1);
    }

    @Test
    void aDataSetABitTooLargeMostlyStaysInShuffledOrder() {
        var set = dataset(0, ROOM * 5 / 4);
        var result = run("1.25 x cache, shuffled", 6, pass -> shuffled(set));
        assertThat(result.oursFrom(2)).isGreaterThanOrEqualTo(0.75);
        assertThat(result.othersFrom(2)).as("or the comparison is none").isLessThan(0.6);
    }

    @Test
    void aDataSetFourTimesTooLargeStaysInPart() {
        var set = dataset(0, ROOM * 4);
        var result = run("4 x cache, shuffled", 6, pass -> shuffled(set));
        assertThat(result.oursFrom(3)).isGreaterThanOrEqualTo(0.2);
    }

    @Test
    void aScanDoesNotTakeTheDataSetAway() {
        var set = dataset(0, ROOM * 5 / 4);
        var result = run("1.25 x cache, a scan in between", 8,
                pass -> pass == 4 ? dataset(10_000, ROOM) : shuffled(set));
        assertThat(result.ours().subList(5, 8)).allSatisfy(ratio -> assertThat(ratio).isGreaterThanOrEqualTo(0.70));
    }

    @Test
    void aNewDataSetTakesOver() {
        var old = dataset(0, ROOM * 9 / 10);
        var young = dataset(10_000, ROOM * 9 / 10);
        var result = run("another data set from pass 4 on", 9, pass -> shuffled(pass < 3 ? old : young));
        assertThat(result.oursFrom(7)).as("from its fourth pass").isGreaterThanOrEqualTo(0.9);
    }

    @Test
    void favouritesStay() {
        var result = run("Zipf over 8 x cache", 6, pass -> {
            var keys = new ArrayList<FrameKey>();
            for (int i = 0; i < 4 * ROOM; i++) {
                int rank = (int) Math.pow(8.0 * ROOM, random.nextDouble());
                keys.add(new FrameKey(rank / 32, rank % 32));
            }
            return keys;
        });
        assertThat(result.oursFrom(3)).isGreaterThanOrEqualTo(result.othersFrom(3) - 0.03);
    }

    @Test
    void framesOfAllSizesShareTheMemory() {
        var result = new ArrayList<Long>();
        try (var cache = new MemoryCache(8 << 20, 128 << 10)) {
            for (int length : new int[] {4096, 100_000, 128 << 10, 20_000, 700}) {
                long before = cache.usage().hits();
                for (int pass = 0; pass < 12; pass++) {
                    for (int i = 0; i < (4 << 20) / Math.max(length, 4096); i++) {
                        readOf(cache, new FrameKey(length, i), length);
                    }
                }
                result.add(cache.usage().hits() - before);
            }
        }
        assertThat(result).allSatisfy(hits -> assertThat(hits).isPositive());
    }

    private static void readOf(MemoryCache cache, FrameKey key, int length) {
        switch (cache.ask(key, length, length)) {
            case Answer.Here(FrameLease lease) -> lease.close();
            case Answer.Missing(Answer.Room room) -> room.filled().close();
            case Answer.Coming _, Answer.Unwanted _ -> throw new AssertionError("alone, and with room");
        }
    }
}
