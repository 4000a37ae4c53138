package volsh.journal;

import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Which staged blocks are to be stored, and when. Each is in the hands of one thread at a time, and a new one wakes only one. */
final class Uploads {
    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();   // something may be due
    private final Condition idle = lock.newCondition();   // nothing is known any more
    private final Map<Long, Upload> known = new HashMap<>();
    private final PriorityQueue<Upload> waiting = new PriorityQueue<>(
            Comparator.comparingLong((Upload each) -> each.dueMillis).thenComparingLong(each -> each.block));
    private boolean hurried;
    private boolean closed;

    /** One block on its way. Guarded by its {@link Uploads}. */
    static final class Upload {
        final long block;
        final Journal journal;
        private long dueMillis;
        private int failures;
        private boolean underWay;
        private boolean unwanted;

        private Upload(long block, Journal journal, long dueMillis) {
            this.block = block;
            this.journal = journal;
            this.dueMillis = dueMillis;
        }

        int failures() {
            return failures;
        }
    }

    Uploads(InstantSource clock) {
        this.clock = clock;
    }

    void add(long block, Journal journal, long delayMillis) {
        lock.lock();
        try {
            var upload = new Upload(block, journal, clock.millis() + delayMillis);
            if (known.putIfAbsent(block, upload) == null) {
                waiting.add(upload);
                work.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The next one that is due; null if there is none now. */
    Upload poll() {
        lock.lock();
        try {
            var first = waiting.peek();
            boolean due = first != null && (hurried && first.failures == 0 || first.dueMillis <= clock.millis());
            if (!due) {
                return null;
            }
            waiting.remove();
            first.underWay = true;
            return first;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for one that is due; null when closed. */
    Upload take() throws InterruptedException {
        lock.lock();
        try {
            while (!closed) {
                var due = poll();
                if (due != null) {
                    return due;
                }
                if (waiting.isEmpty()) {
                    work.await();
                } else {
                    var _ = work.await(Math.max(1, waiting.peek().dueMillis - clock.millis()), TimeUnit.MILLISECONDS);
                }
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** It is stored; returns whether it was deleted meanwhile, and has to be deleted from the store too. */
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

    /** It could not be stored now. Returns false if nobody wants it any more. */
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
            waiting.add(upload);
            work.signal();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** What has become of a block that is deleted. */
    enum Deletion {
        /** It is in the store, or was never staged. */
        STORED,
        /** It never reached the store and will not. */
        CANCELLED,
        /** Whoever is storing it deletes it afterwards. */
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
            waiting.remove(upload);
            forget(upload);
            return upload.failures > 0 ? Deletion.STORED : Deletion.CANCELLED;   // a failed attempt may have had an effect
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

    /** Waits until everything is stored, at once and not when it is due; false if that has not happened in time. */
    boolean drain(long longestMillis) throws InterruptedException {
        lock.lock();
        try {
            hurried = true;
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
            hurried = false;
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
