package volsh.bucketfs;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The memory of all files that are being written. Writers wait while it is used up and uploads are under way that will
 * give some back; they never wait for each other alone. Thread-safe.
 */
final class WriteMemory {
    private static final long LOOK_MILLIS = 100;

    private final long most;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private long used;
    private int sending;

    WriteMemory(long most) {
        this.most = most;
    }

    void took(long bytes) {
        add(bytes, 0);
    }

    void gave(long bytes) {
        add(-bytes, 0);
    }

    void sending() {
        add(0, 1);
    }

    void sent() {
        add(0, -1);
    }

    private void add(long bytes, int uploads) {
        lock.lock();
        try {
            used += bytes;
            sending += uploads;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for memory if waiting can help. */
    void await() {
        lock.lock();
        try {
            while (used > most && sending > 0) {
                var _ = changed.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    long used() {
        lock.lock();
        try {
            return used;
        } finally {
            lock.unlock();
        }
    }

    /** Whether files should keep less of what they could send. */
    boolean isTight() {
        return used() > most / 2;
    }
}
