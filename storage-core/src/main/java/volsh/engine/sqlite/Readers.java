package volsh.engine.sqlite;

import java.io.IOException;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import volsh.engine.BufferedTransaction;
import volsh.engine.MetaEngine.Work;
import volsh.engine.StateMark;

/** Reads, which never wait for the writer. A bounded number runs at once; others wait. */
final class Readers implements AutoCloseable {
    private final Tables tables;
    private final SqliteLimits limits;
    private final EngineHealth health;
    private final SharedLogHeader header;
    private final Semaphore free;

    Readers(Tables tables, SqliteLimits limits, EngineHealth health, SharedLogHeader header) {
        this.header = header;
        this.tables = tables;
        this.limits = limits;
        this.health = health;
        free = new Semaphore(limits.readers());
    }

    <R extends @Nullable Object> R read(Work<R> work, boolean surveying) throws IOException {
        free.acquireUninterruptibly();
        try {
            health.requireOpen();
            return read(tables.take(), work, surveying);
        } finally {
            free.release();
        }
    }

    /** What is committed now; null if that cannot be told without waiting. */
    @Nullable StateMark mark() throws IOException {
        if (!free.tryAcquire()) {
            return null;
        }
        try {   // close() waits for this, and the memory is mapped until then
            return health.isClosed() ? null : header.mark();
        } finally {
            free.release();
        }
    }

    private <R extends @Nullable Object> R read(RowTable table, Work<R> work, boolean surveying)
            throws IOException {
        boolean done = false;
        try {
            table.begin(surveying);
            var outcome = BufferedTransaction.reading(table).run(work);
            table.commit();
            done = true;
            return outcome.result();
        } finally {
            if (done || table.rollback()) {
                tables.giveBack(table);
            } else {
                close(table);
            }
        }
    }

    private static void close(RowTable table) {
        try {
            table.close();
        } catch (IOException failed) {
            // the failure that led here is the one to report
        }
    }

    /** Waits for running reads. */
    @Override
    public void close() {
        free.acquireUninterruptibly(limits.readers());
        free.release(limits.readers());
    }
}
