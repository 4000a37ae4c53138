package volsh.cache;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The frames in the memory of a cache, and which of them is evicted when it is full. A frame <em>stays</em>, or it
 * <em>passes through</em>, first in, first out. Guarded by the lock of the cache, which is told of every evicted frame.
 */
final class Occupancy implements AutoCloseable {
    private static final int SAMPLE = 8;
    private static final int ATTEMPTS = 4;
    /** The part of the memory, as a divisor, for frames that pass through, without those loaded ahead. */
    private static final int PASSING_PART = 32;

    private final long budget;
    private final EvictionPolicy policy;
    private final RandomGenerator random;
    private final Leaving leaving;
    private final SlabMemory memory;
    private final List<CachedFrame> staying = new ArrayList<>();
    private final ArrayDeque<CachedFrame> passing = new ArrayDeque<>();
    private long passingBytes;
    private long evictions;

    /** Is told of an evicted frame; its memory is used by another frame next. */
    interface Leaving {
        void left(CachedFrame frame);
    }

    Occupancy(long budget, EvictionPolicy policy, RandomGenerator random, Leaving leaving) {
        this.budget = budget;
        this.policy = policy;
        this.random = random;
        this.leaving = leaving;
        this.memory = new SlabMemory(budget);
    }

    /** A new frame with its memory; null if there is no room. */
    @Nullable CachedFrame enter(FrameKey key, int length, boolean ahead, long now) {
        if (length > memory.largest()) {
            return null;
        }
        var slot = memory.take(length);
        if (slot == null && evictIdle(length, now)) {
            slot = memory.take(length);
        }
        boolean stays = slot != null;
        if (!stays) {
            slot = passage(length, now);
        }
        return slot == null ? null : enter(new CachedFrame(key, slot, length, ahead, now), stays);
    }

    private CachedFrame enter(CachedFrame frame, boolean stays) {
        if (stays) {
            frame.placeAt(staying.size());
            staying.add(frame);
        } else {
            passing.add(frame);
            passingBytes += frame.slot().size();
        }
        return frame;
    }

    /** Evicts a frame if the policy permits. */
    private boolean evictIdle(int length, long now) {
        var idlest = idlest(now);
        return idlest != null && policy.mayEvict(now - idlest.touched()) && evictFor(length, idlest, now);
    }

    /**
     * A slot for a frame that passes through: that of the oldest such frame, or, while these take little, of the least
     * recently read one that stays.
     */
    private FrameSlab.@Nullable Slot passage(int length, long now) {
        boolean little = passingBytes + SlabMemory.slotSize(length) <= budget / PASSING_PART;
        var slot = little ? null : fromPassing(length, now);
        for (int i = 0; slot == null && i < ATTEMPTS; i++) {
            var idlest = idlest(now);
            slot = idlest != null && evictFor(length, idlest, now) ? memory.take(length) : null;
        }
        return slot == null && little ? fromPassing(length, now) : slot;
    }

    private FrameSlab.@Nullable Slot fromPassing(int length, long now) {
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

    /** The least recently read of a few frames that may be evicted; null if none may. */
    private @Nullable CachedFrame idlest(long now) {
        CachedFrame idlest = null;
        for (int i = 0; i < SAMPLE && !staying.isEmpty(); i++) {
            var frame = staying.get(random.nextInt(staying.size()));
            if (isIdle(frame, now) && (idlest == null || frame.touched() < idlest.touched())) {
                idlest = frame;
            }
        }
        return idlest;
    }

    private boolean isIdle(CachedFrame frame, long now) {
        return !frame.isLeased() && (!frame.isUnread() || now - frame.touched() > budget / 2);
    }

    /**
     * Evicts the frame; if its slot has another size, its whole slab, which is then divided anew. Whether there is room
     * now.
     */
    private boolean evictFor(int length, CachedFrame frame, long now) {
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

    /** Evicts the frame; false if it is leased. */
    boolean evict(CachedFrame frame) {
        if (!frame.tryKill()) {
            return false;
        }
        leave(frame);
        bury(frame);
        return true;
    }

    private void bury(CachedFrame frame) {
        evictions++;
        memory.giveBack(frame.slot());
        leaving.left(frame);
    }

    /** Removes a frame that could not be loaded. */
    void abandon(CachedFrame frame) {
        frame.fail();
        leave(frame);
        memory.giveBack(frame.slot());
        leaving.left(frame);
    }

    private void leave(CachedFrame frame) {
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

    long evictions() {
        return evictions;
    }

    /** Bytes in use. */
    long bytes() {
        return memory.used();
    }

    @Override
    public void close() {
        memory.close();
    }
}
