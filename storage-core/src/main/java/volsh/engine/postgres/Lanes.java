package volsh.engine.postgres;

import java.io.IOException;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaUnavailableException;

/**
 * The lanes of one client. The most recently used one is used next, so that excess lanes become idle and lose their
 * connections. More than a connection pool: the fate of a lane's last commit must be known before it is used again.
 */
final class Lanes implements AutoCloseable {
    private final Schema schema;
    private final PostgresUrl url;
    private final PostgresLimits limits;
    private final PostgresConnections connections;
    private final UUID client = UUID.randomUUID();
    private final Semaphore permits;
    private final ConcurrentLinkedDeque<Lane> free = new ConcurrentLinkedDeque<>();
    private final AtomicInteger made = new AtomicInteger();
    private final ServerSilence silence;
    private volatile boolean closed;

    Lanes(Schema schema, PostgresLimits limits, ServerSilence silence) {
        this.silence = silence;
        this.schema = schema;
        this.url = schema.url();
        this.limits = limits;
        this.connections = new PostgresConnections(url);
        this.permits = new Semaphore(limits.connections());
    }

    interface Use<T extends @Nullable Object> {
        T run(Lane lane) throws IOException, SQLException;
    }

    /** Lends a lane; on a connection failure the lane loses its connection. */
    <T extends @Nullable Object> T use(OutageRetry patience, Use<T> use) throws IOException, SQLException {
        var lane = take(patience);
        lane.within(patience);
        try {
            var result = use.run(lane);
            silence.answered();
            return result;
        } catch (SQLException failed) {
            if (lane.isLost(failed)) {
                lane.disconnect();
            } else {
                silence.answered();
            }
            throw failed;
        } finally {
            giveBack(lane);
        }
    }

    private Lane take(OutageRetry patience) throws IOException {
        requireOpen();
        acquire(patience);
        if (closed) {
            permits.release();
            requireOpen();
        }
        var lane = free.pollFirst();
        return lane == null ? new Lane(connections, schema, client, made.incrementAndGet(), silence) : lane;
    }

    /** The caller has handled interrupts: one that comes now ends the wait, not the operation. */
    private void acquire(OutageRetry patience) throws IOException {
        while (true) {
            try {
                if (permits.tryAcquire(patience.leftNanos(), TimeUnit.NANOSECONDS)) {
                    return;
                }
                throw new MetaUnavailableException("%s: timed out: all %d connections were in use for %d seconds"
                        .formatted(url, limits.connections(), patience.longest().toSeconds()), null);
            } catch (InterruptedException later) {
                patience.interrupted();
            }
        }
    }

    private void giveBack(Lane lane) {
        lane.used();
        if (lane.isDoubtful()) {
            lane.disconnect();          // never used again
        } else {
            free.addFirst(lane);
        }
        closeIdle();
        permits.release();
    }

    private void closeIdle() {
        long nanos = limits.idle().toNanos();
        for (var lane = free.peekLast(); lane != null && lane.isConnected() && lane.isIdleFor(nanos);
                lane = free.peekLast()) {
            if (free.removeLastOccurrence(lane)) {
                lane.disconnect();
                free.addLast(lane);
            }
        }
    }

    void requireOpen() throws IOException {
        if (closed) {
            throw new IOException("%s: the metadata engine is closed".formatted(url));
        }
    }

    /** Waits for lanes in use. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        permits.acquireUninterruptibly(limits.connections());
        free.stream().filter(Lane::isConnected).findFirst().ifPresent(Lanes::forget);
        free.forEach(Lane::disconnect);
        free.clear();
        permits.release(limits.connections());
    }

    private static void forget(Lane lane) {
        try {
            lane.forgetClient();
        } catch (SQLException later) {
            // removed the next time the volume is opened, after a day
        }
    }
}
