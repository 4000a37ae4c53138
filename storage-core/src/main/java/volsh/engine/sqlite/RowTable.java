package volsh.engine.sqlite;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.sqlite.BusyHandler;
import volsh.engine.BufferedTransaction.Row;
import volsh.engine.BufferedTransaction.State;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine.Entry;
import volsh.engine.MetaKey;
import volsh.engine.RowChecksum;

/**
 * The rows through one connection, with every statement prepared. Used by one thread at a time.
 *
 * <p>Every row that is read is compared with its {@link RowChecksum}. A key that was changed in place hides its row and
 * misleads searches: but each misled search ends next to that row. So where nothing is found, the rows on either side
 * are compared, too, and so are those before and after the result of a scan. A mismatch there fails the read only if it
 * {@link DamagedNeighbours may hide} what was requested.
 *
 * <p>A read begins with its first row: as long as that row's result is open, SQLite keeps to one state. This saves most
 * reads, which are of a row or two, the two statements of a transaction.
 *
 * <p>Long values are in a table of their own, {@code apart}, and the row has their number in place of the value: SQLite
 * would read all of a long row, from several pages, each time a search passes it. The checksum of such a value includes
 * the key of its row, so a wrong number is found like other damage.
 *
 * <p>After a failure SQLite may have rolled back by itself, and what follows would no longer be part of the
 * transaction. So a failure is remembered: {@link #requireSound} repeats it until {@link #rollback}. The driver closes
 * a statement that failed for a reason other than a lock: then the connection is not used again.
 */
final class RowTable implements State, AutoCloseable {
    private static final int ABSENT_MAX = 256;
    /** Longer ones are stored apart: with its key, a row of 1,002 bytes fits one page of an index of SQLite. */
    private static final int VALUE_MAX = 900;
    /** Kinds of rows that may be long: bytes of files, history, changes, extended attributes, targets of links. */
    private static final String LONG_KINDS = "DhwXL";
    private static final String APART = "CASE typeof(v) WHEN 'integer' THEN (SELECT apart.v FROM apart "
            + "WHERE apart.n = kv.v) ELSE v END";

    private final Path path;
    private final Connection connection;
    private final PreparedStatement begin;
    private final PreparedStatement beginImmediate;
    private final PreparedStatement commit;
    private final PreparedStatement rollback;
    private final PreparedStatement first;
    private final PreparedStatement get;
    private final PreparedStatement scan;
    private final PreparedStatement before;
    private final PreparedStatement beside;
    private final PreparedStatement put;
    private final PreparedStatement delete;
    private final @Nullable LongValues longValues;   // null in a format that has no table for them
    private @Nullable PreparedStatement frames;   // null until first used
    private @Nullable PreparedStatement pages;    // the same
    private @Nullable PreparedStatement downward; // the same
    private @Nullable PreparedStatement upward;   // the same
    private final Wait wait;
    private final boolean sealed;   // do rows end with a checksum?
    private final String value;     // of a row, as an expression
    private final Set<MetaKey> absent = new HashSet<>();   // rows of rare kinds that were verified to be absent
    private boolean reading;    // begun, but nothing read yet
    private boolean writing;
    private boolean surveying;  // rows that do not match are returned as damaged
    private @Nullable ResultSet held;     // the first row of a read, open until its end; null if there is none
    private @Nullable IOException failure;
    private boolean spent;      // a statement was closed

