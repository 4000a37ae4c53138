package volsh.engine.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import volsh.engine.MetaDamagedException;

/**
 * The schema of one volume: its tables and functions. It is created atomically, and upgraded from an older format step
 * by step by the first client that opens it.
 */
record Schema(PostgresUrl url, UUID volume, int newest, Step step) {
    /** The newest format; step {@code n} in {@code n.sql} upgrades from format {@code n - 1} to {@code n}. */
    private static final int FORMAT = 3;

    /** The statements that upgrade to the format of this number. */
    interface Step {
        String to(int format) throws IOException;
    }

    Schema(PostgresUrl url, UUID volume) {
        this(url, volume, FORMAT, Schema::statements);
    }

    /** The errors for the slower of two clients: the schema, the table or their catalog entries exist. */
    private static final Set<String> TAKEN = Set.of("42P06", "42P07", "23505");

    /**
     * Killed clients leave the numbers of their last commits behind. No client asks for one after minutes, let alone a
     * day. And without mounts, nothing else shortens the log of changes.
     */
    private static final String FORGET = "DELETE FROM @schema@.applied WHERE at < clock_timestamp() "
            + "- interval '1 day'; SELECT @schema@.forget_changes()";

    /** The quoted name, for use in statements. */
    String quoted() {
        return "\"" + url.access() + "\"";   // of letters, digits, dashes and underscores
    }

    /** A statement with the names of schema and volume filled in. */
    String named(String statement) {
        return statement.replace("@schema@", quoted()).replace("@volume@", volume.toString());
    }

    /** @throws FileAlreadyExistsException if there is one that is not empty */
    void create(Connection connection) throws IOException, SQLException {
        try {
            atomically(connection, () -> {
                if (!exists(connection)) {
                    execute(connection, "CREATE SCHEMA @schema@");
                } else if (!isEmpty(connection)) {
                    throw taken();
                }
                migrate(connection, 0);
            });
        } catch (SQLException failed) {
            if (failed.getSQLState() != null && TAKEN.contains(failed.getSQLState())) {
                throw taken();
            }
            throw failed;
        }
    }

    private FileAlreadyExistsException taken() {
        return new FileAlreadyExistsException(url.toString(), null, "the database already has a volume of this name");
    }

    /** Checks that it is this volume's, and upgrades an old format. @throws NoSuchFileException if there is none */
    void require(Connection connection) throws IOException, SQLException {
        int format = format(connection);
        if (!volume(connection).equals(volume)) {
            throw new NoSuchFileException(url.toString(), null, "the database now has another volume of this name");
        }
        if (url.token().isPresent()) {
            requireToken(format);
            return;
        }
        if (format < newest) {
            atomically(connection, () -> {
                execute(connection, "LOCK TABLE @schema@.format IN ACCESS EXCLUSIVE MODE");
                withoutLimit(connection);
                migrate(connection, format(connection));
            });
        }
        execute(connection, FORGET);
    }

    private void requireToken(int format) throws IOException {
        if (format < newest) {
            throw new IOException("%s: the volume has an older format; its owner must open it once to upgrade it"
                    .formatted(url));
        }
    }

    /** Removes it with all its content, if it is this volume's. Otherwise does nothing. */
    void drop(Connection connection) throws IOException, SQLException {
        if (isOurs(connection)) {
            new Tokens(this).dropEach(connection);   // the server has too few locks to drop many in one transaction
        }
        atomically(connection, () -> {
            if (isOurs(connection)) {
                new Tokens(this).dropAll(connection);
                withoutLimit(connection);
                execute(connection, "DROP SCHEMA @schema@ CASCADE");
            }
        });
    }

    private boolean isOurs(Connection connection) throws IOException, SQLException {
        return exists(connection) && !isEmpty(connection) && volume(connection).equals(volume);
    }

    /** Whether the user may drop it. @throws NoSuchFileException if there is none, or it is another volume's */
    boolean isOwned(Connection connection) throws IOException, SQLException {
        if (!isOurs(connection)) {
            throw new NoSuchFileException(url.toString(), null, "no such volume in the database");
        }
        return has(connection, "SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = ?");
    }

    /** The volume it belongs to. @throws NoSuchFileException if there is none */
    UUID owner(Connection connection) throws IOException, SQLException {
        format(connection);
        return volume(connection);
    }

    private UUID volume(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var result = statement.executeQuery(named("SELECT volume FROM @schema@.format"))) {
            result.next();
            return result.getObject(1, UUID.class);
        }
    }

    private void migrate(Connection connection, int from) throws IOException, SQLException {
        for (int format = from + 1; format <= newest; format++) {
            execute(connection, step.to(format));
        }
    }

    static String statements(int number) throws IOException {
        return statements(Integer.toString(number));
    }

    static String statements(String name) throws IOException {
        try (var in = Schema.class.getResourceAsStream(name + ".sql")) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    private int format(Connection connection) throws IOException, SQLException {
        if (!exists(connection)) {
            throw new NoSuchFileException(url.toString(), null, "no such volume in the database");
        }
        if (isEmpty(connection)) {
            throw new NoSuchFileException(url.toString(), null,
                    "its schema is empty: the volume has not been created yet");
        }
        int format;
        try (var statement = connection.createStatement();
                var result = statement.executeQuery(named("SELECT max(version) FROM @schema@.format"))) {
            result.next();
            format = result.getInt(1);
        }
        if (format < 1) {
            throw new MetaDamagedException("%s: metadata corrupt: the schema has no format, or was not created by volsh"
                    .formatted(url));
        }
        if (format > newest) {
            throw new IOException("%s: written by a newer volsh (format %d, supported up to %d); upgrade volsh"
                    .formatted(url, format, newest));
        }
        return format;
    }

    private boolean exists(Connection connection) throws SQLException {
        return has(connection, "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = ?)");
    }

    private boolean isEmpty(Connection connection) throws SQLException {
        return !has(connection, "SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = ?)");
    }

    private boolean has(Connection connection, String question) throws SQLException {
        try (var statement = connection.prepareStatement(question)) {
            statement.setString(1, url.access());
            try (var result = statement.executeQuery()) {
                return result.next() && result.getBoolean(1);
            }
        }
    }

    /** The names of the volumes in a database that the user may see. */
    static List<String> volumes(Connection connection) throws SQLException {
        var names = new ArrayList<String>();
        try (var statement = connection.createStatement();
                var result = statement.executeQuery("""
                        SELECT nspname FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'format'
                        WHERE nspname LIKE 'volsh\\_%' AND has_schema_privilege(n.oid, 'USAGE')""")) {
            while (result.next()) {
                names.add(result.getString(1));
            }
        }
        return PostgresUrl.volumes(names);
    }

    void execute(Connection connection, String statements) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(named(statements));
        }
    }

    /** Removes the time limits for what follows. Only for a server that has just answered. */
    private static void withoutLimit(Connection connection) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, 0);
    }

    interface Steps {
        void run() throws IOException, SQLException;
    }

    /** Runs the steps in one transaction. After a failure the connection must be closed, which rolls back. */
    static void atomically(Connection connection, Steps steps) throws IOException, SQLException {
        connection.setAutoCommit(false);
        steps.run();
        connection.commit();
        connection.setAutoCommit(true);
    }
}
