package volsh.cache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * A scaled-down simulation of a cache of another size. It sees a sample of the reads, has the same fraction of the
 * size, and decides as the real cache does; its hit ratio is that of a real cache of the full size (miniature
 * simulation, as in Waldspurger et al., USENIX ATC 2017). Not thread-safe.
 */
final class MiniatureCache {
    private static final int SAMPLE = 8;

    private final long budget;
    private final ReuseWindow patience;
    private final RandomGenerator random;
    private final Map<FrameKey, Entry> frames = new HashMap<>();
    private final List<Entry> order = new ArrayList<>();
    private long bytes;
    private long reads;
    private long hits;

    /** A frame that would be cached. */
    private static final class Entry {
        final FrameKey key;
        final int length;
        long touched;
        int place;

        Entry(FrameKey key, int length) {
            this.key = key;
            this.length = length;
        }
    }

    /** Of a cache of {@code budget} bytes. */
    MiniatureCache(long budget, RandomGenerator random) {
        this.budget = budget;
        this.patience = new ReuseWindow(budget);
        this.random = random;
    }

    /**
     * A sampled frame is read, for the first time since {@code before} (negative: ever); the sample is {@code part} of
     * all reads.
     */
    void read(FrameKey key, int length, long before, long now, double part) {
        patience.observe(before, now);
        var here = frames.get(key);
        reads++;
        hits += here != null || before >= 0 && patience.isBurst(now - before) ? 1 : 0;
        if (here != null) {
            here.touched = now;
        } else if (makeRoom(length, now, (long) (budget * part))) {
            add(key, length, now);
        }
    }

    private boolean makeRoom(int length, long now, long capacity) {
        while (bytes + length > capacity) {
            Entry idlest = null;
            for (int i = 0; i < SAMPLE && !order.isEmpty(); i++) {
                var one = order.get(random.nextInt(order.size()));
                idlest = idlest == null || one.touched < idlest.touched ? one : idlest;
            }
            if (idlest == null || !patience.mayEvict(now - idlest.touched)) {
                return false;
            }
            remove(idlest);
        }
        return true;
    }

    private void add(FrameKey key, int length, long now) {
        var entry = new Entry(key, length);
        entry.touched = now;
        entry.place = order.size();
        order.add(entry);
        frames.put(key, entry);
        bytes += length;
    }

    private void remove(Entry entry) {
        var last = order.removeLast();
        if (last != entry) {
            order.set(entry.place, last);
            last.place = entry.place;
        }
        frames.remove(entry.key);
        bytes -= entry.length;
    }

    long budget() {
        return budget;
    }

    /** Sampled reads since the last {@link #restart}. */
    long reads() {
        return reads;
    }

    double hitRatio() {
        return reads == 0 ? 0 : (double) hits / reads;
    }

    /** Resets the counters; its frames stay. */
    void restart() {
        reads = 0;
        hits = 0;
    }
}
