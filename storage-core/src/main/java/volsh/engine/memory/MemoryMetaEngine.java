package volsh.engine.memory;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import volsh.engine.BufferedTransaction;
import volsh.engine.MetaEngine;
import volsh.engine.MetaUnavailableException;
import volsh.engine.Outcome;
import volsh.engine.StateMark;

/**
 * Rows on the heap. A transaction reads without any lock, so it may see half of another's commit, and is validated
 * under one short lock at its end: if anything it read has changed, it runs again, whether it returned or threw.
 * Nothing outlives the engine.
 */
public final class MemoryMetaEngine implements MetaEngine {
    private static final int ATTEMPTS_MAX = 1_000;
    private static final int ATTEMPTS_BEFORE_PAUSE = 3;
    private static final long PAUSE_MAX_NANOS = 1_000_000;

    private final Rows rows = new Rows();
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final Interleaving interleaving;
    private final AtomicLong commits = new AtomicLong();   // counted under the lock
    private volatile boolean closed;

    public MemoryMetaEngine() {
        this(Interleaving.NONE);
    }

    /** An engine whose transactions are disturbed before they commit. */
    public MemoryMetaEngine(Interleaving interleaving) {
        this.interleaving = interleaving;
    }

    @Override
    public <R extends @Nullable Object> R transact(Work<R> work) throws IOException {
        for (int attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
            requireOpen();
            var outcome = attempt(work, attempt);
            if (outcome.isPresent()) {
                return outcome.get().result();
            }
            pauseAfter(attempt);
        }
        throw new MetaUnavailableException("timed out: conflicts with other transactions %d times"
                .formatted(ATTEMPTS_MAX), null);
    }

    /** Runs the work once; empty if what it read changed before its commit. */
    private <R> Optional<Outcome<R>> attempt(Work<R> work, int attempt) throws IOException {
        var reads = new MemoryReads(rows);
        var transaction = BufferedTransaction.writing(reads);
        var outcome = transaction.run(work);
        boolean disturbed = interleaving.intrude(attempt);
        lock.writeLock().lock();
        try {
            if (disturbed || !reads.unchanged()) {
                return Optional.empty();
            }
            if (outcome.hasReturned()) {
                rows.write(transaction.rows(rows));
                commits.incrementAndGet();
            }
            return Optional.of(outcome);
        } finally {
            lock.writeLock().unlock();
        }
    }

    private static void pauseAfter(int attempt) {
        if (attempt > ATTEMPTS_BEFORE_PAUSE) {
            long most = Math.min(PAUSE_MAX_NANOS, 1_000L << Math.min(attempt, 20));
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(most));
        }
    }

    @Override
    public <R extends @Nullable Object> R read(Work<R> work) throws IOException {
        requireOpen();
        lock.readLock().lock();
        try {
            return BufferedTransaction.reading(rows).run(work).result();
        } finally {
            lock.readLock().unlock();
        }
    }

    @Override
    public StateMark stateMark() {
        return StateMark.of(commits.get());
    }

    /** There is no power loss to survive. */
    @Override
    public void sync() throws IOException {
        requireOpen();
    }

    @Override
    public void close() {
        closed = true;
    }

    private void requireOpen() throws IOException {
        if (closed) {
            throw new IOException("the metadata engine is closed");
        }
    }
}