    /** Takes ownership of the connection; a read waits up to {@code busyMax} for locks. */
    RowTable(Path path, Connection connection, int format, Duration busyMax) throws IOException {
        this.path = path;
        this.sealed = format >= DatabaseFile.SEALED;
        boolean apart = format >= DatabaseFile.APART;
        this.value = apart ? APART : "v";
        this.connection = connection;
        this.wait = new Wait(busyMax);
        try {
            BusyHandler.setHandler(connection, wait);
            begin = connection.prepareStatement("BEGIN");
            beginImmediate = connection.prepareStatement("BEGIN IMMEDIATE");
            commit = connection.prepareStatement("COMMIT");
            rollback = connection.prepareStatement("ROLLBACK");
            first = prepare("SELECT (SELECT %s FROM kv WHERE k = ?)");   // always has a row
            get = prepare("SELECT %s FROM kv WHERE k = ?");
            scan = prepare("SELECT k, %s FROM kv WHERE k >= ? ORDER BY k LIMIT ?");
            before = prepare("SELECT k, %s FROM kv WHERE k < ? ORDER BY k DESC LIMIT 1");
            beside = prepare("SELECT k, v FROM (SELECT k, %1$s AS v FROM kv WHERE k < ?1 ORDER BY k DESC LIMIT 1)"
                    + " UNION ALL SELECT k, v FROM (SELECT k, %1$s AS v FROM kv WHERE k > ?1 ORDER BY k LIMIT 1)");
            put = connection.prepareStatement("REPLACE INTO kv (k, v) VALUES (?, ?)");
            delete = connection.prepareStatement("DELETE FROM kv WHERE k = ?");
            longValues = apart ? new LongValues(
                    connection.prepareStatement("INSERT INTO apart (v) VALUES (?)"),
                    connection.prepareStatement("REPLACE INTO kv (k, v) VALUES (?, last_insert_rowid())"),
                    connection.prepareStatement("DELETE FROM apart WHERE n = "
                            + "(SELECT v FROM kv WHERE k = ? AND typeof(v) = 'integer')")) : null;
            // otherwise the driver checks before each statement whether it begins a transaction
            connection.setAutoCommit(false);
            commit.execute();                  // ends the transaction begun by that
        } catch (SQLException failed) {
            close();
            throw SqliteFailures.of(path, failed);
        }
    }

    /** Prepares a query of values: {@code %s} stands for that of a row. */
    private PreparedStatement prepare(String query) throws SQLException {
        return connection.prepareStatement(query.formatted(value));
    }

    /** Everything read until {@link #commit} is from one state. {@code surveying} returns damaged rows as such. */
    void begin(boolean surveying) {
        wait.patient(true);
        reading = true;
        this.surveying = surveying;
        writing = false;
    }

    /** Takes the write lock; false if another process has it. */
    boolean beginImmediate() throws IOException {
        wait.patient(false);
        surveying = false;
        writing = true;
        try {
            beginImmediate.execute();
            return true;
        } catch (SQLException failed) {
            if (SqliteFailures.isBusy(failed)) {
                return false;
            }
            throw failed(failed);
        }
    }

    void commit() throws IOException {
        requireSound();
        if (!isOnlyRead()) {
            execute(commit);
        }
        endRead();
    }

    /** Whether this is a read without a transaction of its own. */
    private boolean isOnlyRead() {
        return reading || held != null;
    }

    private void endRead() throws IOException {
        reading = false;
        var ended = held;
        held = null;
        if (ended != null) {
            try {
                ended.close();
            } catch (SQLException failed) {
                throw failed(failed);
            }
        }
    }

    /** Undoes everything since the begin. False if the connection is unusable afterwards. */
    boolean rollback() {
        return isUndone() && !spent;
    }

    private boolean isUndone() {
        boolean sound = failure == null;
        failure = null;
        if (isOnlyRead()) {
            return hasEndedRead();
        }
        try {
            rollback.execute();
            return true;
        } catch (SQLException failed) {
            // After a failure SQLite may have rolled back by itself, with nothing left to roll back.
            return !sound && !isInTransaction();
        }
    }

    private boolean hasEndedRead() {
        try {
            endRead();
            return true;
        } catch (IOException failed) {
            return false;
        }
    }

    private boolean isInTransaction() {
        try {
            begin.execute();
            commit.execute();
            return false;
        } catch (SQLException failed) {
            return true;
        }
    }

