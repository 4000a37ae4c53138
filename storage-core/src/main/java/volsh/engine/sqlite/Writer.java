package volsh.engine.sqlite;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaEngine.Work;
import volsh.fs.NoSpaceException;

/**
 * Writes, one thread of this process at a time. A caller whose turn it is runs its transaction itself, which saves two
 * thread switches; transactions queued meanwhile run after it, one by one, and are committed together with it. Each
 * runs under the write lock on the state left by the previous ones, so there are no conflicts; a work that throws has
 * written nothing, and the others go on.
 *
 * <p>Virtual threads do not write themselves, and no caller writes for others for long: a dedicated thread handles what
 * is left in the queue. Nothing is left behind: a caller that finds the turn taken has queued before, and the holder of
 * the turn checks the queue after giving it up.
 *
 * <p>When the database fails, the whole commit is rolled back. The transactions are then run again one by one, so that
 * one that does not fit on the disk does not fail the others.
 *
 * <p>The queue is bounded by the callers: each waits for its transaction.
 */
final class Writer implements AutoCloseable {
    private static final int TRANSACTIONS_MAX = 256;
    private static final long BYTES_MAX = 4 << 20;
    private static final long FULL_BYTES_MAX = 64 << 10;   // on a full disk the log must not grow by much at once
    private static final long POLL_MIN_NANOS = 20_000;
    private static final long POLL_MAX_NANOS = 500_000;

    private final Tables tables;
    private final SqliteLimits limits;
    private final EngineHealth health;
    private final Checkpointer checkpointer;
    private final SpaceBudget budget;
    private final SpaceReserve reserve;
    private final ConcurrentLinkedQueue<Submission<?>> queue = new ConcurrentLinkedQueue<>();
    private final ReentrantLock turn = new ReentrantLock();
    private final Semaphore wanted = new Semaphore(0);
    private final Thread thread = Thread.ofPlatform().daemon().name("volsh-meta-writer").unstarted(this::run);
    private @Nullable RowTable table;   // of the current turn; null if there is none

    Writer(Tables tables, SqliteLimits limits, EngineHealth health, Checkpointer checkpointer, SpaceBudget budget,
            SpaceReserve reserve) {
        this.budget = budget;
        this.reserve = reserve;
        this.tables = tables;
        this.limits = limits;
        this.health = health;
        this.checkpointer = checkpointer;
        thread.start();
    }

    <R extends @Nullable Object> R transact(Work<R> work, Purpose purpose) throws IOException {
        if (turn.isHeldByCurrentThread()) {
            throw new IllegalStateException("a work must use nothing but its transaction");
        }
        health.requireWritable();
        var submission = new Submission<>(work, System.nanoTime() + limits.busyMax().toNanos(), purpose);
        queue.add(submission);
        if (health.isClosed() && queue.remove(submission)) {
            health.requireOpen();
        }
        if (Thread.currentThread().isVirtual()) {
            wanted.release();
        } else {
            takeTurn();
        }
        return submission.await();
    }

    /** Commits a batch unless another thread is doing so, and leaves the rest to the dedicated thread. */
    private void takeTurn() {
        if (turn.tryLock()) {
            try {
                commitNext();
            } finally {
                turn.unlock();
            }
            if (!queue.isEmpty()) {
                wanted.release();
            }
        }
    }

    private void run() {
        while (true) {
            if (!queue.isEmpty()) {
                commitInTurn();
            } else if (health.isClosed()) {
                return;
            } else {
                wanted.acquireUninterruptibly();
                wanted.drainPermits();   // each permit follows a queued transaction
            }
        }
    }

    private void commitInTurn() {
        turn.lock();
        try {
            commitNext();
        } finally {
            turn.unlock();
        }
    }

    private void commitNext() {
        var first = queue.poll();
        if (first == null) {
            return;
        }
        var batch = new ArrayList<Submission<?>>(List.of(first));
        try {
            budget.lookAgain();
            checkpointer.awaitRoom();
            commitTogether(batch);
        } catch (Throwable failure) {
            abandon(batch, failure);
        } finally {
            if (table != null) {
                tables.giveBack(table);
                table = null;
            }
        }
    }

    /** Runs the batch and what was queued meanwhile. */
    private void commitTogether(List<Submission<?>> batch) throws IOException {
        var rows = begin(batch);
        if (batch.isEmpty()) {
            return;
        }
        long bytes = 0;
        long pages;
        try {
            long before = pagesIfFull(rows);
            bytes = batch.getFirst().run(rows);
            for (var more = more(batch, bytes); more != null; more = more(batch, bytes)) {
                batch.add(more);
                bytes += more.run(rows);
            }
            pages = pages(rows, batch, before, bytes);
            rows.commit();
        } catch (IOException failure) {
            rollback(rows, failure);
            commitOneByOne(batch, failure);
            return;
        }
        batch.forEach(Submission::tell);
        wrote(bytes, pages);
    }

