package volsh.cache;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** What a cache of some size would have had of reads that are told to it one by one. Holds no data. Not thread-safe. */
public final class Rehearsal {
    private static final long SEED = 20_061_116;

    private final Decider decider;
    private final Map<FrameKey, Long> lastRead = new HashMap<>();
    private long clock;
    private long reads;
    private long hits;
    private long first;

    /** What makes room in it. */
    public enum Manner {
        /** What mounts do: keeps what it has until that is idle for longer than an epoch. */
        EPOCH,
        /** What was read longest ago goes. */
        LRU
    }

    /** Whether a frame is there. */
    private interface Decider {
        boolean read(FrameKey key, int length, long before, long now);
    }

    /** Of a cache of {@code budget} bytes. */
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

    /** A reader asks for {@code wanted} bytes of a frame of a file, which takes {@code length}. */
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

    /** Which part of all reads it had. */
    public double hitRatio() {
        return reads == 0 ? 0 : (double) hits / reads;
    }

    /** Which part of those reads it had that were not the first of their frame: what no cache can have is left out. */
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
