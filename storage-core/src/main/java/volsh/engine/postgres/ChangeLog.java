package volsh.engine.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaEngine.Follower;
import volsh.engine.MetaKey;

/**
 * Follows the log of changes from one snapshot of the database to the next: each round asks for the keys changed by
 * transactions that the previous round's snapshot does not show, and takes the next snapshot at the same time. A
 * snapshot shows all of a transaction, including its row in the log, or nothing; so each transaction is seen exactly
 * once, in whatever order they end.
 *
 * <p>A snapshot is meaningful to one server only, and the log does not survive a crash of it: when the connection is
 * lost, everything remembered is dropped.
 */
final class ChangeLog {
    private static final int ROUND_MAX = 2_000;
    /** A snapshot does not show transactions that began after it, and those in progress. */
    static final String ROUND = """
            SELECT pg_current_snapshot()::text, EXISTS (SELECT FROM @schema@.changes_gone AS g WHERE g.upto >= pg_snapshot_xmin(p.since)), c.keys
            FROM (SELECT ?::pg_snapshot) AS p (since) LEFT JOIN LATERAL (
                SELECT l.keys FROM @schema@.changes AS l WHERE l.by >= pg_snapshot_xmax(p.since)
                UNION ALL SELECT l.keys FROM pg_snapshot_xip(p.since) AS u (id) JOIN @schema@.changes AS l ON l.by = u.id
                LIMIT %d) AS c ON true""".formatted(ROUND_MAX);

    private final PostgresConnections connections;
    private final Schema schema;
    private final Remembered remembered;
    private final Follower follower;
    private final ReentrantLock turns = new ReentrantLock();
    private final Condition ended = turns.newCondition();
    private long begun;
    private long heard;
    private boolean asking;
    private boolean connected;
    private boolean closed;

    // owned by the thread whose turn it is
    private @Nullable Connection connection;
    private @Nullable PreparedStatement round;
    private String state = "";
    private final AtomicInteger rowsHeard = new AtomicInteger();

    ChangeLog(PostgresConnections connections, Schema schema, Remembered remembered, Follower follower) {
        this.connections = connections;
        this.schema = schema;
        this.remembered = remembered;
        this.follower = follower;
    }

    /**
     * Returns once everything committed before the call has been seen. Concurrent callers share a round, which must
     * begin after the call. False if the log is not being followed now.
     */
    boolean catchUp() {
        turns.lock();
        try {
            long wanted = begun + 1;
            while (connected && heard < wanted) {
                if (asking) {
                    ended.awaitUninterruptibly();
                } else {
                    take(this::hear);
                }
            }
            return connected && heard >= wanted;
        } finally {
            turns.unlock();
        }
    }

    boolean isConnected() {
        turns.lock();
        try {
            return connected;
        } finally {
            turns.unlock();
        }
    }

    /** Begins to follow the log unless it is being followed. Returns whether it is then. */
    boolean connect() {
        turns.lock();
        try {
            while (!connected && !closed) {
                if (asking) {
                    ended.awaitUninterruptibly();
                } else if (!take(this::open)) {
                    return false;
                }
            }
            return connected;
        } finally {
            turns.unlock();
        }
    }

    /** How many transactions were seen since {@link #forgetOld}. */
    int rowsHeard() {
        return rowsHeard.get();
    }

    /** Removes old rows from the log that no client needs. */
    void forgetOld() {
        turns.lock();
        try {
            while (connected && asking) {
                ended.awaitUninterruptibly();
            }
            if (connected) {
                take(this::prune);
            }
        } finally {
            turns.unlock();
        }
    }

    void close() {
        turns.lock();
        try {
            closed = true;
            while (asking) {
                ended.awaitUninterruptibly();
            }
            lose();
        } finally {
            turns.unlock();
        }
    }

    private interface Turn {
        void run() throws SQLException;
    }

    /** Uses the connection, which is dropped on failure. The caller holds the lock, which is released meanwhile. */
    private boolean take(Turn turn) {
        asking = true;
        long mine = ++begun;
        boolean done = false;
        turns.unlock();
        try {
            turn.run();
            done = true;
        } catch (SQLException gone) {
            // LogFollower reconnects
        } finally {
            turns.lock();
            asking = false;
            if (done && !closed) {
                connected = true;
                heard = mine;
            } else {
                lose();
            }
            ended.signalAll();
        }
        return connected;
    }

    private void lose() {
        connected = false;
        remembered.end();
        if (connection != null) {
            try {
                connection.close();
            } catch (SQLException gone) {
                // closing was the intention
            }
            connection = null;
        }
    }

    private void open() throws SQLException {
        var opened = connections.open();
        connection = opened;
        forget(opened);
        try (var statement = opened.createStatement();
                var result = statement.executeQuery("SELECT pg_current_snapshot()::text")) {
            result.next();
            state = result.getString(1);
        }
        round = opened.prepareStatement(schema.named(ROUND));
        remembered.begin();
        follower.lostTrack();
    }

    private void prune() throws SQLException {
        forget(Objects.requireNonNull(connection));
        hear();
    }

    private void forget(Connection opened) throws SQLException {
        rowsHeard.set(0);
        try (var statement = opened.createStatement()) {
            statement.execute(schema.named("SELECT @schema@.forget_changes()"));
        }
    }

    private void hear() throws SQLException {
        var question = Objects.requireNonNull(round);
        question.setString(1, state);
        var keys = new ArrayList<MetaKey>();
        boolean missed = false;
        int count = 0;
        try (var result = question.executeQuery()) {
            while (result.next()) {
                state = result.getString(1);
                missed |= result.getBoolean(2);
                var array = result.getArray(3);
                if (array != null) {
                    count++;
                    for (byte[] key : (byte[][]) array.getArray()) {
                        keys.add(MetaKey.of(key));
                    }
                }
            }
        }
        rowsHeard.addAndGet(count);
        if (missed || count == ROUND_MAX) {
            remembered.muchChanged();
            follower.lostTrack();
        } else if (!keys.isEmpty()) {
            remembered.changed(keys);
            follower.changed(keys);
        }
    }
}
