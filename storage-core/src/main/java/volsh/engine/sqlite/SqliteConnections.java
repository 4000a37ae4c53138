package volsh.engine.sqlite;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteOpenMode;

/** Opens connections to one database file. */
record SqliteConnections(Path path) {
    private static final int CACHE_KIB = 16 << 10;

    /** A connection that waits for locks up to {@code busyMillis} by itself. The file must exist. */
    Connection open(int busyMillis) throws IOException {
        var config = new SQLiteConfig();
        config.resetOpenMode(SQLiteOpenMode.CREATE);
        config.setOpenMode(SQLiteOpenMode.NOMUTEX);
        config.setBusyTimeout(busyMillis);
        config.setGetGeneratedKeys(false);   // otherwise every put also queries the last row id
        try {
            var connection = config.createConnection(url());
            try (var statement = connection.createStatement()) {
                statement.execute("PRAGMA temp_store = MEMORY");
                statement.execute("PRAGMA cache_size = -" + CACHE_KIB);
                statement.execute("PRAGMA wal_autocheckpoint = 0");
                statement.execute("PRAGMA synchronous = NORMAL");
                statement.execute("PRAGMA cell_size_check = ON");
                return connection;
            } catch (SQLException failed) {
                connection.close();
                throw failed;
            }
        } catch (SQLException failed) {
            throw SqliteFailures.of(path, failed);
        }
    }

    /** As a URI: a question mark in the name is not the start of parameters. */
    private String url() {
        return "jdbc:sqlite:file:" + path.toUri().getRawPath();
    }
}
