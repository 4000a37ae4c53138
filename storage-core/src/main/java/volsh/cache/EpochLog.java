package volsh.cache;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * Detects passes over the data, counts the hits of each, and simulates caches of other sizes.
 *
 * <p>A pass ends when its frames are read again: when one in fifty was. In a training loop that is an epoch. Frames
 * read again at once are still part of the same read. Only a sample of the frames is looked at, chosen by key, about
 * {@value #FRAMES} frames of what the cache can hold; other reads cost nothing. Thread-safe.
 */
public final class EpochLog {
    private static final int FRAMES = 512;
    private static final int REMEMBERED_MAX = 32 * FRAMES;
    private static final int PASSES_MAX = 32;
    /** The sampled reads that a forecast needs, unless most of the known frames were read. */
    private static final int READS_MIN = 500;
    private static final int REPEATED_PART = 50;
    private static final double[] FACTORS = {0.5, 0.75, 1, 1.25, 1.5, 2};

    private final long budget;
    private final long mask;
    private final LongSupplier hits;
    private final LongSupplier misses;
    private final LinkedHashMap<FrameKey, Long> lastRead = new LinkedHashMap<>(64, 0.75f, true);
    private final List<MiniatureCache> sizes = new ArrayList<>();
    private final ReuseWindow patience;
    private final Deque<Epochs.Pass> passes = new ArrayDeque<>();
    private List<Epochs.Forecast> forecasts = List.of();
    private final long started;
    private long sampledBytes;
    private long number = 1;
    private long began;
    private long hitsBefore;
    private long missesBefore;
    private long fresh;
    private long repeated;

    /**
     * For a cache of {@code budget} bytes with frames of {@code frameLength}, which counts its hits and misses itself.
     */
    public EpochLog(long budget, int frameLength, LongSupplier hits, LongSupplier misses, long now) {
        this.budget = budget;
        this.mask = Long.highestOneBit(Math.max(1, budget / frameLength / FRAMES)) - 1;
        this.hits = hits;
        this.misses = misses;
        this.patience = new ReuseWindow(budget);
        this.began = now;
        this.hitsBefore = hits.getAsLong();
        this.missesBefore = misses.getAsLong();
        for (double factor : FACTORS) {
            sizes.add(new MiniatureCache((long) (factor * budget), new SplittableRandom(number)));
        }
        this.started = now;
    }

    /** A reader asks for {@code wanted} bytes of this frame, which takes {@code length} bytes in the cache. */
    public void read(FrameKey key, int wanted, int length, long now) {
        if ((key.mixed() >>> 24 & mask) == 0) {
            note(key, wanted, length, now);
        }
    }

    private synchronized void note(FrameKey key, int wanted, int length, long now) {
        Long known = lastRead.put(key, now);
        if (lastRead.size() > REMEMBERED_MAX) {
            lastRead.pollFirstEntry();
        }
        long before = known == null ? -1 : known;
        count(before, now);
        sampledBytes += wanted;
        double part = Math.min(1, (double) sampledBytes / Math.max(1, now - started));
        sizes.forEach(size -> size.read(key, length, before, now, part));
    }

    private void count(long before, long now) {
        if (before >= 0 && patience.isBurst(now - before)) {
            return;
        }
        fresh++;
        repeated += before > began ? 1 : 0;
        if (repeated > Math.max(1, fresh / REPEATED_PART)) {
            end(now);
        }
    }

    private void end(long now) {
        passes.addLast(pass(now, true));
        if (passes.size() > PASSES_MAX) {
            passes.removeFirst();
        }
        if (fresh > lastRead.size() / 2 || sizes.getFirst().reads() > READS_MIN) {   // else not a pass
            forecasts = forecasts();
            sizes.forEach(MiniatureCache::restart);
        }
        number++;
        began = now;
        hitsBefore = hits.getAsLong();
        missesBefore = misses.getAsLong();
        fresh = 0;
        repeated = 0;
    }

    private Epochs.Pass pass(long now, boolean whole) {
        return new Epochs.Pass(number, now - began, hits.getAsLong() - hitsBefore, misses.getAsLong() - missesBefore,
                whole);
    }

    private List<Epochs.Forecast> forecasts() {
        var all = new ArrayList<Epochs.Forecast>();
        for (int i = 0; i < FACTORS.length; i++) {
            all.add(new Epochs.Forecast(FACTORS[i], sizes.get(i).budget(), sizes.get(i).hitRatio(),
                    sizes.get(i).reads()));
        }
        return all;
    }

    /** The result so far; forecasts are for the last whole pass, or for the reads so far if there was none yet. */
    public synchronized Epochs epochs(String tier, long now) {
        var all = new ArrayList<>(passes);
        all.add(pass(now, false));
        return new Epochs(tier, budget, all, forecasts.isEmpty() ? forecasts() : forecasts);
    }
}
