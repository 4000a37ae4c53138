package volsh.journal;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import volsh.block.BlockKey;

/**
 * Schedules the uploads of staged blocks. Each is handled by one thread at a time, and a new one wakes only one. Small
 * ones are handed out together: when the first of them is due, or as soon as they fill a pack.
 */
final class Uploads {
    /** A block of this size is worth a request of its own. */
    static final int SMALL_MAX = 512 << 10;
    /** Bytes that go together. */
    static final int PACK = 4 << 20;

    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();   // an upload may be due
    private final Condition idle = lock.newCondition();   // there are no uploads
    private final Map<Long, Upload> known = new HashMap<>();
    private final PriorityQueue<Upload> waiting = queue();
    private final PriorityQueue<Upload> small = queue();
    private final boolean packs;
    private long smallBytes;   // of those not tried yet
    private int drainers;   // how many callers wait for everything: meanwhile all uploads are due
    private boolean closed;

    /** One pending upload. Guarded by its {@link Uploads}. */
    static final class Upload {
        final long block;
        final int arrangement;
        final Journal journal;
        final int length;
        private long dueMillis;
        private int failures;
        private boolean underWay;
        private boolean unwanted;

        private Upload(long block, int arrangement, Journal journal, int length, long dueMillis) {
            this.block = block;
            this.arrangement = arrangement;
            this.journal = journal;
            this.length = length;
            this.dueMillis = dueMillis;
        }

        /** The key under which it is put, with its location. */
        BlockKey key() {
            return BlockKey.of(block, arrangement, length);
        }

        int failures() {
            return failures;
        }
    }

    /** {@code packs}: whether small ones may go together. */
    Uploads(InstantSource clock, boolean packs) {
        this.clock = clock;
        this.packs = packs;
    }

    private static PriorityQueue<Upload> queue() {
        return new PriorityQueue<>(Comparator.comparingLong((Upload each) -> each.dueMillis)
                .thenComparingLong(each -> each.block));
    }

    /** {@code arrangement} is the location in its key. */
    void add(long block, int arrangement, Journal journal, int length, long delayMillis) {
        lock.lock();
        try {
            var upload = new Upload(block, arrangement, journal, length, clock.millis() + delayMillis);
            if (known.putIfAbsent(block, upload) == null) {
                enqueue(upload);
            }
        } finally {
            lock.unlock();
        }
    }

    boolean isSmall(int length) {
        return packs && length < SMALL_MAX;
    }

    /** Under the lock. */
    private void enqueue(Upload upload) {
        boolean first = queueOf(upload).isEmpty();
        queueOf(upload).add(upload);
        count(upload, 1);
        // otherwise a thread that waits for the first of them takes this too
        if (first || !isSmall(upload.length) || smallBytes >= PACK) {
            work.signal();
        }
    }

    private PriorityQueue<Upload> queueOf(Upload upload) {
        return isSmall(upload.length) ? small : waiting;
    }

    private void count(Upload upload, int sign) {
        if (isSmall(upload.length) && upload.failures == 0) {
            smallBytes += sign * (long) upload.length;
        }
    }

    /** The next one that is due, or small ones that go together; empty if there is none now. */
    List<Upload> poll() {
        lock.lock();
        try {
            var batch = new ArrayList<Upload>();
            if (!waiting.isEmpty() && isDue(waiting.peek())) {
                batch.add(waiting.remove());
            } else if (!small.isEmpty() && (isDue(small.peek()) || smallBytes >= PACK)) {
                takeSmall(batch);
            }
            batch.forEach(each -> each.underWay = true);
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private boolean isDue(Upload upload) {
        return drainers > 0 && upload.failures == 0 || upload.dueMillis <= clock.millis();
    }

    /** Adds those of one journal that are due, or not tried yet. */
    private void takeSmall(List<Upload> batch) {
        var others = new ArrayList<Upload>();
        int bytes = 0;
        while (!small.isEmpty() && bytes < PACK && batch.size() < Packing.BLOCKS_MAX) {
            var next = small.remove();
            boolean fits = (next.failures == 0 || isDue(next))
                    && (batch.isEmpty() || batch.getFirst().journal == next.journal);
            (fits ? batch : others).add(next);
            bytes += fits ? next.length : 0;
        }
        small.addAll(others);
        batch.forEach(each -> count(each, -1));
    }

    /** Waits for some that are due; empty when closed. */
    List<Upload> take() throws InterruptedException {
        lock.lock();
        try {
            while (!closed) {
                var due = poll();
                if (!due.isEmpty()) {
                    work.signal();   // another thread waits for what is left
                    return due;
                }
                long next = Math.min(due(waiting), due(small));
                if (next == Long.MAX_VALUE) {
                    work.await();
                } else {
                    var _ = work.await(Math.max(1, next - clock.millis()), TimeUnit.MILLISECONDS);
                }
            }
            return List.of();
        } finally {
            lock.unlock();
        }
    }

    private static long due(PriorityQueue<Upload> queue) {
        return queue.isEmpty() ? Long.MAX_VALUE : queue.peek().dueMillis;
    }

    /** It is stored; returns whether it was deleted meanwhile, and has to be deleted from the store as well. */
    boolean done(Upload upload) {
        lock.lock();
        try {
            forget(upload);
            return upload.unwanted;
        } finally {
            lock.unlock();
        }
    }

    /** Under the lock. */
    private void forget(Upload upload) {
        known.remove(upload.block);
        if (known.isEmpty()) {
            idle.signalAll();
        }
    }

    /** It could not be stored now. Returns false if it is no longer needed. */
    boolean failed(Upload upload, long pauseMillis) {
        lock.lock();
        try {
            upload.underWay = false;
            upload.failures++;
            if (upload.unwanted) {
                forget(upload);
                return false;
            }
            upload.dueMillis = clock.millis() + pauseMillis;
            enqueue(upload);
            work.signal();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The fate of a block that is deleted. */
    enum Deletion {
        /** It is in the store, or was never staged. */
        STORED,
        /** It never reached the store and will not. */
        CANCELLED,
        /** The thread that is storing it deletes it afterwards. */
        FOLLOWS
    }

    Deletion delete(long block) {
        lock.lock();
        try {
            var upload = known.get(block);
            if (upload == null) {
                return Deletion.STORED;
            }
            upload.unwanted = true;
            if (upload.underWay) {
                return Deletion.FOLLOWS;
            }
            if (queueOf(upload).remove(upload)) {
                count(upload, -1);
            }
            forget(upload);
            // a failed upload may have had an effect
            return upload.failures > 0 ? Deletion.STORED : Deletion.CANCELLED;
        } finally {
            lock.unlock();
        }
    }

    /** Whether a pending upload has failed. */
    boolean isFailing() {
        lock.lock();
        try {
            return known.values().stream().anyMatch(upload -> upload.failures > 0);
        } finally {
            lock.unlock();
        }
    }

    boolean isIdle() {
        lock.lock();
        try {
            return known.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Makes all uploads due from now on. */
    void hurry() {
        lock.lock();
        try {
            drainers++;
            work.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until everything is stored, making all uploads due; false at the timeout. */
    boolean drain(long longestMillis) throws InterruptedException {
        lock.lock();
        try {
            drainers++;
            work.signalAll();
            long left = TimeUnit.MILLISECONDS.toNanos(longestMillis);
            while (!known.isEmpty()) {
                if (left <= 0) {
                    return false;
                }
                left = idle.awaitNanos(left);
            }
            return true;
        } finally {
            drainers--;
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            work.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
