package volsh.cache;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** A simulation of a cache of some size over reads that are passed to it one by one. Holds no data. Not thread-safe. */
public final class Rehearsal {
    private static final long SEED = 20_061_116;

    private final Decider decider;
    private final Map<FrameKey, Long> lastRead = new HashMap<>();
    private long clock;
    private long reads;
    private long hits;
    private long first;

    /** Its eviction policy. */
    public enum Manner {
        /** The policy of mounts: keeps frames until they were not read for longer than an epoch. */
        EPOCH,
        /** Evicts the least recently used frame. */
        LRU
    }

    /** Decides whether a frame is in the cache. */
    private interface Decider {
        boolean read(FrameKey key, int length, long before, long now);
    }

    /** Simulates a cache of {@code budget} bytes. */
    public Rehearsal(long budget, Manner manner) {
        this.decider = switch (manner) {
            case EPOCH -> epoch(budget);
            case LRU -> new Lru(budget);
        };
    }

    private static Decider epoch(long budget) {
        var cache = new MiniatureCache(budget, new SplittableRandom(SEED));
        return (key, length, before, now) -> {
            double hits = cache.hitRatio() * cache.reads();
            cache.read(key, length, before, now, 1);
            return Math.round(cache.hitRatio() * cache.reads() - hits) == 1;
        };
    }

    /** A reader asks for {@code wanted} bytes of a frame of a file, which takes {@code length} bytes in the cache. */
    public void read(long file, int frame, int wanted, int length) {
        var key = new FrameKey(file, frame);
        clock += wanted;
        Long before = lastRead.put(key, clock);
        reads++;
        first += before == null ? 1 : 0;
        hits += decider.read(key, length, before == null ? -1 : before, clock) ? 1 : 0;
    }

    public long reads() {
        return reads;
    }

    /** The hit ratio of all reads. */
    public double hitRatio() {
        return reads == 0 ? 0 : (double) hits / reads;
    }

    /** The hit ratio without the first read of each frame, which no cache can have. */
    public double repeatedHitRatio() {
        return reads == first ? 0 : (double) hits / (reads - first);
    }

    private static final class Lru implements Decider {
        private final long budget;
        private final LinkedHashMap<FrameKey, Integer> frames = new LinkedHashMap<>(64, 0.75f, true);
        private long bytes;

        Lru(long budget) {
            this.budget = budget;
        }

        @Override
        public boolean read(FrameKey key, int length, long before, long now) {
            if (frames.get(key) != null) {
                return true;
            }
            frames.put(key, length);
            bytes += length;
            while (bytes > budget) {
                bytes -= frames.pollFirstEntry().getValue();
            }
            return false;
        }
    }
}
