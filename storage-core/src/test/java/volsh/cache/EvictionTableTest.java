package volsh.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Prints what the cache keeps of a training set beside what others would: the table of docs/PERFORMANCE.md. */
final class EvictionTableTest {
    private static final int FRAME = 4096;
    private static final int ROOM = 2048;
    private static final int PASSES = 8;
    private static final int SEED = 42;

    /** Hit ratios from the second pass on. */
    private record Row(double ours, double leastRecentlyUsed, double random, double optimum) {}

    private static double ratio(List<List<FrameKey>> passes, Predicate<FrameKey> read) {
        long hits = 0;
        long reads = 0;
        for (int pass = 0; pass < passes.size(); pass++) {
            for (var key : passes.get(pass)) {
                boolean hit = read.test(key);
                hits += pass > 0 && hit ? 1 : 0;
                reads += pass > 0 ? 1 : 0;
            }
        }
        return (double) hits / reads;
    }

    private static double ours(List<List<FrameKey>> passes) {
        try (var cache = new MemoryCache((long) ROOM * FRAME, new EpochPolicy((long) ROOM * FRAME, FRAME),
                new SplittableRandom(SEED))) {
            return ratio(passes, key -> read(cache, key));
        }
    }

    static boolean read(MemoryCache cache, FrameKey key) {
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

    /** Evicts any. */
    private static double random(List<List<FrameKey>> passes) {
        var random = new Random(SEED);
        var places = new HashMap<FrameKey, Integer>();
        var here = new ArrayList<FrameKey>();
        return ratio(passes, key -> {
            if (places.containsKey(key)) {
                return true;
            }
            int place = here.size() < ROOM ? here.size() : random.nextInt(ROOM);
            if (place == here.size()) {
                here.add(key);
            } else {
                places.remove(here.set(place, key));
            }
            places.put(key, place);
            return false;
        });
    }

    /**
     * Belady: knows when each frame is read next, keeps those that are soonest, and does not keep one that is later
     * than all.
     */
    private static double optimum(List<List<FrameKey>> passes) {
        var reads = passes.stream().flatMap(List::stream).toList();
        var next = new long[reads.size()];
        var seen = new HashMap<FrameKey, Long>();
        for (int i = reads.size() - 1; i >= 0; i--) {
            next[i] = seen.getOrDefault(reads.get(i), (long) reads.size() + i);
            seen.put(reads.get(i), (long) i);
        }
        var here = new TreeMap<Long, FrameKey>();   // by when it is read next
        long hits = 0;
        for (int i = 0; i < reads.size(); i++) {
            boolean hit = here.remove((long) i) != null;
            hits += hit && i >= passes.getFirst().size() ? 1 : 0;
            here.put(next[i], reads.get(i));
            if (here.size() > ROOM) {
                here.pollLastEntry();
            }
        }
        return (double) hits / (reads.size() - passes.getFirst().size());
    }

    @Test
    void table() {
        Map<Workload, Row> rows = new EnumMap<>(Workload.class);
        System.out.printf("hits from the second of %d passes on, seed %d%n", PASSES, SEED);
        System.out.println(
                "| data set | epoch-aware | least recently used | random | optimum |\n|---|---|---|---|---|");
        for (var workload : Workload.values()) {
            var passes = workload.passes(ROOM, PASSES, SEED);
            var row = new Row(ours(passes), ratio(passes, new LeastRecentlyUsed(ROOM)::read), random(passes),
                    optimum(passes));
            rows.put(workload, row);
            System.out.printf("| %s | %.0f %% | %.0f %% | %.0f %% | %.0f %% |%n", workload,
                    100 * row.ours(), 100 * row.leastRecentlyUsed(), 100 * row.random(), 100 * row.optimum());
        }
        assertThat(rows.get(Workload.FITS).ours()).isGreaterThanOrEqualTo(0.99);
        assertThat(rows.get(Workload.FIXED).ours()).isGreaterThanOrEqualTo(0.75);
        assertThat(rows.get(Workload.SHUFFLED).ours()).isGreaterThanOrEqualTo(0.75);
        assertThat(rows.get(Workload.FIXED).leastRecentlyUsed()).as("or the comparison is none").isLessThan(0.1);
        assertThat(rows.get(Workload.SHUFFLED).leastRecentlyUsed()).as("or the comparison is none").isLessThan(0.6);
        rows.values().forEach(row -> assertThat(row.optimum()).as("nobody is better than the optimum")
                .isGreaterThanOrEqualTo(Math.max(row.ours(), Math.max(row.leastRecentlyUsed(), row.random()))));
    }
}
