package volsh.engine.sqlite;

import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Makes the write-ahead log reach the disk. Every commit is in the log's file before it is visible, or already copied
 * into a database that was synced before the log was started anew; so one fdatasync of the log, by whichever
 * descriptor, covers all commits before it, also those of other processes. It is no SQLite commit, so the writer does
 * not stop for it, and it reaches the disk even when nothing has changed.
 *
 * <p>A caller is served by the first sync that starts after it called: whoever arrives meanwhile shares the next one.
 */
final class WalSync implements AutoCloseable {
    private final DatabaseFile file;
    private final EngineHealth health;
    private final PlatformThreads threads;
    private final TipWriter tips;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    // Not a FileChannel: that is closed when a thread in it is interrupted, and an error of the disk is lost with it.
    private AsynchronousFileChannel log;
    private long started;
    private long finished;

    /** Takes {@code tips} over. */
    WalSync(DatabaseFile file, EngineHealth health, PlatformThreads threads, TipWriter tips) {
        this.file = file;
        this.tips = tips;
        this.health = health;
        this.threads = threads;
    }

    void sync() throws IOException {
        lock.lock();
        try {
            long mine = started + 1;
            while (finished < mine) {
                health.requireWritable();
                if (started > finished) {
                    changed.awaitUninterruptibly();
                } else {
                    lead();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Syncs for everyone who has called so far. */
    private void lead() throws IOException {
        started++;
        lock.unlock();
        IOException failure = null;
        try {
            threads.call(this::force);
        } catch (IOException failed) {
            failure = new IOException(
                    "%s: the disk did not take the metadata; check the disk".formatted(file.path()), failed);
            health.syncLost(failure);
        } finally {
            lock.lock();
            finish(failure == null);
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void finish(boolean synced) {
        if (synced) {
            finished = started;
        } else {
            started = finished;
        }
        changed.signalAll();
    }

    private Void force() throws IOException {
        if (log == null) {
            log = AsynchronousFileChannel.open(file.wal(), StandardOpenOption.READ);
            DatabaseFile.sync(file.directory());
        }
        var mark = tips.mark();
        log.force(false);
        tips.synced(mark);
        return null;
    }

    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            while (started > finished) {
                changed.awaitUninterruptibly();
            }
            try (tips; var _ = log) {
                // Both, and a log that was never opened is none.
            }
        } finally {
            lock.unlock();
        }
    }
}
