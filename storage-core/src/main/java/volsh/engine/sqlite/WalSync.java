package volsh.engine.sqlite;

import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Syncs the write-ahead log to the disk. Every commit is in the log's file before it is visible, or already copied into
 * a database that was synced before the log was restarted; so one fdatasync of the log, through any descriptor, covers
 * all earlier commits, including those of other processes. It is not a SQLite commit, so the writer does not stop for
 * it, and it reaches the disk even when nothing has changed.
 *
 * <p>A caller is served by the first sync that starts after its call: callers that arrive meanwhile share the next one.
 */
final class WalSync implements AutoCloseable {
    private final DatabaseFile file;
    private final EngineHealth health;
    private final PlatformThreads threads;
    private final TipWriter tips;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    // Not a FileChannel: it is closed when a thread in it is interrupted, and an error of the disk is lost with it.
    private @Nullable AsynchronousFileChannel log;
    private long started;
    private long finished;

    /** Takes ownership of {@code tips}. */
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

    /** Syncs for all callers so far. */
    private void lead() throws IOException {
        started++;
        lock.unlock();
        IOException failure = null;
        try {
            threads.call(this::force);
        } catch (IOException failed) {
            failure = new IOException(
                    "%s: syncing the metadata to the disk failed; check the disk".formatted(file.path()), failed);
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

    private @Nullable Void force() throws IOException {
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
                // both; a log that was never opened is null
            }
        } finally {
            lock.unlock();
        }
    }
}
