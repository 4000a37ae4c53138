package volsh.engine.sqlite;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import volsh.engine.MetaKey;
import volsh.engine.RowChecksum;
import volsh.fs.NoSpaceException;

/**
 * Upgrades a database of an older format: one transaction adds checksums to all rows and a table, so that it happens
 * completely or not at all, and is started again by the next opener if the process was killed. It needs exclusive
 * access. While other processes have the file open, perhaps an older volsh that would go on writing rows without
 * checksums, nothing is done: all stay with the old format until an opener has the file for itself.
 */
record Conversion(DatabaseFile file) {
    private static final int PAGE = 1_000;

    void run() throws IOException {
        try (var alone = new SqliteConnections(file.path()).open(0); var statement = alone.createStatement()) {
            statement.execute("PRAGMA locking_mode = EXCLUSIVE");
            statement.execute("BEGIN EXCLUSIVE");
            int format = file.requireFormat(alone);
            if (format < DatabaseFile.SEALED) {
                seal(alone);
            }
            if (format < DatabaseFile.FORMAT) {   // another process may have been faster
                statement.execute(DatabaseFile.TABLE_APART);
                statement.execute("PRAGMA user_version = " + DatabaseFile.FORMAT);
            }
            statement.execute("COMMIT");
        } catch (SQLException failed) {
            var failure = SqliteFailures.of(file.path(), failed);
            if (!SqliteFailures.isBusy(failed) && !(failure instanceof NoSpaceException)) {
                throw failure;
            }
            System.getLogger(Conversion.class.getName()).log(Level.DEBUG,
                    "{0}: in use by other processes, or the disk is full; keeping its old format for now", file.path());
        }
    }

    private record Stored(byte[] key, byte[] value) {}

    private static void seal(Connection connection) throws SQLException {
        try (var scan = connection.prepareStatement("SELECT k, v FROM kv WHERE k > ? ORDER BY k LIMIT " + PAGE);
                var update = connection.prepareStatement("UPDATE kv SET v = ? WHERE k = ?")) {
            var page = page(scan, new byte[0]);
            while (!page.isEmpty()) {
                for (var row : page) {
                    update.setBytes(1, RowChecksum.seal(MetaKey.of(row.key()), row.value()));
                    update.setBytes(2, row.key());
                    update.executeUpdate();
                }
                page = page(scan, page.getLast().key());
            }
        }
    }

    private static List<Stored> page(PreparedStatement scan, byte[] behind) throws SQLException {
        scan.setBytes(1, behind);
        var page = new ArrayList<Stored>();
        try (var rows = scan.executeQuery()) {
            while (rows.next()) {
                byte[] value = rows.getBytes(2);
                page.add(new Stored(rows.getBytes(1), value == null ? new byte[0] : value));
            }
        }
        return page;
    }
}
