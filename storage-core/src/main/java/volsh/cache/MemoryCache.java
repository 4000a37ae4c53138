package volsh.cache;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;

/**
 * Keeps decoded frames in memory within a budget.
 *
 * <p>A frame that is here is found without a lock. A missing one is loaded by the first who asks; others wait for that. When
 * memory is full the {@link Policy} says whether the idlest of a few frames goes for it. If none may go, the new frame only
 * <em>passes through</em>: it takes the place of the oldest one that passes through, so that who reads on in small pieces,
 * or has it loaded ahead, still finds it for a moment.
 *
 * <pre>
 *   missing ──▶ loading ──▶ stays ───────────── idle for long ──▶ gone
 *                  │  └───▶ passes through ─── the next come ───▶ gone
 *                  └ failed: those who wait are told
 * </pre>
 *
 * <p>Frames loaded ahead take a quarter of the budget at most, and go only when their reader does not come for half a
 * budget of bytes.
 */
public final class MemoryCache implements FrameCache {
    private static final int SAMPLE = 8;
    private static final int ATTEMPTS = 4;
    /** Which part of the memory frames that pass through may take, but for those loaded ahead. */
    private static final int PASSING_PART = 32;
    /** Which part may be loaded ahead of its readers. */
    private static final int UNREAD_PART = 4;

    private final long budget;
    private final Policy policy;
    private final RandomGenerator random;
    private final ConcurrentHashMap<FrameKey, Frame> frames = new ConcurrentHashMap<>();
    private final AtomicLong clock = new AtomicLong();
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder prefetched = new LongAdder();
    private final LongAdder leases = new LongAdder();
    private final LongAdder unreadBytes = new LongAdder();

    private final ReentrantLock lock = new ReentrantLock();
    private final SlabMemory memory;
    private final List<Frame> staying = new ArrayList<>();
    private final ArrayDeque<Frame> passing = new ArrayDeque<>();
    private long passingBytes;
    private long evictions;
    private boolean closed;

    /** A cache of at most {@code budget} bytes; 0 keeps nothing. Most frames have {@code frameLength} bytes. */
    public MemoryCache(long budget, int frameLength) {
        this(budget, new EpochPolicy(budget, frameLength), new SplittableRandom());
    }

    MemoryCache(long budget, Policy policy, RandomGenerator random) {
        this.budget = budget;
        this.policy = policy;
        this.random = random;
        this.memory = new SlabMemory(budget);
    }

    @Override
    public boolean isOn() {
        return budget > 0;
    }

