package volsh.engine.postgres;

import java.io.IOException;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.postgresql.util.PasswordUtil;
import volsh.fs.FsError;
import volsh.fs.FsException;

/**
 * The tokens of a volume. Each is a role with a random password and a schema of functions, created from {@code
 * token*.sql}: the role has no right on any table. Revoking a token ends its connections and removes both.
 */
record Tokens(Schema schema) {
    private static final String TABLES = """
            CREATE TABLE IF NOT EXISTS @schema@.tokens (
                id text PRIMARY KEY, path text, read_only boolean NOT NULL, created timestamptz NOT NULL, expires timestamptz, revoked timestamptz,
                note text NOT NULL);
            CREATE TABLE IF NOT EXISTS @schema@.token_sessions (token text NOT NULL, session bytea NOT NULL, PRIMARY KEY (token, session))""";

    /** Entries by the inode they refer to, and extents by their block: kept while there are tokens for paths. */
    private static final List<String> INDEXES = List.of("token_names", "token_blocks");
    private static final List<String> INDEXED = List.of(
            "(substr(v, 9, 8)) WHERE get_byte(k, 0) = 69", "(substr(v, 17, 8)) WHERE get_byte(k, 0) = 88");

    private static final String LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";
    private static final SecureRandom RANDOM = new SecureRandom();

