package volsh.engine.postgres;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import volsh.engine.MetaEngine;

/**
 * Follows the {@link ChangeLog} in the background: at its {@link LogPace}, and at once when another client announces a
 * change. A hint may be late or lost: it only saves waiting. Hints of this client are sent a moment after its commits,
 * one for many.
 */
final class LogFollower implements MetaEngine.Following {
    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(20);
    // a call removes twice as many: the log stays short however fast others write
    private static final int FORGET_ROWS = 10_000;
    private static final int LISTEN_MILLIS = 2_000;

    private final ChangeLog log;
    private final PostgresConnections connections;
    private final Schema schema;
    private final Lanes lanes;
    private final LogPace pace;
    private final Semaphore occasions = new Semaphore(0);
    private final Thread follower = Thread.ofPlatform().name("volsh-changes").daemon().unstarted(this::follow);
    private final Thread listener = Thread.ofPlatform().name("volsh-hints").daemon().unstarted(this::listen);
    private volatile boolean written;
    private volatile boolean closed;
    private volatile @Nullable Connection ears;   // null before the first

    LogFollower(ChangeLog log, PostgresConnections connections, Schema schema, Lanes lanes, LogPace pace) {
        this.log = log;
        this.connections = connections;
        this.schema = schema;
        this.lanes = lanes;
        this.pace = pace;
    }

    void start() {
        log.connect();
        follower.start();
        listener.start();
    }

    /** This client has changed something. */
    void written() {
        if (!written) {
            written = true;
            occasions.release();
        }
    }

    /** See {@link ChangeLog#catchUp}. */
    boolean catchUp() {
        return log.catchUp();
    }

    private void follow() {
        long forgotten = System.nanoTime();
        while (!closed) {
            try {
                boolean asked = occasions.tryAcquire(pace.look().toNanos(), TimeUnit.NANOSECONDS);
                occasions.drainPermits();
                sendHint();
                if (!log.connect() && !closed) {
                    LockSupport.parkNanos(pace.again().toNanos());
                }
                log.catchUp();
                if (System.nanoTime() - forgotten > FORGET_NANOS || log.rowsHeard() > FORGET_ROWS) {
                    log.forgetOld();
                    forgotten = System.nanoTime();
                }
                if (asked) {
                    Thread.sleep(pace.rest());
                }
            } catch (InterruptedException stop) {
                return;
            }
        }
    }

    /** Sent over a connection for transactions: within a transaction, the server would serialize all that notify. */
    private void sendHint() {
        if (!written) {
            return;
        }
        written = false;
        try {
            lanes.use(new OutageRetry(Duration.ofSeconds(1)), lane -> {
                lane.hint();
                return null;
            });
        } catch (IOException | SQLException lost) {
            // other clients poll
        }
    }

    private void listen() {
        while (!closed) {
            try (var opened = connections.open()) {
                ears = opened;
                listen(opened);
            } catch (SQLException deaf) {
                LockSupport.parkNanos(pace.again().toNanos());
            }
        }
    }

    private void listen(Connection opened) throws SQLException {
        try (var statement = opened.createStatement()) {
            statement.execute(schema.named("LISTEN @schema@"));
        }
        var wire = opened.unwrap(PGConnection.class);
        while (!closed) {
            var hints = wire.getNotifications(LISTEN_MILLIS);
            if (hints != null && hints.length > 0 && occasions.availablePermits() == 0) {
                occasions.release();
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        follower.interrupt();
        LockSupport.unpark(listener);
        hangUp();
        log.close();
    }

    /** The listening thread notices at once. */
    private void hangUp() {
        var listening = ears;
        try {
            if (listening != null) {
                listening.abort(Runnable::run);
            }
        } catch (SQLException gone) {
            // closing was the intention
        }
    }
}
