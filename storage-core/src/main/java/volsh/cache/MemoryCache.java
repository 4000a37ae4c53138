package volsh.cache;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Keeps decoded frames in memory within a budget.
 *
 * <p>A cached frame is found without a lock. A missing one is loaded by the first thread that asks; others wait for it.
 * When memory is full the {@link EvictionPolicy} decides whether the least recently read of a few frames is evicted. If
 * not, the new frame only <em>passes through</em>: it replaces the oldest frame that passes through, so that a reader
 * that continues in small pieces, or a frame loaded ahead, still finds it for a moment.
 *
 * <pre>
 *   missing ──▶ loading ──▶ stays ───────────── idle for long ──▶ gone
 *                  │  └───▶ passes through ─── the next come ───▶ gone
 *                  └ failed: waiting threads are told
 * </pre>
 *
 * <p>Frames loaded ahead take at most a third of the budget, and are evicted only if they are not read for half a
 * budget of bytes.
 */
public final class MemoryCache implements FrameCache {
    /** The part of the memory, as a divisor, for frames loaded ahead. */
    private static final int UNREAD_PART = 3;
    private static final int FRAME_LENGTH = 4096;

    private final long budget;
    private final EvictionPolicy policy;
    private final ConcurrentHashMap<FrameKey, CachedFrame> frames = new ConcurrentHashMap<>();
    private final AtomicLong clock = new AtomicLong();
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder prefetched = new LongAdder();
    private final LongAdder ahead = new LongAdder();
    private final LongAdder leases = new LongAdder();
    private final LongAdder left = new LongAdder();
    private final LongAdder unreadBytes = new LongAdder();

    private final EpochLog log;
    private final ReentrantLock lock = new ReentrantLock();
    private final Occupancy occupancy;
    private boolean closed;

    /** A cache of at most {@code budget} bytes; 0 keeps nothing. Most frames have {@code frameLength} bytes. */
    public MemoryCache(long budget, int frameLength) {
        this(budget, new EpochPolicy(budget, frameLength), new SplittableRandom(), frameLength);
    }

    MemoryCache(long budget, EvictionPolicy policy, RandomGenerator random) {
        this(budget, policy, random, FRAME_LENGTH);
    }

    private MemoryCache(long budget, EvictionPolicy policy, RandomGenerator random, int frameLength) {
        this.log = new EpochLog(budget, frameLength, hits::sum, misses::sum, 0);
        this.budget = budget;
        this.policy = policy;
        this.occupancy = new Occupancy(budget, policy, random, this::left);
    }

    @Override
    public boolean isOn() {
        return budget > 0;
    }

    @Override
    public Answer ask(FrameKey key, int length, int wanted) {
        if (budget == 0) {
            misses.increment();
            return Answer.Unwanted.INSTANCE;
        }
        long now = clock.addAndGet(wanted);
        policy.accessed(key, now);
        var answer = answer(key, length, false, now);
        if (!(answer instanceof Answer.Here)) {
            misses.increment();
        }
        log.read(key, wanted, length, now);
        return answer;
    }

    @Override
    public boolean has(FrameKey key) {
        return frames.containsKey(key);
    }

    @Override
    public void passed(FrameKey key, int length, int wanted) {
        misses.increment();
        if (budget > 0) {
            long now = clock.addAndGet(wanted);
            policy.accessed(key, now);
            log.read(key, wanted, length, now);
        }
    }

    @Override
    public Answer askAhead(FrameKey key, int length) {
        if (budget == 0) {
            return Answer.Unwanted.INSTANCE;
        }
        var answer = answer(key, length, true, clock.get());
        if (answer instanceof Answer.Missing) {
            prefetched.increment();
        }
        return answer;
    }

    private Answer answer(FrameKey key, int length, boolean ahead, long now) {
        while (true) {
            var frame = frames.get(key);
            if (frame != null && !frame.isReady()) {
                return new Answer.Coming(this, frame);
            }
            if (frame != null && frame.tryLease()) {
                if (!ahead) {
                    count(frame);
                }
                return new Answer.Here(leased(frame, ahead, now));
            }
            lock.lock();   // under it no dead frames are seen
            try {
                if (!frames.containsKey(key)) {
                    return admit(key, length, ahead, now);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Counts a read of a cached frame. The first read of a frame loaded ahead is a miss, though the reader did not
     * wait.
     */
    private void count(CachedFrame frame) {
        if (settle(frame) && !frame.isOwn()) {
            misses.increment();
            ahead.increment();
        } else {
            hits.increment();
        }
    }

    private FrameLease leased(CachedFrame frame, boolean ahead, long now) {
        if (!ahead) {
            frame.touch(now);
            settle(frame);
        }
        leases.increment();
        return new FrameLease(this, frame);
    }

    /** Marks the frame as no longer loaded ahead; false if it was not. */
    private boolean settle(CachedFrame frame) {
        boolean first = frame.markRead();
        if (first) {
            unreadBytes.add(-frame.slot().size());
        }
        return first;
    }

    /** A lease of a frame that was being loaded, for a reader; null if it could not be. */
    @Nullable FrameLease lease(CachedFrame frame) {
        return frame.tryLease() ? leased(frame, false, clock.get()) : null;
    }

    void release(CachedFrame frame) {
        frame.release();
        leases.decrement();
    }

    // ---- room

    /** Called under the lock. */
    private Answer admit(FrameKey key, int length, boolean ahead, long now) {
        boolean tooFarAhead = ahead && unreadBytes.sum() > budget / UNREAD_PART;
        var frame = tooFarAhead || closed ? null : occupancy.enter(key, length, ahead, now);
        if (frame == null) {
            return Answer.Unwanted.INSTANCE;
        }
        unreadBytes.add(ahead ? frame.slot().size() : 0);
        frames.put(key, frame);
        leases.increment();
        return new Answer.Missing(new Answer.Room(this, frame));
    }

    /** Called under the lock: its memory is used by another frame next. */
    private void left(CachedFrame frame) {
        settle(frame);
        frames.remove(frame.key(), frame);
    }

    /** The frame could not be loaded. */
    void abandon(CachedFrame frame) {
        lock.lock();
        try {
            occupancy.abandon(frame);
        } finally {
            lock.unlock();
            leases.decrement();
        }
    }

    @Override
    public void leave(FrameKey key) {
        lock.lock();
        try {
            var frame = frames.get(key);
            if (frame != null && occupancy.evict(frame)) {
                left.increment();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void drop(long block) {
        lock.lock();
        try {
            for (var frame : frames.values()) {
                if (frame.key().block() == block) {
                    occupancy.evict(frame);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public CacheUsage usage() {
        lock.lock();
        try {
            return new CacheUsage(
                    hits.sum(), misses.sum(), prefetched.sum(), occupancy.evictions(), occupancy.bytes(), budget,
                    leases.sum(), ahead.sum(), left.sum());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<Epochs> epochs() {
        return isOn() ? List.of(log.epochs("memory", clock.get())) : List.of();
    }

    /** Frees the memory, unless frames are still leased: then it is freed with the process. */
    @Override
    public void close() {
        lock.lock();
        try {
            boolean again = closed;
            closed = true;
            if (!again && leases.sum() == 0) {
                occupancy.close();
            }
        } finally {
            lock.unlock();
        }
    }
}