    /** The number of pages before a transaction on a full disk; otherwise not queried. */
    private long pagesIfFull(RowTable rows) throws IOException {
        return budget.isFull() ? rows.pages() : Long.MAX_VALUE;
    }

    /**
     * The number of pages after it, 0 if not needed.
     *
     * @throws NoSpaceException if the database would grow on a full disk by a transaction that may not do that
     */
    private long pages(RowTable rows, List<Submission<?>> batch, long before, long bytes) throws IOException {
        if (before == Long.MAX_VALUE && !checkpointer.wantsPages(bytes)) {
            return 0;
        }
        long pages = rows.pages();
        if (pages > before) {
            for (var submission : batch) {
                budget.requireGrowth(submission.purpose());
            }
        }
        return pages;
    }

    private void wrote(long bytes, long pages) {
        long logged = bytes + DatabaseFile.PAGE_SIZE;
        budget.wrote(logged);
        checkpointer.wrote(logged, pages);
    }

    private @Nullable Submission<?> more(List<Submission<?>> batch, long bytes) {
        return batch.size() < TRANSACTIONS_MAX && bytes < (budget.isFull() ? FULL_BYTES_MAX : BYTES_MAX)
                ? queue.poll() : null;
    }

    private void commitOneByOne(List<Submission<?>> batch, IOException failure) throws IOException {
        if (batch.size() == 1) {
            finish(batch.getFirst(), failure);
            return;
        }
        while (!batch.isEmpty()) {
            commitAlone(batch.getFirst());
            batch.removeFirst();
        }
    }

    private void commitAlone(Submission<?> submission) throws IOException {
        finish(submission, attempt(submission));
    }

    /**
     * On a full disk, restarts the log and queries the disk again. A transaction that frees space is not stopped if
     * that is not enough: it gets a part of the reserve, and finally all of it.
     */
    private void finish(Submission<?> submission, @Nullable IOException failed) throws IOException {
        var failure = failed;
        if (isFull(failure)) {
            checkpointer.emptyLog();
            budget.lookNow();
            failure = attempt(submission);
        }
        if (submission.purpose().mayUseReserve() && isFull(failure) && reserve.lend(SpaceReserve.LENT)) {
            failure = attempt(submission);
            reserve.takeBack();   // plain writes must not use it
        }
        if (submission.purpose().mayUseReserve() && isFull(failure) && mayUseUp(submission) && reserve.release()) {
            failure = attempt(submission);
        }
        if (failure != null) {
            submission.fail(failure);
        }
    }

    private static boolean mayUseUp(Submission<?> submission) {
        return submission.purpose() == Purpose.FREE;
    }

    private static boolean isFull(@Nullable IOException failure) {
        return failure != null && NoSpaceException.isBehind(failure);
    }

    /** Runs and commits it, and delivers the outcome; returns the failure, or null. */
    private @Nullable IOException attempt(Submission<?> submission) throws IOException {
        var alone = new ArrayList<Submission<?>>(List.of(submission));
        var rows = begin(alone);
        if (alone.isEmpty()) {
            return null;
        }
        try {
            long before = pagesIfFull(rows);
            long bytes = submission.run(rows);
            long pages = pages(rows, alone, before, bytes);
            rows.commit();
            submission.tell();
            wrote(bytes, pages);
            return null;
        } catch (IOException failure) {
            rollback(rows, failure);
            return failure;
        }
    }

    /** Waits for the write lock. Transactions that have waited too long fail and leave the batch. */
    private RowTable begin(List<Submission<?>> batch) throws IOException {
        health.requireWritable();
        var rows = table == null ? tables.take() : table;
        table = rows;
        while (!batch.isEmpty() && !rows.beginImmediate()) {
            batch.removeIf(this::failIfExpired);
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(POLL_MIN_NANOS, POLL_MAX_NANOS));
        }
        return rows;
    }

    private boolean failIfExpired(Submission<?> submission) {
        boolean expired = submission.isExpired();
        if (expired) {
            submission.fail(SqliteFailures.busy(tables.path(), null));
        }
        return expired;
    }

    private void rollback(RowTable rows, IOException failure) {
        if (SqliteFailures.isLostSync(failure)) {
            health.syncLost(failure);
        }
        if (!rows.rollback()) {
            close(rows);
        }
    }

    /** The database or this program failed: nothing of the batch is committed. */
    private void abandon(List<Submission<?>> batch, Throwable failure) {
        if (table != null) {
            table.rollback();
            close(table);
        }
        batch.forEach(submission -> submission.fail(failure));
    }

    private void close(RowTable closing) {
        table = null;
        try {
            closing.close();
        } catch (IOException failed) {
            // the failure that led here is the one to report
        }
    }

    /** Finishes what is queued. The engine's health must be closed. */
    @Override
    public void close() {
        wanted.release();
        join(thread);
        commitInTurn();   // there is nothing left to commit, but the current turn finishes
    }

    static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
