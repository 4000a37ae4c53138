package volsh.meta.sqlite;

import java.io.IOException;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import volsh.meta.BufferedTransaction;
import volsh.meta.MetaEngine.Work;

/** Reads on connections of their own, which never wait for the writer. A bounded number at once; the others wait. */
final class Readers implements AutoCloseable {
    private final Connections connections;
    private final Limits limits;
    private final Health health;
    private final Semaphore free;
    private final ConcurrentLinkedDeque<Table> idle = new ConcurrentLinkedDeque<>();

    Readers(Connections connections, Limits limits, Health health) {
        this.connections = connections;
        this.limits = limits;
        this.health = health;
        free = new Semaphore(limits.readers());
    }

    <R> R read(Work<R> work) throws IOException {
        free.acquireUninterruptibly();
        try {
            health.requireOpen();
            return read(table(), work);
        } finally {
            free.release();
        }
    }

    private Table table() throws IOException {
        var table = idle.pollFirst();
        return table != null
                ? table
                : new Table(connections.path(), connections.open((int) limits.busyMax().toMillis()));
    }

    private <R> R read(Table table, Work<R> work) throws IOException {
        boolean done = false;
        try {
            table.begin();
            var outcome = BufferedTransaction.reading(table).run(work);
            table.commit();
            done = true;
            return outcome.result();
        } finally {
            if (done || table.rollback()) {
                idle.addFirst(table);
            } else {
                table.close();
            }
        }
    }

    /** Waits for the reads that run. */
    @Override
    public void close() throws IOException {
        free.acquireUninterruptibly(limits.readers());
        try {
            for (var table = idle.pollFirst(); table != null; table = idle.pollFirst()) {
                table.close();
            }
        } finally {
            free.release(limits.readers());
        }
    }
}