    boolean isReadOnly(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var result = statement.executeQuery(schema.named("SELECT @schema@.rights()"))) {
            result.next();
            return result.getString(1).equals("read");
        }
    }

    Token.Made create(Connection connection, Token.Wish wish) throws IOException, SQLException {
        requireRoles(connection);
        schema.execute(connection, TABLES);
        if (wish.place().isPresent()) {
            index(connection);
        }
        byte[] word = new byte[24];
        RANDOM.nextBytes(word);
        String password = Base64.getUrlEncoder().withoutPadding().encodeToString(word);
        var now = Instant.now();
        var token = new Token(id(), wish.place().map(Token.Place::path), wish.readOnly(), now,
                wish.lifetime().map(now::plus), Optional.empty(), wish.note());
        Schema.atomically(connection, () -> {
            insert(connection, token);
            schema.execute(connection, role(token, password));
            schema.execute(connection, functions(token, wish));
        });
        return new Token.Made(token, schema.url().as(token.role(), Optional.of(password)));
    }

    private void requireRoles(Connection connection) throws IOException, SQLException {
        try (var statement = connection.createStatement();
                var result = statement.executeQuery(
                        "SELECT current_user, rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user")) {
            if (!result.next() || !result.getBoolean(2)) {
                throw new FsException(FsError.NOT_PERMITTED, ("permission denied: the database user '%s' may not "
                        + "create roles, which a token needs").formatted(result.getString(1)));
            }
        }
    }

    private static String id() {
        var id = new StringBuilder();
        for (int i = 0; i < 10; i++) {
            id.append(LETTERS.charAt(RANDOM.nextInt(LETTERS.length())));
        }
        return id.toString();
    }

    private void insert(Connection connection, Token token) throws SQLException {
        try (var insert = connection.prepareStatement(schema.named(
                "INSERT INTO @schema@.tokens (id, path, read_only, created, expires, note) VALUES (?, ?, "
                        + "?, ?, ?, ?)"))) {
            insert.setString(1, token.id());
            insert.setString(2, token.path().orElse(null));
            insert.setBoolean(3, token.readOnly());
            insert.setTimestamp(4, Timestamp.from(token.created()));
            insert.setTimestamp(5, token.expires().map(Timestamp::from).orElse(null));
            insert.setString(6, token.note());
            insert.executeUpdate();
        }
    }

    /**
     * The server only gets the password's hash, because its log may keep the statement. The owner becomes a member, to
     * end its connections later.
     */
    private static String role(Token token, String password) throws SQLException {
        return """
                CREATE ROLE "%1$s" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION PASSWORD '%2$s'%3$s;
                GRANT "%1$s" TO CURRENT_USER""".formatted(token.role(), PasswordUtil.encodePassword(token.role(), password.toCharArray(), "scram-sha-256"),
                token.expires().map(end -> " VALID UNTIL '%s'".formatted(end)).orElse(""));
    }

    private String functions(Token token, Token.Wish wish) throws IOException {
        return Schema.statements("token")
                .replace("@scope@", Schema.statements(wish.place().isPresent() ? "token-path" : "token-volume"))
                .replace("@apply@", Schema.statements(wish.readOnly() ? "token-read" : "token-write"))
                .replace("@root@", "%016x".formatted(wish.place().map(Token.Place::ino).orElse(0L)))
                .replace("@lock@", Long.toString(new Locks(schema.url().schema()).volume() >> 1))
                .replace("@id@", token.id())
                .replace("@token@", "\"" + token.role() + "\"");
    }

    /** Created concurrently with commits; one that was interrupted is created again. */
    private void index(Connection connection) throws SQLException {
        for (int i = 0; i < INDEXES.size(); i++) {
            if (!isThere(connection, INDEXES.get(i))) {
                schema.execute(connection, "DROP INDEX IF EXISTS @schema@." + INDEXES.get(i));
                schema.execute(connection,
                        "CREATE INDEX CONCURRENTLY %s ON @schema@.kv %s".formatted(INDEXES.get(i), INDEXED.get(i)));
            }
        }
        schema.execute(connection, "ANALYZE @schema@.kv");
    }

    private boolean isThere(Connection connection, String index) throws SQLException {
        try (var query = connection.prepareStatement("""
                SELECT FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = ? AND c.relname = ? AND i.indisvalid""")) {
            query.setString(1, schema.url().schema());
            query.setString(2, index);
            try (var result = query.executeQuery()) {
                return result.next();
            }
        }
    }

    private boolean isKept(Connection connection) throws SQLException {
        try (var query = connection.prepareStatement("SELECT to_regclass(?) IS NOT NULL")) {
            query.setString(1, schema.quoted() + ".tokens");
            try (var result = query.executeQuery()) {
                return result.next() && result.getBoolean(1);
            }
        }
    }

    List<Token> list(Connection connection) throws SQLException {
        var found = new ArrayList<Token>();
        if (!isKept(connection)) {
            return found;
        }
        try (var statement = connection.createStatement(); var result = statement.executeQuery(schema.named(
                "SELECT id, path, read_only, created, expires, revoked, note FROM @schema@.tokens ORDER BY "
                        + "created, id"))) {
            while (result.next()) {
                found.add(new Token(result.getString(1), Optional.ofNullable(result.getString(2)), result.getBoolean(3),
                        result.getTimestamp(4).toInstant(),
                        Optional.ofNullable(result.getTimestamp(5)).map(Timestamp::toInstant),
                        Optional.ofNullable(result.getTimestamp(6)).map(Timestamp::toInstant), result.getString(7)));
            }
        }
        return found;
    }

    boolean revoke(Connection connection, String id) throws SQLException {
        var token = list(connection).stream().filter(one -> one.id().equals(id) && one.revoked().isEmpty()).findFirst();
        if (token.isEmpty()) {
            return false;
        }
        setRevoked(connection, id);   // its functions refuse from now on
        remove(connection, token.get());
        if (list(connection).stream().noneMatch(one -> one.revoked().isEmpty() && one.path().isPresent())) {
            for (var index : INDEXES) {
                schema.execute(connection, "DROP INDEX IF EXISTS @schema@." + index);
            }
        }
        return true;
    }

    /** Disables login, ends the connections, then removes the functions and the role. */
    private void remove(Connection connection, Token token) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("ALTER ROLE \"%s\" NOLOGIN".formatted(token.role()));
            statement.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '%s'"
                    .formatted(token.role()));
            statement.execute("DROP SCHEMA IF EXISTS \"%s\" CASCADE".formatted(token.role()));
            statement.execute("DROP OWNED BY \"%1$s\"; DROP ROLE \"%1$s\"".formatted(token.role()));
        }
        schema.execute(connection, "DELETE FROM @schema@.token_sessions WHERE token = '%s'".formatted(token.id()));
    }

    /** Like {@link #dropAll}, in one transaction per token; can be repeated after a failure. */
    void dropEach(Connection connection) throws IOException, SQLException {
        for (var token : list(connection)) {
            if (token.revoked().isEmpty()) {
                Schema.atomically(connection, () -> {
                    remove(connection, token);
                    setRevoked(connection, token.id());
                });
            }
        }
    }

    private void setRevoked(Connection connection, String id) throws SQLException {
        try (var update = connection.prepareStatement(
                schema.named("UPDATE @schema@.tokens SET revoked = clock_timestamp() WHERE id = ?"))) {
            update.setString(1, id);
            update.executeUpdate();
        }
    }

    /** Removes the tokens along with the volume. */
    void dropAll(Connection connection) throws SQLException {
        for (var token : list(connection)) {
            if (token.revoked().isEmpty()) {
                remove(connection, token);
            }
        }
    }
}