    @Override
    public Answer ask(FrameKey key, int length, int wanted) {
        if (budget == 0) {
            return Answer.Unwanted.INSTANCE;
        }
        long now = clock.addAndGet(wanted);
        policy.accessed(key, now);
        var answer = answer(key, length, false, now);
        boolean hit = answer instanceof Answer.Here || answer instanceof Answer.Coming;
        (hit ? hits : misses).increment();
        return answer;
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
                return new Answer.Here(leased(frame, ahead, now));
            }
            lock.lock();   // who holds it sees no dead frames
            try {
                if (!frames.containsKey(key)) {
                    return admit(key, length, ahead, now);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private Lease leased(Frame frame, boolean ahead, long now) {
        if (!ahead) {
            frame.touch(now);
            settle(frame);
        }
        leases.increment();
        return new Lease(this, frame);
    }

    /** It no longer counts as loaded ahead. */
    private void settle(Frame frame) {
        if (frame.markRead()) {
            unreadBytes.add(-frame.slot().size());
        }
    }

    /** A lease of a frame that was being loaded, for a reader; null if it could not be. */
    Lease lease(Frame frame) {
        return frame.tryLease() ? leased(frame, false, clock.get()) : null;
    }

    void release(Frame frame) {
        frame.release();
        leases.decrement();
    }

    // ---- room, all under the lock

    private Answer admit(FrameKey key, int length, boolean ahead, long now) {
        boolean tooFarAhead = ahead && unreadBytes.sum() > budget / UNREAD_PART;
        if (length > memory.largest() || tooFarAhead || closed) {
            return Answer.Unwanted.INSTANCE;
        }
        var slot = memory.take(length);
        boolean stays = slot != null;
        if (slot == null && evictIdle(length, now)) {
            slot = memory.take(length);
            stays = slot != null;
        }
        if (slot == null) {
            slot = passage(length, now);
        }
        if (slot == null) {
            return Answer.Unwanted.INSTANCE;
        }
        var frame = new Frame(key, slot, length, ahead, now);
        unreadBytes.add(ahead ? slot.size() : 0);
        enter(frame, stays);
        leases.increment();
        return new Answer.Missing(new Answer.Room(this, frame));
    }

    private void enter(Frame frame, boolean stays) {
        if (stays) {
            frame.placeAt(staying.size());
            staying.add(frame);
        } else {
            passing.add(frame);
            passingBytes += frame.slot().size();
        }
        frames.put(frame.key(), frame);
    }

    /** Evicts if the policy lets anything go. */
    private boolean evictIdle(int length, long now) {
        var idlest = idlest(now);
        return idlest != null && policy.mayEvict(now - idlest.touched()) && evictFor(length, idlest, now);
    }

    /** A slot for a frame that passes through: that of the oldest one that does, or, while these take little, of the idlest that stays. */
    private Slab.Slot passage(int length, long now) {
        boolean little = passingBytes + SlabMemory.slotSize(length) <= budget / PASSING_PART;
        var slot = little ? null : fromPassing(length, now);
        for (int i = 0; slot == null && i < ATTEMPTS; i++) {
            var idlest = idlest(now);
            slot = idlest != null && evictFor(length, idlest, now) ? memory.take(length) : null;
        }
        return slot == null && little ? fromPassing(length, now) : slot;
    }

    private Slab.Slot fromPassing(int length, long now) {
        for (int left = passing.size(); left > 0; left--) {
            var oldest = passing.poll();
            if (!isIdle(oldest, now) || !oldest.tryKill()) {
                passing.add(oldest);
                continue;
            }
            passingBytes -= oldest.slot().size();
            bury(oldest);
            var slot = memory.take(length);
            if (slot != null) {
                return slot;
            }
        }
        return null;
    }

    /** The idlest of a few that may go; null if none of them may. */
    private Frame idlest(long now) {
        Frame idlest = null;
        for (int i = 0; i < SAMPLE && !staying.isEmpty(); i++) {
            var frame = staying.get(random.nextInt(staying.size()));
            if (isIdle(frame, now) && (idlest == null || frame.touched() < idlest.touched())) {
                idlest = frame;
            }
        }
        return idlest;
    }

    private boolean isIdle(Frame frame, long now) {
        return !frame.isLeased() && (!frame.isUnread() || now - frame.touched() > budget / 2);
    }

    /** Evicts the frame; if its slot is of another size, all of its slab, so that it can be cut anew. True if there is room now. */
    private boolean evictFor(int length, Frame frame, long now) {
        if (frame.slot().size() == SlabMemory.slotSize(length)) {
            return evict(frame);
        }
        var slab = frame.slot().slab();
        for (var other : slab.frames()) {
            if (other != null && !isIdle(other, now)) {
                return false;
            }
        }
        for (var other : slab.frames().clone()) {
            if (other != null && !evict(other)) {
                return false;
            }
        }
        return true;
    }

    private boolean evict(Frame frame) {
        if (!frame.tryKill()) {
            return false;
        }
        leave(frame);
        bury(frame);
        return true;
    }

    private void leave(Frame frame) {
        if (frame.place() < 0) {
            passing.remove(frame);
            passingBytes -= frame.slot().size();
            return;
        }
        var last = staying.removeLast();
        if (last != frame) {
            staying.set(frame.place(), last);
            last.placeAt(frame.place());
        }
    }

    private void bury(Frame frame) {
        evictions++;
        free(frame);
    }

    private void free(Frame frame) {
        settle(frame);
        frames.remove(frame.key(), frame);
        memory.giveBack(frame.slot());
    }

    // ---- what else happens to frames

    /** It could not be loaded. */
    void abandon(Frame frame) {
        lock.lock();
        try {
            frame.fail();
            leave(frame);
            free(frame);
        } finally {
            lock.unlock();
            leases.decrement();
        }
    }

    @Override
    public void drop(long block) {
        lock.lock();
        try {
            for (var frame : frames.values()) {
                if (frame.key().block() == block) {
                    evict(frame);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Usage usage() {
        lock.lock();
        try {
            return new Usage(hits.sum(), misses.sum(), prefetched.sum(), evictions, memory.used(), budget, leases.sum());
        } finally {
            lock.unlock();
        }
    }

    /** Frees the memory, unless something is leased still: then it goes with its process. */
    @Override
    public void close() {
        lock.lock();
        try {
            boolean again = closed;
            closed = true;
            if (!again && leases.sum() == 0) {
                memory.close();
            }
        } finally {
            lock.unlock();
        }
    }
}
