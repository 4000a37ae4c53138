package volsh.engine.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.postgresql.Driver;
import volsh.secret.Secrets;

/** Opens connections to a database, each set up as this engine needs it. */
record PostgresConnections(PostgresUrl url) {
    private static final int VERSION_MIN = 13;
    // held, otherwise its level would be lost
    private static final Logger DRIVER = Logger.getLogger("org.postgresql");

    static {
        DRIVER.setLevel(Level.OFF);   // its exceptions carry the same messages
    }

    /** In seconds. The lock timeout is shorter than the answer timeout, so that the server gives up first. */
    private static final Map<String, String> DEFAULTS = Map.of(
            "connectTimeout", "5", "socketTimeout", "20", "tcpKeepAlive", "true", "prepareThreshold", "1",
            "ApplicationName", "volsh");

    /**
     * Rows are found by key or in key order, however many there are and whatever the statistics say; so a plan is made
     * once. A commit is on the server's disk when it returns, even if the administrator has configured less; stronger
     * settings, for standbys, stay.
     */
    private static final String SETTINGS = """
            SELECT set_config(name, value, false) FROM (VALUES
                ('enable_seqscan', 'off'), ('enable_bitmapscan', 'off'), ('enable_hashjoin', 'off'), ('enable_mergejoin', 'off'), ('jit', 'off'),
                ('plan_cache_mode', 'force_generic_plan'),
                ('default_transaction_isolation', 'read committed'),
                ('lock_timeout', '10s'), ('statement_timeout', '0'), ('idle_in_transaction_session_timeout', '60s'),
                ('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'local' ELSE current_setting('synchronous_commit') END)
            ) AS settings (name, value)""";

    /** Whether the URL sets the answer timeout: then that applies. */
    boolean limitsAnswers() {
        return url.options().containsKey("socketTimeout");
    }

    /** For transactions and reads: an answer that does not arrive in time counts as a lost connection. */
    Connection open() throws SQLException {
        return open(DEFAULTS);
    }

    /** Like {@link #open()}, with this limit for any answer. */
    Connection open(int millis) throws SQLException {
        var defaults = new HashMap<>(DEFAULTS);
        int seconds = Math.max(1, (millis + 999) / 1000);
        defaults.put("connectTimeout",
                Integer.toString(Math.min(seconds, Integer.parseInt(DEFAULTS.get("connectTimeout")))));
        defaults.put("socketTimeout",
                Integer.toString(Math.min(seconds, Integer.parseInt(DEFAULTS.get("socketTimeout")))));
        return open(defaults);
    }

    private Connection open(Map<String, String> defaults) throws SQLException {
        // null only for the URL of another driver
        var connection = Objects.requireNonNull(new Driver().connect(url.jdbc(), properties(defaults)));
        try {
            requireVersion(connection);
            try (var statement = connection.createStatement()) {
                statement.execute(SETTINGS);
            }
            return connection;
        } catch (SQLException | RuntimeException failed) {
            connection.close();
            throw failed;
        }
    }

    private Properties properties(Map<String, String> defaults) {
        var properties = new Properties();
        properties.putAll(defaults);
        properties.putAll(url.options());
        properties.remove(PostgresLimits.OUTAGE);   // unknown to the driver
        url.user().ifPresent(user -> properties.setProperty("user", user));
        url.password().or(() -> Secrets.find("PGPASSWORD"))
                .ifPresent(password -> properties.setProperty("password", password));
        return properties;
    }

    private static void requireVersion(Connection connection) throws SQLException {
        var server = connection.getMetaData();
        if (server.getDatabaseMajorVersion() < VERSION_MIN) {
            throw new SQLException("the server runs PostgreSQL %s, but volsh needs %d or newer"
                    .formatted(server.getDatabaseProductVersion(), VERSION_MIN), "0A000");
        }
    }
}
