package volsh.journal;

import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;

/** Which staged blocks are to be stored, and when. Each is in the hands of one thread at a time. */
final class Uploads {
    private final InstantSource clock;
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

    synchronized void add(long block, Journal journal, long delayMillis) {
        var upload = new Upload(block, journal, clock.millis() + delayMillis);
        if (known.putIfAbsent(block, upload) == null) {
            waiting.add(upload);
            notifyAll();
        }
    }

    /** The next one that is due; null if there is none now. */
    synchronized Upload poll() {
        var first = waiting.peek();
        if (first == null || !hurried && first.dueMillis > clock.millis() || hurried && first.failures > 0 && first.dueMillis > clock.millis()) {
            return null;
        }
        waiting.remove();
        first.underWay = true;
        return first;
    }

    /** Waits for one that is due; null when closed. */
    synchronized Upload take() throws InterruptedException {
        while (!closed) {
            var due = poll();
            if (due != null) {
                return due;
            }
            wait(waiting.isEmpty() ? 0 : Math.max(1, waiting.peek().dueMillis - clock.millis()));
        }
        return null;
    }

    /** It is stored; returns whether it was deleted meanwhile, and has to be deleted from the store too. */
    synchronized boolean done(Upload upload) {
        known.remove(upload.block);
        notifyAll();
        return upload.unwanted;
    }

    /** It could not be stored now. Returns false if nobody wants it any more. */
    synchronized boolean failed(Upload upload, long pauseMillis) {
        upload.underWay = false;
        upload.failures++;
        if (upload.unwanted) {
            known.remove(upload.block);
            notifyAll();
            return false;
        }
        upload.dueMillis = clock.millis() + pauseMillis;
        waiting.add(upload);
        notifyAll();
        return true;
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

    synchronized Deletion delete(long block) {
        var upload = known.get(block);
        if (upload == null) {
            return Deletion.STORED;
        }
        upload.unwanted = true;
        if (upload.underWay) {
            return Deletion.FOLLOWS;
        }
        waiting.remove(upload);
        known.remove(block);
        notifyAll();
        return upload.failures > 0 ? Deletion.STORED : Deletion.CANCELLED;   // a failed attempt may have had an effect
    }

    synchronized boolean isIdle() {
        return known.isEmpty();
    }

    /** Waits until everything is stored, at once and not when it is due; false if that has not happened in time. */
    synchronized boolean drain(long longestMillis) throws InterruptedException {
        long end = System.nanoTime() + longestMillis * 1_000_000;
        hurried = true;
        notifyAll();
        try {
            while (!known.isEmpty()) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    return false;
                }
                wait(left);
            }
            return true;
        } finally {
            hurried = false;
        }
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
