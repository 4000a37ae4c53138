package volsh.meta.sqlite;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Copies the write-ahead log into the database, on a thread of its own, whenever enough was written. Normally beside
 * the writer. If the log has grown to its limit nevertheless, because it is written faster than it is copied, the
 * writer waits while the log is emptied; if even that fails because some reader still needs it, the writer goes on
 * and waits again one step later: slowed down, never stopped.
 *
 * <p>Its connection stays open as long as the engine, so the log's file is never deleted under {@link WalSync}.
 */
final class Checkpointer implements AutoCloseable {
    private final Path path;
    private final Connection connection;
    private final Limits limits;
    private final Health health;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Thread thread = Thread.ofPlatform().daemon().name("volsh-meta-checkpointer").unstarted(this::run);
    private long logBytes;
    private long writtenBytes;
    private boolean closed;

    /** Takes the connection over. */
    Checkpointer(Path path, Connection connection, Limits limits, Health health) {
        this.path = path;
        this.connection = connection;
        this.limits = limits;
        this.health = health;
        thread.start();
    }

    /** The log has grown by about so much. */
    void wrote(long bytes) {
        lock.lock();
        try {
            writtenBytes += bytes;
            if (isDue()) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns at once unless the log is at its limit. */
    void awaitRoom() {
        lock.lock();
        try {
            while (isDue() && isFull() && !closed) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Has the log used from its beginning again, if no reader needs it; returns when that was tried. */
    void emptyLog() {
        lock.lock();
        try {
            writtenBytes += limits.walStepBytes();
            logBytes += limits.walMaxBytes();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        awaitRoom();
    }

    private boolean isDue() {
        return writtenBytes >= limits.walStepBytes();
    }

    private boolean isFull() {
        return logBytes + writtenBytes >= limits.walMaxBytes();
    }

    private void run() {
        lock.lock();
        try {
            while (!closed) {
                if (isDue()) {
                    checkpointUnlocked(isFull() ? Mode.RESTART : Mode.PASSIVE);
                } else {
                    changed.awaitUninterruptibly();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void checkpointUnlocked(Mode mode) {
        long before = writtenBytes;
        var result = new Result(false, logBytes + before);
        lock.unlock();
        try {
            result = checkpoint(mode);
        } catch (IOException failed) {
            report(failed);
        } finally {
            lock.lock();
            boolean emptied = result.complete() && (mode == Mode.RESTART || writtenBytes == before);
            logBytes = emptied ? 0 : result.logBytes();
            writtenBytes -= before;
            changed.signalAll();
        }
    }

    private enum Mode { PASSIVE, RESTART }

    /**
     * What a checkpoint found.
     *
     * @param complete whether it copied the whole log. The next commit then starts the log anew, unless another came
     *     while a passive checkpoint ran
     * @param logBytes how long the log is
     */
    private record Result(boolean complete, long logBytes) {}

    private Result checkpoint(Mode mode) throws IOException {
        try (var statement = connection.createStatement();
                var result = statement.executeQuery("PRAGMA wal_checkpoint(%s)".formatted(mode))) {
            boolean busy = result.getInt(1) != 0;
            long frames = result.getLong(2);
            return new Result(!busy && frames == result.getLong(3), frames * DatabaseFile.PAGE_SIZE);
        } catch (SQLException failed) {
            throw Trouble.of(path, failed);
        }
    }

    private void report(IOException failed) {
        if (Trouble.isLostSync(failed)) {
            health.syncLost(failed);
        }
        System.getLogger(Checkpointer.class.getName())
                .log(Level.WARNING, "the log is kept for now: " + failed.getMessage());
    }

    /** Copies what it can. What it cannot stays in the log, where it is just as safe. */
    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        Writer.join(thread);
        try {
            checkpoint(Mode.PASSIVE);
        } catch (IOException failed) {
            report(failed);
        }
        try {
            connection.close();
        } catch (SQLException failed) {
            throw Trouble.of(path, failed);
        }
    }
}
