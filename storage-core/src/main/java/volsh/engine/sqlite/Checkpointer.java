package volsh.engine.sqlite;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import volsh.fs.NoSpaceException;

/**
 * Copies the write-ahead log into the database, on a thread of its own, whenever enough was written. Normally it runs
 * beside the writer. If the log still grows to its limit, because it is written faster than it is copied, the writer
 * waits while the log is emptied; if even that fails because a reader still needs it, the writer goes on and waits
 * again one step later: slowed down, never stopped. The same applies to how much the database grows by the content of
 * the log, see {@link SpaceBudget}.
 *
 * <p>On a full disk, {@link SpaceReserve} lends the space for copying: a log that cannot be copied cannot be emptied,
 * and then nothing can be removed.
 *
 * <p>Its connection stays open as long as the engine, so the log's file is never deleted under {@link WalSync}.
 */
final class Checkpointer implements AutoCloseable {
    /** How much is written before the number of pages is queried again. */
    private static final long ASK_BYTES = 256 << 10;
    /** Lent in addition to the growth of the database. */
    private static final long LENT_BESIDE = 64 << 10;

    private final Path path;
    private final Connection connection;
    private final SpaceBudget budget;
    private final SpaceReserve reserve;
    private final EngineHealth health;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Thread thread = Thread.ofPlatform().daemon().name("volsh-meta-checkpointer").unstarted(this::run);
    private long logBytes;
    private long writtenBytes;
    private long pagesBytes;      // of the database including the log, as of the last query
    private long unaskedBytes = ASK_BYTES;   // written since then
    private long databaseBytes;   // of its file
    private boolean emptying;     // a thread waits for the log to be emptied
    private boolean closed;

    /** Takes ownership of the connection. */
    Checkpointer(Path path, Connection connection, SpaceBudget budget, SpaceReserve reserve, EngineHealth health) {
        this.path = path;
        this.connection = connection;
        this.budget = budget;
        this.reserve = reserve;
        this.health = health;
        this.databaseBytes = budget.databaseBytes();
        thread.start();
    }

    /** Whether {@link #wrote} needs the number of pages after a transaction of this many bytes. */
    boolean wantsPages(long bytes) {
        return unaskedBytes + bytes >= ASK_BYTES;
    }

    /** Records that the log has grown by about {@code bytes}, and the number of pages unless 0. Not thread-safe. */
    void wrote(long bytes, long pages) {
        lock.lock();
        try {
            writtenBytes += bytes;
            unaskedBytes += bytes;
            if (pages > 0) {
                pagesBytes = pages * DatabaseFile.PAGE_SIZE;
                unaskedBytes = 0;
            }
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
            while ((isDue() && isFull() || emptying) && !closed) {
                changed.signalAll();   // the limit depends on the free space of the disk, too
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Tries to restart the log from its beginning, if no reader needs it; returns when that was tried. */
    void emptyLog() {
        lock.lock();
        try {
            emptying = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        awaitRoom();
    }

    private boolean isDue() {
        return writtenBytes >= budget.logStep() || writtenBytes >= ASK_BYTES && growth() >= budget.growthMax() / 2;
    }

    private boolean isFull() {
        return logBytes + writtenBytes >= budget.logMax() || growth() >= budget.growthMax();
    }

    /** By how much the database file will grow when the log is copied. */
    private long growth() {
        return Math.max(0, pagesBytes - databaseBytes);
    }

    private void run() {
        lock.lock();
        try {
            while (!closed) {
                if (isDue() || emptying) {
                    checkpointUnlocked(isFull() || emptying ? Mode.RESTART : Mode.PASSIVE);
                } else {
                    changed.awaitUninterruptibly();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void checkpointUnlocked(Mode wanted) {
        long before = writtenBytes;
        long growth = growth();
        boolean asked = emptying;
        var mode = wanted == Mode.RESTART && budget.isLogMuchTooLong() ? Mode.TRUNCATE : wanted;
        var result = new Result(false, logBytes + before);
        lock.unlock();
        try {
            result = checkpointWithReserve(mode, growth);
        } catch (IOException failed) {
            report(failed);
        } finally {
            long size = budget.databaseBytes();
            lock.lock();
            boolean emptied = result.complete() && (mode != Mode.PASSIVE || writtenBytes == before);
            logBytes = emptied ? 0 : result.logBytes();
            writtenBytes -= before;
            databaseBytes = size;
            emptying = emptying && !asked;
            changed.signalAll();
        }
    }

    /** Copies as much as possible, using the reserve if there is no other space. */
    private Result checkpointWithReserve(Mode mode, long growth) throws IOException {
        if (growth >= budget.growthMax() / 2) {
            reserve.makeLarge();
        }
        try {
            return checkpoint(mode);
        } catch (NoSpaceException full) {
            if (!reserve.lend(growth + LENT_BESIDE)) {
                throw full;
            }
        }
        try {
            return checkpoint(mode);
        } catch (NoSpaceException full) {
            if (!reserve.lend(SpaceReserve.MOST_BYTES)) {
                throw full;
            }
            return checkpoint(mode);
        } finally {
            reserve.takeBack();
        }
    }

    private enum Mode { PASSIVE, RESTART, TRUNCATE }

    /**
     * The result of a checkpoint.
     *
     * @param complete whether it copied the whole log. The next commit then restarts the log, unless another commit
     * came while a passive checkpoint ran
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
            throw SqliteFailures.of(path, failed);
        }
    }

    private void report(IOException failed) {
        if (SqliteFailures.isLostSync(failed)) {
            health.syncLost(failed);
        }
        System.getLogger(Checkpointer.class.getName())
                .log(Level.WARNING, "cannot copy the metadata log into the database; will retry: "
                        + failed.getMessage());
    }

    /** Copies as much as possible. The rest stays in the log, where it is just as safe. */
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
            checkpointWithReserve(Mode.PASSIVE, growth());
        } catch (IOException failed) {
            report(failed);
        }
        try {
            connection.close();
        } catch (SQLException failed) {
            throw SqliteFailures.of(path, failed);
        }
    }
}
