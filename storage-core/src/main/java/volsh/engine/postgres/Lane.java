package volsh.engine.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import volsh.engine.BufferedTransaction.Row;
import volsh.engine.BufferedTransaction.Writes;
import volsh.engine.MetaEngine.Leads;
import volsh.engine.MetaKey;

/**
 * A sequence of commits: a connection, opened when needed and reopened when lost, and a number for every commit through
 * it. The database keeps the number of a lane's last commit, so that the fate of a commit whose answer was lost can be
 * determined. Used by one thread at a time.
 */
final class Lane {
    private final PostgresConnections connections;
    private final Schema schema;
    private final UUID client;
    private final int number;
    private final ServerSilence silence;
    private final Map<String, PreparedStatement> statements = new HashMap<>();
    private @Nullable OutageRetry patience;   // null before it is used
    private @Nullable Connection connection;
    private long sequence;
    private boolean doubtful;
    private boolean waits;   // for an answer, as far as known here
    private long usedNanos = System.nanoTime();

    Lane(PostgresConnections connections, Schema schema, UUID client, int number, ServerSilence silence) {
        this.connections = connections;
        this.schema = schema;
        this.client = client;
        this.number = number;
        this.silence = silence;
    }

    /** Reads the rows of a question, with evidence only from a state in which that holds; empty if it does not. */
    Optional<List<Found>> ask(Question question, @Nullable Evidence evidence) throws SQLException {
        var words = schema.url().token().isPresent() ? question.scoped() : question.words();
        var query = statement(evidence == null ? words : holding(words));
        int next = evidence == null ? 1 : bind(query, 1, evidence);
        switch (question) {
            case Question.Get(MetaKey key) -> query.setBytes(next, key.bytes());
            case Question.GetAll(List<MetaKey> keys) -> query.setArray(next, keys(keys));
            case Question.GetNamed(List<MetaKey> keys, Leads leads) -> {
                query.setArray(next, keys(keys));
                query.setBytes(next + 1, new byte[] {(byte) leads.kind()});
                query.setInt(next + 2, leads.offset() + 1);
                query.setArray(next + 3, keys(leads.from()));
            }
            case Question.Scan(MetaKey from, MetaKey to, int limit) -> {
                query.setBytes(next, from.bytes());
                query.setBytes(next + 1, to.bytes());
                query.setInt(next + 2, limit);
            }
        }
        return found(query, evidence != null);
    }

    /** Returns at least one row, which says whether the evidence holds, in the same state as the answer. */
    private static String holding(String words) {
        return "SELECT r.k, r.v, r.x, h.so FROM (SELECT @schema@.holds(?, ?, ?, ?, ?, ?)) AS h (so) LEFT JOIN LATERAL ("
                + words + ") AS r ON h.so";
    }

    private static Optional<List<Found>> found(PreparedStatement query, boolean holding) throws SQLException {
        var found = new ArrayList<Found>();
        try (ResultSet result = query.executeQuery()) {
            while (result.next()) {
                if (holding && !result.getBoolean(4)) {
                    return Optional.empty();
                }
                if (!holding || result.getObject(3) != null) {
                    found.add(Found.sealed(MetaKey.of(result.getBytes(1)), result.getBytes(2), result.getLong(3)));
                }
            }
        }
        return Optional.of(found);
    }

    /** Whether everything that was read is unchanged, and everything held exists, in one state. */
    Verdict check(Evidence evidence, List<MetaKey> held) throws SQLException {
        var check = statement(
                "SELECT CASE WHEN @schema@.holds(?, ?, ?, ?, ?, ?) THEN @schema@.missing(?) ELSE ''::bytea END");
        int next = bind(check, 1, evidence);
        check.setArray(next, keys(held));
        return verdict(check);
    }

