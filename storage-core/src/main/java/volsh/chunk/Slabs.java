package volsh.chunk;

import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Off-heap memory within a fixed budget, lent in size classes of powers of two (and a little more, for the header of a
 * stored block). Returned slabs are kept for the next borrower; idle ones of another class are freed when the budget
 * needs it.
 */
final class Slabs implements AutoCloseable {
    private static final int SMALLEST_SHIFT = 14;
    private static final int CLASSES = 14;

    private final long budget;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition returned = lock.newCondition();
    private final ArrayDeque<Slab>[] idle;
    private long allocated;
    private long lent;

    @SuppressWarnings({"unchecked", "rawtypes"})
    Slabs(long budget) {
        this.budget = budget;
        this.idle = new ArrayDeque[CLASSES];
        for (int i = 0; i < CLASSES; i++) {
            idle[i] = new ArrayDeque<>();
        }
    }

    /** The bytes that a slab for {@code size} bytes takes. */
    static int capacity(int size) {
        return capacityOf(classOf(size));
    }

    private static int classOf(int size) {
        int kind = 0;
        while (capacityOf(kind) < size) {
            kind++;
        }
        if (kind >= CLASSES) {
            throw new IllegalArgumentException("%d bytes are more than the largest slab".formatted(size));
        }
        return kind;
    }

    private static int capacityOf(int kind) {
        int whole = 1 << (SMALLEST_SHIFT + kind);
        return whole + Math.max(4096, whole >> 6);
    }

    /** A slab of at least {@code size} bytes, or null if the budget is lent out. */
    @Nullable Slab tryTake(int size) {
        int kind = classOf(size);
        lock.lock();
        try {
            return takeOf(kind);
        } finally {
            lock.unlock();
        }
    }

    /**
     * A slab of at least {@code size} bytes; waits for one. Only for borrowers that wait for nothing else while they
     * hold one.
     */
    Slab take(int size) throws InterruptedIOException {
        int kind = classOf(size);
        if (capacityOf(kind) > budget) {
            throw new IllegalArgumentException("%d bytes are more than the whole budget of %d".formatted(size, budget));
        }
        lock.lock();
        try {
            Slab slab = takeOf(kind);
            while (slab == null) {
                returned.await();
                slab = takeOf(kind);
            }
            return slab;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for memory");
        } finally {
            lock.unlock();
        }
    }

    /** A slab of at least {@code size} bytes, or null if none was returned in time. */
    @Nullable Slab tryTake(int size, Duration longest) throws InterruptedIOException {
        int kind = classOf(size);
        lock.lock();
        try {
            long left = longest.toNanos();
            Slab slab = takeOf(kind);
            while (slab == null && left > 0) {
                left = returned.awaitNanos(left);
                slab = takeOf(kind);
            }
            return slab;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for memory");
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Slab takeOf(int kind) {
        int size = capacityOf(kind);
        Slab slab = idle[kind].pollLast();
        if (slab == null) {
            if (lent + size > budget) {
                return null;
            }
            freeIdle(size);
            slab = new Slab(this, size);
            allocated += size;
        }
        lent += size;
        return slab;
    }

    /** Frees idle slabs until {@code size} more bytes fit the budget. */
    private void freeIdle(int size) {
        for (int kind = CLASSES - 1; kind >= 0; kind--) {
            while (allocated + size > budget && !idle[kind].isEmpty()) {
                var slab = idle[kind].pollLast();
                allocated -= slab.capacity();
                slab.free();
            }
        }
    }

    void giveBack(Slab slab) {
        lock.lock();
        try {
            lent -= slab.capacity();
            idle[classOf(slab.capacity())].addLast(slab);
            returned.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Bytes on loan now. */
    long lent() {
        lock.lock();
        try {
            return lent;
        } finally {
            lock.unlock();
        }
    }

    long budget() {
        return budget;
    }

    /** Frees idle slabs; lent ones are freed with the process. */
    @Override
    public void close() {
        lock.lock();
        try {
            for (var slabs : idle) {
                slabs.forEach(Slab::free);
                slabs.clear();
            }
        } finally {
            lock.unlock();
        }
    }
}
