package volsh.chunk;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import volsh.cache.disk.CompletedBlocks;

/**
 * Fetches whole blocks in which small random reads keep missing: the second miss loads the rest of the block in the
 * background, with one get, into the cache directories or, without any, into memory. One request then replaces about
 * thirty.
 *
 * <p>The cost is bounded. A first miss in a block fetches only what was asked for, unless many blocks had a second miss
 * lately; then the first miss is enough, as long as blocks fetched that way are used. A second miss counts only if
 * fewer blocks were missed in between than the cache can hold: random reads over more than that fetch single frames. A
 * block that is missed again after it was fetched was not kept; it is fetched again only after twice as many misses as
 * before. Blocks that are read sequentially are left to {@link Readahead}. Thread-safe.
 */
final class WholeBlocks {
    /** Larger reads are not small random reads. */
    private static final int READ_MAX = 256 << 10;
    private static final int MISSES_MIN = 2;
    private static final int MISSES_MAX = 1 << 10;
    /** The misses of a sequential reader that do not count, before its readahead has caught up. */
    private static final int STREAMED = -6;
    private static final int BLOCKS_MAX = 1 << 14;
    /** From this value on the first miss is enough; the value is at most twice that. */
    private static final int WORTH_IT = 32;
    private static final int SECOND_MISS = 4;
    private static final int USED = 2;
    private static final int FETCHED_AT_ONCE = -1;
    private static final int NEVER_AGAIN = -4;
    /** The number of blocks fetched at a time: few, because waiting readers go first. */
    private static final int AT_ONCE = 3;
    /** The part of the memory cache that blocks fetched ahead may take, without cache directories. */
    private static final int MEMORY_PART = 3;

    private final BlockReader blocks;
    private final ChunkSettings settings;
    private final Executor executor;
    private final Load load;
    private final Semaphore free = new Semaphore(AT_ONCE);
    private final LongAdder completed = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final Map<Long, Trace> traces = new LinkedHashMap<>(16, 0.75f, true);
    private int worth;   // how useful whole blocks were lately; guarded by the traces

    /** Loads the frames of a block into memory; returns the stored bytes fetched. */
    interface Load {
        long load(StoredBlock block) throws IOException;
    }

    WholeBlocks(BlockReader blocks, ChunkSettings settings, Executor executor, Load load) {
        this.blocks = blocks;
        this.settings = settings;
        this.executor = executor;
        this.load = load;
    }

    /** The misses of a block, and how many are needed before it is fetched. */
    private static final class Trace {
        private int misses;
        private int wanted = MISSES_MIN;
        private boolean fetched;
        private boolean used;
    }

    /** A sequential reader reads this block. */
    void streams(StoredBlock block) {
        synchronized (traces) {
            var trace = traceOf(block.id());
            trace.misses = Math.min(trace.misses, STREAMED);
        }
    }

    /** A read of {@code length} bytes did not find all of them in a cache. */
    void missed(StoredBlock block, int length) {
        if (length > READ_MAX || settings.readaheadBytes() < settings.blockSize() || block.index().frameCount() < 2
                || !isDue(block.id())) {
            return;
        }
        try {
            executor.execute(() -> fetch(block));
        } catch (RejectedExecutionException closing) {
            free.release();
        }
    }

    /** A read found its bytes of this block in the cache directories. */
    void found(StoredBlock block) {
        synchronized (traces) {
            var trace = traces.get(block.id());
            if (trace != null && trace.fetched && !trace.used) {
                trace.used = true;
                value(USED);
            }
        }
    }

    private void value(int more) {
        worth = Math.clamp(worth + more, 0, 2 * WORTH_IT);
    }

    /** Whether to fetch the block now; if so a permit is taken. */
    private boolean isDue(long block) {
        synchronized (traces) {
            var trace = traceOf(block);
            if (trace.fetched) {
                trace.fetched = false;
                trace.misses = 0;
                trace.wanted = Math.min(MISSES_MAX, 2 * trace.wanted);
            }
            trace.misses++;
            boolean again = trace.misses == MISSES_MIN && trace.wanted == MISSES_MIN;
            value(again ? SECOND_MISS : 0);
            boolean atOnce = trace.misses == 1 && trace.wanted == MISSES_MIN && worth >= WORTH_IT;
            if (trace.misses < trace.wanted && !atOnce || !free.tryAcquire()) {
                return false;
            }
            value(again ? 0 : FETCHED_AT_ONCE);
            trace.misses = Integer.MIN_VALUE;   // misses do not count until it is loaded
            return true;
        }
    }

    private Trace traceOf(long block) {
        var known = traces.get(block);
        if (known != null) {
            return known;
        }
        var made = new Trace();
        traces.put(block, made);
        int most = blocksMax();
        for (var eldest = traces.values().iterator(); traces.size() > most; ) {
            var left = eldest.next();
            value(left.used || left.misses > 1 ? 0 : NEVER_AGAIN);
            eldest.remove();
        }
        return made;
    }

    private int blocksMax() {
        long room = blocks.tier().isOn()
                ? blocks.tier().usage().stream().mapToLong(usage -> usage.up() ? usage.quotaBytes() : 0).sum()
                : settings.cacheBytes() / MEMORY_PART;
        return Math.clamp(room / settings.blockSize(), 1, BLOCKS_MAX);
    }

    /** Fetches the block. A failure is left to its readers to meet. */
    private void fetch(StoredBlock block) {
        try {
            long came = blocks.tier().isOn() ? blocks.complete(block) : load.load(block);
            if (came > 0) {
                completed.increment();
                bytes.add(came);
            }
        } catch (IOException | RuntimeException failed) {
            // see above
        } finally {
            free.release();
            synchronized (traces) {
                var trace = traceOf(block.id());
                trace.fetched = true;
                trace.misses = 0;
            }
        }
    }

    /** The number of blocks fetched, and their stored bytes. */
    CompletedBlocks completed() {
        return new CompletedBlocks(completed.sum(), bytes.sum());
    }
}
