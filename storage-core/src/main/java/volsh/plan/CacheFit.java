package volsh.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import volsh.unit.ByteSize;

/**
 * The fraction of reads that a cache answers from the second epoch on, when every epoch reads the whole dataset once,
 * each in a new order ({@code shuffled}) or always in the same ({@code fixed}).
 *
 * @param policy what is evicted: {@code volsh} keeps its content until it is idle for longer than an epoch, {@code lru}
 * evicts the least recently used, {@code two-random} the older of two random items
 */
public record CacheFit(ByteSize cache, String policy, double shuffled, double fixed, String how) {
    private static final int ITEMS = 2_000;
    private static final int EPOCHS = 6;
    private static final long SEED = 20_061_116;

    /** For a node that reads the whole dataset. */
    public static List<CacheFit> of(ByteSize dataset, ByteSize cache) {
        Figures.positive(dataset.bytes(), "the dataset");
        double part = Math.min(1, (double) cache.bytes() / dataset.bytes());
        boolean whole = part >= 1;
        String share = "cache / dataset = " + Figures.plain((double) cache.bytes() / dataset.bytes());
        double missing = 1 - part;
        double lru = whole ? 1 : 1 - missing + missing * Math.log(missing);
        return List.of(
                new CacheFit(cache, "volsh", part, part, share),
                new CacheFit(cache, "lru", lru, whole ? 1 : 0, "with t = 1 - cache/dataset: 1 - t + t ln t "
                        + "shuffled, 0 fixed"), new CacheFit(cache, "two-random", whole ? 1 : simulated(part, true),
                whole ? 1 : simulated(part, false), "%,d files simulated for %d epochs".formatted(ITEMS, EPOCHS)));
    }

    private static double simulated(double part, boolean shuffled) {
        var random = new Random(SEED);
        var order = new ArrayList<Integer>();
        for (int item = 0; item < ITEMS; item++) {
            order.add(item);
        }
        var cache = new TwoRandom((int) Math.floor(part * ITEMS), random);
        long hits = 0;
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            if (shuffled) {
                Collections.shuffle(order, random);
            }
            for (int item : order) {
                boolean hit = cache.read(item);
                hits += hit && epoch >= EPOCHS / 2 ? 1 : 0;
            }
        }
        return (double) hits / (EPOCHS - EPOCHS / 2) / ITEMS;
    }

    /** A cache that evicts the older of two random items. */
    private static final class TwoRandom {
        private final int capacity;
        private final Random random;
        private final List<Integer> held = new ArrayList<>();
        private final int[] place = new int[ITEMS];
        private final long[] used = new long[ITEMS];
        private long clock;

        TwoRandom(int capacity, Random random) {
            this.capacity = capacity;
            this.random = random;
            java.util.Arrays.fill(place, -1);
        }

        boolean read(int item) {
            used[item] = ++clock;
            if (place[item] >= 0) {
                return true;
            }
            if (capacity > 0) {
                if (held.size() < capacity) {
                    place[item] = held.size();
                    held.add(item);
                } else {
                    replaceOne(item);
                }
            }
            return false;
        }

        private void replaceOne(int item) {
            int one = held.get(random.nextInt(capacity));
            int other = held.get(random.nextInt(capacity));
            int gone = used[one] <= used[other] ? one : other;
            held.set(place[gone], item);
            place[item] = place[gone];
            place[gone] = -1;
        }
    }
}
