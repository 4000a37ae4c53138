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
 * Fetches the rest of a block in which small reads here and there keep missing: the second one has it loaded in the background, with one
 * get, into the cache directories or, without any, into memory. One request then does what thirty would.
 *
 * <p>What that may cost is bounded. A first miss in a block brings what is asked for and no more, unless many blocks lately had a second
 * one; then the first is enough, for as long as what is fetched so is found useful. A second one counts only if fewer blocks
 * were missed in between than the cache can hold: who reads here and there in more than that gets frames. A block that is missed again
 * although it was fetched was not kept; it is fetched again only after twice as many misses as before. Blocks that are read from front to back
 * are left to {@link Readahead}. Thread-safe.
 */
final class WholeBlocks {
    /** Who reads more at once is not reading here and there. */
    private static final int READ_MAX = 256 << 10;
    private static final int MISSES_MIN = 2;
    private static final int MISSES_MAX = 1 << 10;
    /** Whoever reads on may miss a few times before what is read ahead of him is here. */
    private static final int STREAMED = -6;
    private static final int BLOCKS_MAX = 1 << 14;
    /** From this worth on the first miss is enough; it is at most twice that. */
    private static final int WORTH_IT = 32;
    private static final int SECOND_MISS = 4;
    private static final int USED = 2;
    private static final int FETCHED_AT_ONCE = -1;
    private static final int NEVER_AGAIN = -4;
    /** So many at a time: whoever waits for a frame goes first. */
    private static final int AT_ONCE = 3;
    /** Of the memory, without cache directories; the cache takes no more ahead of readers. */
    private static final int MEMORY_PART = 3;

    private final BlockReader blocks;
    private final ChunkSettings settings;
    private final Executor executor;
    private final Load load;
    private final Semaphore free = new Semaphore(AT_ONCE);
    private final LongAdder completed = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final Map<Long, Trace> traces = new LinkedHashMap<>(16, 0.75f, true);
    private int worth;   // how much speaks for whole blocks; guarded by the traces, too

    /** Loads the frames of a block into memory; returns the stored bytes that came for it. */
    interface Load {
        long load(StoredBlock block) throws IOException;
    }

    WholeBlocks(BlockReader blocks, ChunkSettings settings, Executor executor, Load load) {
        this.blocks = blocks;
        this.settings = settings;
        this.executor = executor;
        this.load = load;
    }

    /** What is remembered of a block: how often it was missed, and how often that has to be. */
    private static final class Trace {
        private int misses;
        private int wanted = MISSES_MIN;
        private boolean fetched;
        private boolean used;
    }

    /** Somebody reads this block from front to back. */
    void streams(StoredBlock block) {
        synchronized (traces) {
            var trace = traceOf(block.id());
            trace.misses = Math.min(trace.misses, STREAMED);
        }
    }

    /** A read of {@code length} bytes did not find all of them in a cache. */
    void missed(StoredBlock block, int length) {
        if (length > READ_MAX || settings.readaheadBytes() < settings.blockSize() || block.index().frameCount() < 2 || !isDue(block.id())) {
            return;
        }
        try {
            executor.execute(() -> fetch(block));
        } catch (RejectedExecutionException closing) {
            free.release();
        }
    }

    /** A read found in the cache directories what it wanted of this block. */
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

    /** If so a permit is taken. */
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
            trace.misses = Integer.MIN_VALUE;   // none counts until it is here
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
        long room = blocks.tier().isOn() ? blocks.tier().usage().stream().mapToLong(usage -> usage.up() ? usage.quotaBytes() : 0).sum()
                : settings.cacheBytes() / MEMORY_PART;
        return Math.clamp(room / settings.blockSize(), 1, BLOCKS_MAX);
    }

    /** If it fails, whoever reads the block will hear of it. */
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

    /** What it has done: blocks, and the stored bytes that came for them. */
    CompletedBlocks completed() {
        return new CompletedBlocks(completed.sum(), bytes.sum());
    }
}
