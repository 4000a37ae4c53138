package volsh.meta.sqlite;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import volsh.meta.MetaEngine.Work;

/**
 * The one thread of this process that writes. Transactions that queue up while it is busy are run one after the other
 * and committed as one. Each runs under the write lock on the state that the ones before it have made, so there are no
 * conflicts; a work that throws has written nothing, and the others go on.
 *
 * <p>When the database fails, everything of that commit is rolled back. The transactions are then run again one by one,
 * so that one that does not fit on the disk takes no other down with it.
 *
 * <p>The queue is bounded by the callers: each waits for its transaction.
 */
final class Writer implements AutoCloseable {
    private static final int TRANSACTIONS_MAX = 256;
    private static final long BYTES_MAX = 4 << 20;
    private static final long POLL_MIN_NANOS = 20_000;
    private static final long POLL_MAX_NANOS = 500_000;

    private final Connections connections;
    private final Limits limits;
    private final Health health;
    private final Checkpointer checkpointer;
    private final LinkedBlockingQueue<Submission<?>> queue = new LinkedBlockingQueue<>();
    private final Thread thread = Thread.ofPlatform().daemon().name("volsh-meta-writer").unstarted(this::run);
    private Table table;

    Writer(Connections connections, Limits limits, Health health, Checkpointer checkpointer) {
        this.connections = connections;
        this.limits = limits;
        this.health = health;
        this.checkpointer = checkpointer;
        thread.start();
    }

    <R> R transact(Work<R> work) throws IOException {
        if (Thread.currentThread() == thread) {
            throw new IllegalStateException("a work touches nothing but its transaction");
        }
        health.requireWritable();
        var submission = new Submission<>(work, System.nanoTime() + limits.busyMax().toNanos());
        queue.add(submission);
        if (health.isClosed() && queue.remove(submission)) {
            health.requireOpen();
        }
        return submission.await();
    }

    private void run() {
        for (var first = next(); first != null; first = next()) {
            var batch = new ArrayList<Submission<?>>(List.of(first));
            try {
                checkpointer.awaitRoom();
                commitTogether(batch);
            } catch (Throwable failure) {
                abandon(batch, failure);
            }
        }
    }

    /** The next transaction; null once the engine is closed and the queue is empty. */
    private Submission<?> next() {
        while (true) {
            try {
                return health.isClosed() ? queue.poll() : queue.take();
            } catch (InterruptedException stray) {
                // Nothing of ours interrupts this thread, and the transactions of others do not suffer from who does.
            }
        }
    }

    /** Runs the batch and what has queued up meanwhile. */
    private void commitTogether(List<Submission<?>> batch) throws IOException {
        begin(batch);
        if (batch.isEmpty()) {
            return;
        }
        long bytes = 0;
        try {
            bytes = batch.getFirst().run(table);
            for (var more = more(batch, bytes); more != null; more = more(batch, bytes)) {
                batch.add(more);
                bytes += more.run(table);
            }
            table.commit();
        } catch (IOException failure) {
            rollback(failure);
            commitOneByOne(batch, failure);
            return;
        }
        batch.forEach(Submission::tell);
        checkpointer.wrote(bytes + DatabaseFile.PAGE_SIZE);
    }

    private Submission<?> more(List<Submission<?>> batch, long bytes) {
        return batch.size() < TRANSACTIONS_MAX && bytes < BYTES_MAX ? queue.poll() : null;
    }

    private void commitOneByOne(List<Submission<?>> batch, IOException failure) throws IOException {
        if (batch.size() == 1) {
            batch.getFirst().fail(failure);
            return;
        }
        while (!batch.isEmpty()) {
            commitAlone(batch.getFirst());
            batch.removeFirst();
        }
    }

    private void commitAlone(Submission<?> submission) throws IOException {
        var alone = new ArrayList<Submission<?>>(List.of(submission));
        begin(alone);
        if (alone.isEmpty()) {
            return;
        }
        try {
            long bytes = submission.run(table);
            table.commit();
            submission.tell();
            checkpointer.wrote(bytes + DatabaseFile.PAGE_SIZE);
        } catch (IOException failure) {
            rollback(failure);
            submission.fail(failure);
        }
    }

    /** Waits for the write lock. Transactions that have waited for too long are told so and leave the batch. */
    private void begin(List<Submission<?>> batch) throws IOException {
        health.requireWritable();
        if (table == null) {
            table = new Table(connections.path(), connections.open(0));
        }
        while (!batch.isEmpty() && !table.beginImmediate()) {
            batch.removeIf(this::failIfExpired);
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(POLL_MIN_NANOS, POLL_MAX_NANOS));
        }
    }

    private boolean failIfExpired(Submission<?> submission) {
        boolean expired = submission.isExpired();
        if (expired) {
            submission.fail(Trouble.busy(connections.path(), null));
        }
        return expired;
    }

    private void rollback(IOException failure) {
        if (Trouble.isLostSync(failure)) {
            health.syncLost(failure);
        }
        if (!table.rollback()) {
            closeTable();
        }
    }

    /** Something is wrong with the database or with us: nothing of the batch is committed. */
    private void abandon(List<Submission<?>> batch, Throwable failure) {
        if (table != null) {
            table.rollback();
            closeTable();
        }
        batch.forEach(submission -> submission.fail(failure));
    }

    private void closeTable() {
        var closing = table;
        table = null;
        try {
            closing.close();
        } catch (IOException failed) {
            // The failure that led here is the one to tell.
        }
    }

    /** Finishes what is queued. The engine's health must say closed. */
    @Override
    public void close() throws IOException {
        try {
            queue.add(new Submission<>(tx -> null, System.nanoTime()));
            join(thread);
        } finally {
            if (table != null) {
                table.close();
            }
        }
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