    /** How many frames of the log are committed. Only between transactions. */
    int committedFrames() throws IOException {
        try {
            if (frames == null) {
                frames = connection.prepareStatement("PRAGMA wal_checkpoint(NOOP)");
            }
            try (var result = frames.executeQuery()) {
                return result.next() ? result.getInt(2) : 0;
            }
        } catch (SQLException failed) {
            throw SqliteFailures.of(path, failed);
        }
    }

    /** How many pages are free. Only between transactions. */
    long freePages() throws IOException {
        try (var statement = connection.createStatement();
                var result = statement.executeQuery("PRAGMA freelist_count")) {
            return result.next() ? result.getLong(1) : 0;
        } catch (SQLException failed) {
            throw SqliteFailures.of(path, failed);
        }
    }

    /** How many pages the database has, with those that this transaction adds. */
    long pages() throws IOException {
        requireSound();
        try {
            if (pages == null) {
                pages = connection.prepareStatement("PRAGMA page_count");
            }
            try (var result = pages.executeQuery()) {
                return result.next() ? result.getLong(1) : 0;
            }
        } catch (SQLException failed) {
            throw failed(failed);
        }
    }

    /** @throws IOException the failure since the begin, if there was one */
    void requireSound() throws IOException {
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public byte @Nullable [] get(MetaKey key) throws IOException {
        requireSound();
        try {
            byte[] stored = stored(key);
            if (stored == null) {
                requireAbsent(key);
                return null;
            }
            return value(key, stored);
        } catch (SQLException failed) {
            throw failed(failed);
        }
    }

    /**
     * Searches for the keys in order: all keys up to the row after a missing one are missing, too. The counters of a
     * directory, of which most lanes are empty, take about five searches instead of sixteen.
     */
    @Override
    public Map<MetaKey, byte[]> getAll(Collection<MetaKey> keys) throws IOException {
        requireSound();
        var found = new HashMap<MetaKey, byte[]>();
        byte[] behind = null;
        try {
            for (var key : keys.size() > 1 ? new TreeSet<>(keys) : keys) {
                if (behind != null && Arrays.compareUnsigned(key.bytes(), behind) < 0) {
                    continue;
                }
                byte[] stored = stored(key);
                behind = stored == null ? requireAbsent(key) : null;
                byte[] value = stored == null ? null : value(key, stored);
                if (value != null) {
                    found.put(key, value);
                }
            }
            return found;
        } catch (SQLException failed) {
            throw failed(failed);
        }
    }

    private byte @Nullable [] stored(MetaKey key) throws SQLException {
        return reading ? first(key) : found(key);
    }

    private byte @Nullable [] value(MetaKey key, byte[] stored) throws IOException {
        return isSound(key, stored) ? value(stored) : refused(key);
    }

    private byte @Nullable [] found(MetaKey key) throws SQLException {
        get.setBytes(1, key.bytes());
        try (var result = get.executeQuery()) {
            return result.next() ? blob(result.getBytes(1)) : null;
        }
    }

    private byte @Nullable [] first(MetaKey key) throws SQLException {
        first.setBytes(1, key.bytes());
        var row = first.executeQuery();
        held = row;
        reading = false;
        row.next();
        byte[] found = row.getBytes(1);
        return found == null && row.wasNull() ? null : blob(found);
    }

    /** Reports a damaged row; in a survey, returns nothing. */
    private byte @Nullable [] refused(MetaKey key) throws IOException {
        if (surveying) {
            return null;
        }
        throw MetaDamagedException.checksum(key);
    }

    /**
     * Verifies that a missing row does not exist, rather than being hidden by damage. A change that creates a name
     * skips this, to save two searches: the name was looked up before. Rows that most volumes never have are verified
     * once.
     *
     * @return the key of the row after it; null if there is none, or it was not searched for
     */
    private byte @Nullable [] requireAbsent(MetaKey key) throws IOException, SQLException {
        char kind = (char) key.bytes()[0];
        boolean newName = kind == 'E' && writing;
        if (!sealed || surveying || newName || absent.contains(key)) {
            return null;
        }
        byte[] last = requireNoneHidden(beside, key, key.next());
        if ((kind == 'q' || kind == 'r') && absent.size() < ABSENT_MAX) {
            absent.add(key);
        }
        return last != null && Arrays.compareUnsigned(last, key.bytes()) > 0 ? last : null;
    }

    /** Returns the key of the last of them; null if there are none, or one is damaged but hides no row of the range. */
    private byte @Nullable [] requireNoneHidden(PreparedStatement near, MetaKey from, MetaKey to)
            throws IOException, SQLException {
        near.setBytes(1, from.bytes());
        byte[] last = null;
        boolean sound = true;
        try (var result = near.executeQuery()) {
            while (result.next()) {
                last = result.getBytes(1);
                sound &= last != null && !Arrays.equals(last, from.bytes())
                        && RowChecksum.isSound(last, blob(result.getBytes(2)));
            }
        }
        if (sound) {
            return last;
        }
        var neighbours = new DamagedNeighbours(from, to);
        if (downward == null || upward == null) {
            downward = prepare("SELECT k, %s FROM kv WHERE k < ? ORDER BY k DESC LIMIT " + DamagedNeighbours.ROWS_MAX);
            upward = prepare("SELECT k, %s FROM kv WHERE k >= ? ORDER BY k LIMIT " + DamagedNeighbours.ROWS_MAX);
        }
        requireNoneHidden(downward, from, neighbours::before);
        if (near == beside) {   // a scan sees the rows after it itself
            requireNoneHidden(upward, from, neighbours::behind);
        }
        return null;
    }

    /** Takes rows; true when it has seen enough. */
    private interface Look {
        boolean row(byte @Nullable [] key, byte[] stored) throws MetaDamagedException;
    }

    private static void requireNoneHidden(PreparedStatement rows, MetaKey from, Look look)
            throws IOException, SQLException {
        rows.setBytes(1, from.bytes());
        try (var result = rows.executeQuery()) {
            int seen = 0;
            boolean enough = false;
            while (!enough && result.next()) {
                seen++;
                enough = look.row(result.getBytes(1), blob(result.getBytes(2)));
            }
            if (!enough && seen == DamagedNeighbours.ROWS_MAX) {
                throw new MetaDamagedException(
                        "metadata corrupt: %d rows in succession do not match their checksums".formatted(seen));
            }
        }
    }

    static MetaDamagedException damaged(byte @Nullable [] key) {
        return key == null || key.length == 0 || key.length > MetaKey.LENGTH_MAX
                ? new MetaDamagedException("metadata corrupt: a row has no key, or one that is too long")
                : MetaDamagedException.checksum(MetaKey.of(key));
    }

    @Override
    public List<Entry> scan(MetaKey from, MetaKey to, int limit) throws IOException {
        requireSound();
        if (reading) {   // a scan ends with its last row
            execute(begin);
            reading = false;
        }
        try {
            if (sealed && !surveying) {
                requireNoneHidden(before, from, to);
            }
            scan.setBytes(1, from.bytes());
            scan.setLong(2, (long) limit + DamagedNeighbours.ROWS_MAX);   // read only after damage
            try (var result = scan.executeQuery()) {
                return scanned(result, from, to, limit);
            }
        } catch (SQLException failed) {
            throw failed(failed);
        }
    }

    private List<Entry> scanned(ResultSet result, MetaKey from, MetaKey to, int limit)
            throws IOException, SQLException {
        var found = new ArrayList<Entry>();
        byte[] last = null;
        while (found.size() < limit && result.next()) {
            byte[] key = result.getBytes(1);
            byte[] stored = blob(result.getBytes(2));
            boolean sound = !sealed || key != null && RowChecksum.isSound(key, stored)
                    && (last == null || Arrays.compareUnsigned(last, key) < 0);
            if (!sound && !surveying) {
                requireNoneHiddenBehind(result, from, to);
                break;
            }
            if (sound && Arrays.compareUnsigned(key, to.bytes()) >= 0) {
                break;
            }
            if (sound) {
                last = key;
                found.add(new Entry(MetaKey.of(key), value(stored)));
            } else {   // also without a possible key: fewer rows than requested would mean the end
                boolean possible = key != null && key.length > 0 && key.length <= MetaKey.LENGTH_MAX;
                var beside = last == null ? from : MetaKey.of(last).next();
                found.add(Entry.damaged(possible ? MetaKey.of(key) : beside, value(stored)));
            }
        }
        return found;
    }

    /** For a scan that has met a damaged row: checks that it is beyond the end of the range and hides nothing. */
    private static void requireNoneHiddenBehind(ResultSet result, MetaKey from, MetaKey to)
            throws IOException, SQLException {
        var neighbours = new DamagedNeighbours(from, to);
        boolean enough = false;
        for (int seen = 0; !enough; seen++) {
            byte[] key = result.getBytes(1);
            if (seen == DamagedNeighbours.ROWS_MAX) {
                throw damaged(key);
            }
            enough = neighbours.behind(key, blob(result.getBytes(2))) || !result.next();
        }
    }

    private boolean isSound(MetaKey key, byte[] stored) {
        return !sealed || RowChecksum.isSound(key.bytes(), stored);
    }

    /** The value of a stored row. */
    private byte[] value(byte[] stored) {
        return sealed ? RowChecksum.value(stored) : stored;
    }

    void write(List<Row> rows) throws IOException {
        requireSound();
        try {
            for (var row : rows) {
                write(row);
            }
        } catch (SQLException failed) {
            throw failed(failed);
        }
    }

    private void write(Row row) throws SQLException {
        byte[] key = row.key().bytes();
        byte[] written = row.value();
        var apart = LONG_KINDS.indexOf(key[0]) >= 0 ? longValues : null;
        if (apart != null) {
            apart.drop(key);
        }
        if (written == null) {
            delete.setBytes(1, key);
            delete.executeUpdate();
        } else if (apart != null && written.length > VALUE_MAX) {
            apart.put(key, RowChecksum.seal(row.key(), written));
        } else {
            put.setBytes(1, key);
            put.setBytes(2, sealed ? RowChecksum.seal(row.key(), written) : written);
            put.executeUpdate();
        }
    }

    /** The statements that change the table of long values. */
    private record LongValues(PreparedStatement insert, PreparedStatement number, PreparedStatement delete) {
        /** Stores the value, and its number in the row. */
        void put(byte[] key, byte[] stored) throws SQLException {
            insert.setBytes(1, stored);
            insert.executeUpdate();
            number.setBytes(1, key);
            number.executeUpdate();
        }

        /** Deletes the value of the row, if it is a long one. */
        void drop(byte[] key) throws SQLException {
            delete.setBytes(1, key);
            delete.executeUpdate();
        }
    }

    /** SQLite returns an empty blob as null; no value of ours is null. */
    private static byte[] blob(byte @Nullable [] blob) {
        return blob == null ? new byte[0] : blob;
    }

    private void execute(PreparedStatement statement) throws IOException {
        try {
            statement.execute();
        } catch (SQLException failed) {
            throw failed(failed);
        }
    }

    private IOException failed(SQLException cause) {
        var failed = SqliteFailures.of(path, cause);
        spent |= !SqliteFailures.isLocked(cause);
        if (failure == null) {
            failure = failed;
        }
        return failed;
    }

    @Override
    public void close() throws IOException {
        try {
            connection.close();
        } catch (SQLException failed) {
            throw SqliteFailures.of(path, failed);
        }
    }
}