    /** Commits as the next of this lane. If the connection fails and {@link #isDoubtful}, call {@link #wasApplied}. */
    Verdict apply(Long[] locks, Evidence evidence, Writes writes) throws SQLException {
        var apply = statement("SELECT @schema@.apply(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        apply.setObject(1, client);
        apply.setInt(2, number);
        apply.setLong(3, ++sequence);
        apply.setArray(4, array("int8", locks));
        int next = bind(apply, 5, evidence);
        apply.setArray(next++, keys(writes.held()));
        apply.setArray(next++, keys(writes.rows().stream().filter(row -> row.value() == null).map(Row::key).toList()));
        var puts = writes.rows().stream().filter(row -> row.value() != null).toList();
        apply.setArray(next++, keys(puts.stream().map(Row::key).toList()));
        apply.setArray(next++, bytes(puts.stream().map(Row::value).toArray(byte[][]::new)));
        apply.setArray(next++, keys(writes.sums().stream().map(sum -> sum.key()).toList()));
        apply.setArray(next, bytes(writes.sums().stream().map(sum -> sum.delta().row()).toArray(byte[][]::new)));
        doubtful = true;
        var verdict = verdict(apply);
        doubtful = false;
        return verdict;
    }

    /**
     * Whether the last commit was applied. If it was not, it never will be: its number is taken here, so a server that
     * is still processing it finds it taken. In the same transaction this is recorded under the negative number of the
     * lane: if the answer to this question is lost as well, the next one does not mistake it for the commit.
     */
    boolean wasApplied() throws SQLException {
        execute("BEGIN");
        boolean free = note(number);
        boolean first = note(-number);
        boolean applied = !free && first;
        execute(applied ? "ROLLBACK" : "COMMIT");
        doubtful = false;
        return applied;
    }

    /** Takes the number of the last commit under this lane; false if it is already taken. */
    private boolean note(int lane) throws SQLException {
        var note = statement("SELECT @schema@.note(?, ?, ?)");
        note.setObject(1, client);
        note.setInt(2, lane);
        note.setLong(3, sequence);
        try (var result = note.executeQuery()) {
            result.next();
            return result.getBoolean(1);
        }
    }

    /** The last commit was not sent, or the server has explicitly refused it: it is not applied. */
    void refused() {
        doubtful = false;
    }

    /** Whether the fate of the last commit is unknown: its number must not be skipped. */
    boolean isDoubtful() {
        return doubtful;
    }

    /** Makes all later questions see the same state. */
    void beginSnapshot() throws SQLException {
        execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    }

    void endSnapshot() throws SQLException {
        execute("COMMIT");
    }

    private void execute(String words) throws SQLException {
        statement(words).execute();
    }

    /** Wakes the followers of the log. */
    void hint() throws SQLException {
        execute("SELECT @schema@.hint()");
    }

    /** Removes the last commits of this client, all of which have been answered. */
    void forgetClient() throws SQLException {
        var forget = statement(schema.url().token().isPresent() ? "SELECT @schema@.forget(?)"
                : "DELETE FROM @schema@.applied WHERE client = ?");
        forget.setObject(1, client);
        forget.execute();
    }

    private int bind(PreparedStatement statement, int first, Evidence evidence) throws SQLException {
        int next = first;
        statement.setArray(next++, bytes(evidence.keys()));
        statement.setArray(next++, array("int8", evidence.versions()));
        statement.setArray(next++, bytes(evidence.from()));
        statement.setArray(next++, bytes(evidence.to()));
        statement.setArray(next++, array("int4", evidence.limits()));
        statement.setArray(next++, bytes(evidence.digests()));
        return next;
    }

    private java.sql.Array keys(Collection<MetaKey> keys) throws SQLException {
        return bytes(keys.stream().map(MetaKey::bytes).toArray(byte[][]::new));
    }

    private java.sql.Array bytes(byte[][] values) throws SQLException {
        return array("bytea", values);
    }

    /** For a statement of the open connection. */
    private java.sql.Array array(String type, @Nullable Object[] values) throws SQLException {
        return Objects.requireNonNull(connection).createArrayOf(type, values);
    }

    private static Verdict verdict(PreparedStatement call) throws SQLException {
        try (var result = call.executeQuery()) {
            result.next();
            return Verdict.of(result.getBytes(1));
        }
    }

    private PreparedStatement statement(String words) throws SQLException {
        if (waits) {
            silence.answered();   // otherwise there would be no further question
        }
        waits = true;
        silence.asked();
        var open = connect();
        if (patience != null && !connections.limitsAnswers()) {
            open.setNetworkTimeout(Runnable::run, patience.answerMillis());
        }
        var known = statements.get(words);
        if (known == null) {
            known = open.prepareStatement(schema.named(words));
            statements.put(words, known);
        }
        return known;
    }

    private Connection connect() throws SQLException {
        if (connection == null) {
            connection = patience == null ? connections.open() : connections.open(patience.answerMillis());
        }
        return connection;
    }

    /** Limits the wait for answers to the patience of the current user. */
    void within(OutageRetry other) {
        patience = other;
    }

    /** The patience of the current user. */
    OutageRetry patience() {
        return Objects.requireNonNull(patience);
    }

    boolean isConnected() {
        return connection != null;
    }

    /** Whether the failure has broken the connection. */
    boolean isLost(SQLException failure) throws SQLException {
        return connection == null || connection.isClosed() || PostgresFailures.isOutage(failure);
    }

    void used() {
        usedNanos = System.nanoTime();
        waits = false;
    }

    boolean isIdleFor(long nanos) {
        return System.nanoTime() - usedNanos > nanos;
    }

    /** Closes the connection; the next question opens another. */
    void disconnect() {
        waits = false;
        var ending = connection;
        connection = null;
        statements.clear();
        try {
            if (ending != null) {
                ending.close();
            }
        } catch (SQLException gone) {
            // closing was the intention
        }
    }
}
