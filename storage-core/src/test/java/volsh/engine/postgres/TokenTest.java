package volsh.engine.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.RenameMode;
import volsh.inventory.Row;
import volsh.meta.Namespace;
import volsh.postgrestest.PostgresServer;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** Tokens against a client that does not keep to anything: it has the role's password and SQL. */
final class TokenTest {
    private static final UUID VOLUME = TestVolume.ID;
    private static final HexFormat HEX = HexFormat.of();
    private static final ChunkSettings SETTINGS = new ChunkSettings(4096, 100, 1 << 20);

    private final MemoryBlockStore store = new MemoryBlockStore();
    private PostgresUrl owner;
    private PostgresMetaEngine engine;
    private TestVolume volume;
    private Vfs vfs;
    private long data;
    private long secret;

    @BeforeEach
    void fill() throws Exception {
        owner = PostgresUrl.of(PostgresServer.shared().lockedUrl()).withVolume(PostgresServer.freshName());
        engine = PostgresMetaEngine.create(owner, VOLUME);
        volume = TestVolume.open(engine, store, SETTINGS, Runnable::run, Instant::now);
        vfs = volume.vfs();
        long above = make(Vfs.ROOT, "above");
        data = make(above, "data");
        secret = make(above, "secret");
        long sub = make(data, "sub");
        write(data, "small", "readable".getBytes(StandardCharsets.UTF_8));
        write(sub, "large", new byte[10_000]);
        write(secret, "small-secret", "TOPSECRET".getBytes(StandardCharsets.UTF_8));
        write(secret, "large-secret", new byte[10_000]);
        vfs.makeSymlink(sub, Name.of("link"), "small".getBytes(StandardCharsets.UTF_8), Owner.ROOT);
        vfs.makeSymlink(secret, Name.of("link-secret"), "TOPSECRET-target".getBytes(StandardCharsets.UTF_8),
                Owner.ROOT);
        volume.names().extendedAttributes()
                .set(vfs.lookup(secret, Name.of("small-secret")).ino(), "user.secret".getBytes(StandardCharsets.UTF_8),
                        "TOPSECRET".getBytes(StandardCharsets.UTF_8), volsh.meta.ExtendedAttributes.Mode.ALWAYS);
        vfs.link(vfs.lookup(secret, Name.of("large-secret")).ino(), data, Name.of("both"));
    }

    @AfterEach
    void drop() throws IOException {
        engine.close();
        PostgresMetaEngine.drop(owner, VOLUME);
    }

    private long make(long parent, String name) throws IOException {
        return vfs.makeDirectory(parent, Name.of(name), 0755, Owner.ROOT).ino();
    }

    private void write(long parent, String name, byte[] bytes) throws IOException {
        try (var file = vfs.create(parent, Name.of(name), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.wrap(bytes));
        }
    }

    private Token.Made token(Optional<Token.Place> place, boolean readOnly) throws IOException {
        return PostgresMetaEngine.createToken(owner, VOLUME,
                new Token.Wish(place, readOnly, Optional.of(Duration.ofDays(7)), "a test"));
    }

    private Token.Made ofData() throws IOException {
        return token(Optional.of(new Token.Place("/above/data", data)), true);
    }

    private static Connection connect(PostgresUrl url) throws SQLException {
        return new PostgresConnections(url).open();
    }

    // ---- what a hostile client can get

    private static TreeMap<String, byte[]> rows(Connection connection, String query) throws SQLException {
        var found = new TreeMap<String, byte[]>();
        try (var statement = connection.createStatement(); ResultSet result = statement.executeQuery(query)) {
            while (result.next()) {
                found.put(HEX.formatHex(result.getBytes(1)), result.getBytes(2));
            }
        }
        return found;
    }

    private TreeMap<String, byte[]> all() throws SQLException {
        try (var connection = connect(owner)) {
            return rows(connection, "SELECT k, v FROM \"%s\".kv".formatted(owner.schema()));
        }
    }

    /**
     * Every row that the functions of the token give to one who knows all keys: asked for one by one, and in scans of
     * every group.
     */
    private TreeMap<String, byte[]> seen(Connection connection, PostgresUrl token) throws SQLException {
        var found = new TreeMap<String, byte[]>();
        var groups = new TreeSet<String>();
        var keys = all().keySet();
        found.putAll(rows(connection, "SELECT r.k, r.v FROM %s, LATERAL \"%s\".get_rows(ARRAY[u.k]) AS r"
                .formatted(each(keys), token.access())));
        keys.forEach(key -> groups.add(key.substring(0, Math.min(18, key.length()))));
        for (var group : groups) {
            found.putAll(scanned(connection, token, group,
                    HEX.formatHex(MetaKey.of(HEX.parseHex(group)).afterPrefix().bytes())));
        }
        for (var kind : new TreeSet<>(groups.stream().map(group -> Integer.parseInt(group.substring(0, 2), 16))
                .toList())) {
            found.putAll(scanned(connection, token, "%02x".formatted(kind), "%02x".formatted(kind + 1)));
        }
        found.putAll(scanned(connection, token, "00", "ffffff"));
        return found;
    }

    /** These keys one by one, {@code u.k}, in one statement. */
    private static String each(Collection<String> keys) {
        return keys.stream().map("'\\x%s'"::formatted)
                .collect(Collectors.joining(", ", "unnest(ARRAY[", "]::bytea[]) AS u (k)"));
    }

    private static TreeMap<String, byte[]> scanned(Connection connection, PostgresUrl token, String from, String to)
            throws SQLException {
        try {
            return rows(connection,
                    "SELECT k, v FROM \"%s\".scan_rows('\\x%s', '\\x%s', 100000)".formatted(token.access(), from, to));
        } catch (SQLException refused) {
            if (!"VS004".equals(refused.getSQLState())) {
                throw refused;
            }
            return new TreeMap<>();
        }
    }

    /** The rows of these kinds that belong to what lies below, as a walk finds it, and to what leads there. */
    private Set<String> below(long top, TreeMap<String, byte[]> all) throws IOException {
        var inos = new TreeSet<Long>();
        collect(top, inos);
        var blocks = new TreeSet<Long>();
        var expected = new TreeSet<String>();
        all.forEach((key, value) -> {
            switch (Row.of(new MetaEngine.Entry(MetaKey.of(HEX.parseHex(key)), value))) {
                case Row.Node node when inos.contains(node.ino()) || leadsTo(node.ino()) -> expected.add(key);
                case Row.Entry entry when inos.contains(entry.directory()) || leadsTo(entry.ino())
                        || entry.ino() == top -> expected.add(key);
                case Row.Inline inline when inos.contains(inline.ino()) -> expected.add(key);
                case Row.Target target when inos.contains(target.ino()) -> expected.add(key);
                case Row.Attribute attribute when inos.contains(attribute.ino()) -> expected.add(key);
                case Row.DirectoryCount count when inos.contains(count.directory()) -> expected.add(key);
                case Row.Run run when inos.contains(run.ino()) -> {
                    expected.add(key);
                    blocks.add(run.block());
                }
                case Row.Tick tick -> expected.add(key);
                case Row.NextNumber next when next.of().equals("session") -> expected.add(key);
                default -> { }
            }
        });
        all.forEach((key, value) -> {
            if (Row.of(new MetaEngine.Entry(MetaKey.of(HEX.parseHex(key)), value)) instanceof Row.Block block
                    && blocks.contains(block.row().id())) {
                expected.add(key);
            }
        });
        return expected;
    }

    private static boolean leadsTo(long ino) {
        return ino == Vfs.ROOT || ino == 2;   // "above" is the first that was made
    }

    private void collect(long ino, Set<Long> inos) throws IOException {
        if (inos.add(ino) && vfs.attributes(ino).kind() == FileKind.DIRECTORY) {
            for (var entry : volume.names().list(ino, null, 1000)) {
                collect(entry.ino(), inos);
            }
        }
    }

    /** What could be got that should not: empty, or the token does not hold. */
    private List<String> leaks(PostgresUrl token, Set<String> allowed) throws SQLException {
        var leaks = new ArrayList<String>();
        var all = all();
        try (var connection = connect(token)) {
            for (var key : seen(connection, token).keySet()) {
                if (!allowed.contains(key)) {
                    leaks.add("scan " + key);
                }
            }
            String schema = "\"%s\"".formatted(token.access());
            var others = each(all.keySet().stream().filter(key -> !allowed.contains(key)).toList());
            leak(connection, leaks, "get", ("SELECT encode(u.k, 'hex') FROM %s WHERE EXISTS (SELECT FROM "
                    + "%s.get_rows(ARRAY[u.k]))").formatted(others, schema));
            leak(connection, leaks, "holds", ("SELECT encode(u.k, 'hex') FROM %s WHERE NOT %s.holds(ARRAY[u.k], "
                    + "ARRAY[NULL]::bigint[], ARRAY[]::bytea[], ARRAY[]::bytea[],"
                    + " ARRAY[]::integer[], ARRAY[]::bytea[])").formatted(others, schema));
            leak(connection, leaks, "missing",
                    "SELECT encode(u.k, 'hex') FROM %s WHERE %s.missing(ARRAY[u.k]) IS NULL".formatted(others, schema));
            for (var table : List.of("kv", "applied", "changes", "changes_gone", "tokens", "token_sessions")) {
                leak(connection, leaks, "table " + table,
                        "SELECT 1 FROM \"%s\".%s LIMIT 1".formatted(owner.schema(), table));
            }
            leak(connection, leaks, "view", "SELECT 1 FROM %s.kv LIMIT 1".formatted(schema));
            leak(connection, leaks, "plan", "EXPLAIN ANALYZE SELECT 1 FROM %s.kv".formatted(schema));
            for (var helper : List.of("visible('\\x4e')", "within('\\x00')", "chain()", "is_above('\\x00')",
                    "holds_block('\\x00')")) {
                leak(connection, leaks, helper, "SELECT %s.%s".formatted(schema, helper));
            }
            leak(connection, leaks, "function of the volume",
                    "SELECT \"%s\".missing(ARRAY['\\x74'::bytea])".formatted(owner.schema()));
            leak(connection, leaks, "statistics",
                    "SELECT 1 FROM pg_stats WHERE schemaname = '%s' AND tablename = 'kv'".formatted(owner.schema()));
        }
        return leaks;
    }

    private static void leak(Connection connection, List<String> leaks, String what, String query) {
        try (var statement = connection.createStatement(); var result = statement.executeQuery(query)) {
            while (result.next()) {
                leaks.add(what + (result.getMetaData().getColumnType(1) == java.sql.Types.VARCHAR
                        ? " " + result.getString(1) : ""));
            }
        } catch (SQLException refused) {
            // no right, no such function or view
            assertThat(refused.getSQLState()).as(query + ": " + refused.getMessage()).isIn("42501", "42883", "42P01");
        }
    }

    @Test
    void aPathIsAllThereIs() throws Exception {
        var token = ofData();
        var allowed = below(data, all());
        assertThat(allowed).hasSizeGreaterThan(15);
        assertThat(leaks(token.url(), allowed)).isEmpty();
        try (var connection = connect(token.url())) {
            var seen = seen(connection, token.url());
            assertThat(seen.keySet()).isEqualTo(allowed);
            seen.forEach((key, value) -> assertThat(key + HEX.formatHex(value))
                    .doesNotContain(HEX.formatHex("TOPSECRET".getBytes(StandardCharsets.UTF_8)))
                    .doesNotContain(HEX.formatHex("small-secret".getBytes(StandardCharsets.UTF_8))));
        }
        // what leaves the directory is out of sight at once; what has a name in it as well is not
        vfs.rename(data, Name.of("small"), secret, Name.of("small-was-here"), RenameMode.REPLACE);
        vfs.unlink(secret, Name.of("large-secret"));
        assertThat(leaks(token.url(), below(data, all()))).isEmpty();
        vfs.unlink(data, Name.of("both"));
        vfs.rename(vfs.lookup(data, Name.of("sub")).ino(), Name.of("large"), secret, Name.of("large-was-here"),
                RenameMode.REPLACE);
        var less = below(data, all());
        assertThat(less.stream().filter(key -> key.startsWith("62"))).as("blocks").isEmpty();
        assertThat(leaks(token.url(), less)).isEmpty();
    }

    /**
     * The server counts which rows are touched, and tells everybody: a name that is there must not count other than one
     * that is not.
     */
    @Test
    void namesCannotBeGuessedFromStatistics() throws Exception {
        var token = ofData().url();
        String there = HEX.formatHex(ByteBuffer.allocate(21).put((byte) 'E').putLong(secret)
                .put("small-secret".getBytes(StandardCharsets.UTF_8)).array());
        String not = there.substring(0, there.length() - 2) + "21";
        assertThat(all()).containsKey(there).doesNotContainKey(not);
        try (var connection = connect(token)) {
            assertThat(touched(connection, token, "get_rows(ARRAY['\\x%s'::bytea])".formatted(there)))
                    .isEqualTo(touched(connection, token, "get_rows(ARRAY['\\x%s'::bytea])".formatted(not)));
            assertThat(touched(connection, token, "scan_rows('\\x%s', '\\x%sff', 10)".formatted(there, there)))
                    .isEqualTo(touched(connection, token, "scan_rows('\\x%s', '\\x%sff', 10)".formatted(not, not)));
            // negative control: where it may look, what is there counts
            String mine = HEX.formatHex(ByteBuffer.allocate(14).put((byte) 'E').putLong(data)
                    .put("small".getBytes(StandardCharsets.UTF_8)).array());
            String none = mine.substring(0, mine.length() - 2) + "21";
            assertThat(touched(connection, token, "get_rows(ARRAY['\\x%s'::bytea])".formatted(mine)))
                    .isNotEqualTo(touched(connection, token, "get_rows(ARRAY['\\x%s'::bytea])".formatted(none)));
        }
    }

    /** Rows of the volume's table that the call touched, as the server tells. */
    private long touched(Connection connection, PostgresUrl token, String call) throws SQLException {
        // to plan a statement touches rows, too, whatever it asks for
        rows(connection, "SELECT k, v FROM \"%s\".%s".formatted(token.access(), call));
        connection.setAutoCommit(false);
        long[] counts = new long[2];
        for (int i = 0; i < 2; i++) {
            try (var statement = connection.createStatement(); var result = statement.executeQuery(
                    ("SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0) FROM pg_stat_xact_all_tables WHERE "
                            + "schemaname = '%s' AND relname = 'kv'")
                            .formatted(owner.schema()))) {
                result.next();
                counts[i] = result.getLong(1);
            }
            if (i == 0) {
                rows(connection, "SELECT k, v FROM \"%s\".%s".formatted(token.access(), call));
            }
        }
        connection.rollback();
        connection.setAutoCommit(true);
        return counts[1] - counts[0];
    }

    /** If the role may read more than it should, the test above says so. */
    @Test
    void aLeakIsSeen() throws Exception {
        var token = ofData();
        try (var connection = connect(owner); var statement = connection.createStatement()) {
            statement.execute("GRANT USAGE ON SCHEMA \"%1$s\" TO \"%2$s\"; GRANT SELECT ON \"%1$s\".kv TO \"%2$s\""
                    .formatted(owner.schema(), token.url().access()));
        }
        assertThat(leaks(token.url(), below(data, all()))).contains("table kv");
        var whole = token(Optional.empty(), true);
        assertThat(leaks(whole.url(), below(data, all()))).isNotEmpty().anyMatch(leak -> leak.startsWith("scan"))
                .anyMatch(leak -> leak.startsWith("get ")).anyMatch(leak -> leak.startsWith("holds "))
                .anyMatch(leak -> leak.startsWith("missing "));
    }

    @Test
    void volshReadsThroughATokenAndWritesNothing() throws Exception {
        for (var token : List.of(ofData(), token(Optional.empty(), true))) {
            try (var scoped = PostgresMetaEngine.open(token.url(), VOLUME)) {
                assertThat(scoped.isReadOnly()).isTrue();
                var reader = new volsh.inventory.Superblock(scoped, Instant::now).sessions()
                        .open("elsewhere", 7, "reads", volsh.meta.Sessions.Role.READER);
                var names = new Namespace(scoped, Instant::now, 0);
                long above = names.lookup(Vfs.ROOT, Name.of("above")).ino();
                assertThat(names.list(above, null, 10)).extracting(entry -> entry.name().toString())
                        .containsExactlyElementsOf(
                                token.token().path().isPresent() ? List.of("data") : List.of("data", "secret"));
                assertThat(names.list(data, null, 10)).extracting(entry -> entry.name().toString())
                        .containsExactly("both", "small", "sub");
                long small = names.lookup(data, Name.of("small")).ino();
                assertThat(names.files().content(small, 0, 100).inline())
                        .isEqualTo("readable".getBytes(StandardCharsets.UTF_8));
                long large = names.lookup(names.lookup(data, Name.of("sub")).ino(), Name.of("large")).ino();
                assertThat(names.files().content(large, 0, 10_000).blocks()).isNotEmpty();
                var sessions = new volsh.inventory.Superblock(scoped, Instant::now).sessions();
                var renewed = sessions.renew(reader, reader.lowWater());
                var writing = new Namespace(scoped, Instant::now, renewed.id());
                assertThat(((FsException) catchThrowable(() -> writing.unlink(data, Name.of("small")))).error())
                        .isEqualTo(FsError.READ_ONLY);
                assertThat(((FsException) catchThrowable(() -> writing.makeDirectory(data, Name.of("d"), 0755,
                        Owner.ROOT))).error()).isEqualTo(FsError.READ_ONLY);
                sessions.end(renewed.id());
            }
            PostgresMetaEngine.revokeToken(owner, VOLUME, token.token().id());
        }
        assertThat(vfs.lookup(data, Name.of("small")).size()).isEqualTo(8);
    }

    // ---- what a hostile client can write

    private static String array(String... values) {
        return "ARRAY[%s]::bytea[]".formatted(String.join(", ", values));
    }

    private static String bytes(byte[] bytes) {
        return "'\\x%s'".formatted(HEX.formatHex(bytes));
    }

    private static String text(String text) {
        return bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(8).putLong(value).array();
    }

    private static byte[] key(char kind, long number) {
        return ByteBuffer.allocate(9).put((byte) kind).putLong(number).array();
    }

    private static String apply(PostgresUrl token, String deleted, String putKeys, String putValues, String addKeys,
            String addDeltas) {
        String none = array();
        return ("SELECT \"%s\".apply('%s', 1, 1, ARRAY[]::bigint[], %s, ARRAY[]::bigint[], %s, %s, ARRAY[]::integer[], "
                + "%s, %s, %s, %s, %s, %s, %s)").formatted(token.access(), UUID.randomUUID(), none, none, none, none,
                        none, deleted, putKeys, putValues, addKeys, addDeltas);
    }

    private static byte[] session(String host, long leaseMillis, long lowWater, int ranges) {
        var bytes = ByteBuffer.allocate(41 + host.length() + 4 + 16 * ranges).put((byte) 1)
                .putShort((short) host.length()).put(host.getBytes(StandardCharsets.ISO_8859_1))
                .putLong(1).putShort((short) 4).put("read".getBytes(StandardCharsets.UTF_8)).putLong(1)
                .putLong(leaseMillis).putLong(lowWater).putInt(ranges);
        for (int i = 0; i < ranges; i++) {
            bytes.putLong(0).putLong(Long.MAX_VALUE);
        }
        return bytes.array();
    }

    @Test
    void nothingIsWrittenByOneWhoReads() throws Exception {
        var token = ofData().url();
        var before = all();
        long next = ByteBuffer.wrap(before.get(HEX.formatHex("csession".getBytes(StandardCharsets.UTF_8)))).getLong();
        long tick = ByteBuffer.wrap(before.get("74")).getLong();
        long now = System.currentTimeMillis();
        String counter = text("csession");
        String mine = bytes(key('s', next));
        String none = array();
        var attacks = new ArrayList<String>();
        for (var key : before.keySet()) {
            attacks.add(apply(token, array("'\\x%s'".formatted(key)), none, none, none, none));
            if (!key.equals("74")) {
                attacks.add(apply(token, none, array("'\\x%s'".formatted(key)), array("'\\x00'"), none, none));
            }
            attacks.add(apply(token, none, none, none, array("'\\x%s'".formatted(key)),
                    array("'\\x010000000000000001'")));
        }
        attacks.add(apply(token, none, array(bytes(key('N', 4711))), array("'\\x00'"), none, none));
        attacks.add(apply(token, none, array(counter), array(bytes(number(next + 1000))), none, none));
        attacks.add(apply(token, none, array(text("t")), array(bytes(number(tick + 100_000))), none, none));
        attacks.add(apply(token, none, array(text("t")), array(bytes(number(tick - 1))), none, none));
        attacks.add(apply(token, none, array(text("t")), array("'\\x00'"), none, none));
        // no number taken for it
        attacks.add(apply(token, none, array(mine), array(bytes(session("h", now, tick, 0))), none, none));
        for (byte[] session : List.of(session("h", now + 10_000_000, tick, 0), session("h", now, 0, 0), session("h",
                now, tick, 1), new byte[41], session("h\u00ff", now, tick, 0), session("h\u0007", now, tick, 0),
                new byte[] {1}, java.util.Arrays.copyOf(session("h", now, tick, 0), 60))) {
            attacks.add(apply(token, none, array(counter, mine), array(bytes(number(next + 1)), bytes(session)), none,
                    none));
        }
        attacks.add(apply(token, none, array(counter, mine), array(bytes(number(next + 1))), none, none));
        try (var connection = connect(token)) {
            for (var attack : attacks) {
                assertThatThrownBy(() -> {
                    try (var statement = connection.createStatement()) {
                        statement.execute(attack);
                    }
                }).as(attack).isInstanceOfSatisfying(SQLException.class,
                        refused -> assertThat(refused.getSQLState()).as(refused.getMessage()).isEqualTo("VS004"));
            }
            assertThat(attacks).hasSizeGreaterThan(60);
            var after = all();
            assertThat(after.keySet()).isEqualTo(before.keySet());
            before.forEach((key, value) -> assertThat(after.get(key)).as(key).isEqualTo(value));
            for (var statement : List.of("DELETE FROM \"%s\".kv",
                    "UPDATE \"%s\".tokens SET expires = NULL", "DROP SCHEMA \"%s\" CASCADE",
                    "ALTER ROLE \"" + owner.user().orElseThrow() + "\" PASSWORD 'x'; SELECT '%s'")) {
                assertThatThrownBy(() -> connection.createStatement().execute(statement.formatted(owner.schema())))
                        .hasMessageMatching("(?s).*(permission denied|must be owner).*");
            }
            // one that keeps to the rules is let in
            connection.createStatement().execute(apply(token, none, array(counter, mine),
                    array(bytes(number(next + 1)), bytes(session("h", now, tick, 0))), none, none));
            assertThat(all()).containsKey(HEX.formatHex(key('s', next)));
            // and cannot take back what it needs, or make others wait for what was before it
            assertThatThrownBy(() -> connection.createStatement().execute(
                    apply(token, none, array(mine), array(bytes(session("h", now, tick - 5, 0))), none, none)))
                    .hasMessageContaining("is read-only");
        }
    }

    // ---- the end of a token

    @Test
    void aTokenEndsWhenItExpiresOrIsRevoked() throws Exception {
        var token = ofData();
        try (var connection = connect(token.url())) {
            assertThat(seen(connection, token.url())).isNotEmpty();
            try (var keeper = connect(owner); var statement = keeper.createStatement()) {
                statement.execute("UPDATE \"%s\".tokens SET expires = now() - interval '1 second'"
                        .formatted(owner.schema()));
            }
            assertThatThrownBy(() -> seen(connection, token.url())).hasMessageContaining("has expired");
            assertThatThrownBy(() -> PostgresMetaEngine.open(token.url(), VOLUME)).hasMessageContaining("has expired");
            try (var keeper = connect(owner); var statement = keeper.createStatement()) {
                statement.execute("UPDATE \"%s\".tokens SET expires = NULL".formatted(owner.schema()));
            }
            // one that keeps looking at an old state is cut off, too
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            assertThat(scanned(connection, token.url(), "7a", "7b")).isEmpty();
            assertThat(PostgresMetaEngine.revokeToken(owner, VOLUME, token.token().id())).isTrue();
            assertThatThrownBy(() -> scanned(connection, token.url(), "7a", "7b")).isInstanceOf(SQLException.class);
        }
        assertThat(catchThrowable(() -> connect(token.url()))).isInstanceOf(SQLException.class);
        assertThat(PostgresMetaEngine.revokeToken(owner, VOLUME, token.token().id())).isFalse();
        assertThat(PostgresMetaEngine.tokens(owner, VOLUME)).singleElement().satisfies(one -> {
            assertThat(one.revoked()).isPresent();
            assertThat(one.path()).contains("/above/data");
        });
        var gone = PostgresMetaEngine.createToken(owner, VOLUME,
                new Token.Wish(Optional.empty(), true, Optional.of(Duration.ofMillis(1)), ""));
        assertThat(((SQLException) catchThrowable(() -> connect(gone.url()))).getSQLState()).as("VALID UNTIL is over")
                .isEqualTo("28P01");
        var wrong = gone.url().as(gone.token().role(), Optional.of("guessed"));
        assertThat(((SQLException) catchThrowable(() -> connect(wrong))).getSQLState()).isEqualTo("28P01");
    }

    @Test
    void aWriterWritesUntilItIsRevoked() throws Exception {
        var token = token(Optional.empty(), false);
        assertThat(leaks(token.url(), all().keySet())).isEmpty();
        try (var scoped = PostgresMetaEngine.open(token.url(), VOLUME)) {
            assertThat(scoped.isReadOnly()).isFalse();
            var other = TestVolume.open(scoped, store, SETTINGS, Runnable::run, Instant::now);
            other.vfs().makeDirectory(data, Name.of("made by a token"), 0755, Owner.ROOT);
            assertThat(vfs.lookup(data, Name.of("made by a token")).kind()).isEqualTo(FileKind.DIRECTORY);
            PostgresMetaEngine.revokeToken(owner, VOLUME, token.token().id());
            assertThatThrownBy(() -> other.vfs().makeDirectory(data, Name.of("too late"), 0755, Owner.ROOT))
                    .isInstanceOf(FsException.class)
                    .hasMessageContaining("was revoked, has expired")
                    .extracting(refused -> ((FsException) refused).error()).isEqualTo(FsError.ACCESS);
        }
        assertThatThrownBy(() -> vfs.lookup(data, Name.of("too late"))).isInstanceOf(FsException.class);
    }

    @Test
    void tokensGoWithTheirVolumeAndNeedARightToMakeRoles() throws Exception {
        var token = ofData();
        var plain = PostgresUrl.of(PostgresServer.shared().url()).withVolume(PostgresServer.freshName());
        try (var other = PostgresMetaEngine.create(plain, VOLUME)) {
            assertThat(other.isReadOnly()).isFalse();
            assertThat(((FsException) catchThrowable(() -> PostgresMetaEngine.createToken(plain, VOLUME,
                    new Token.Wish(Optional.empty(), true, Optional.empty(), "")))).error())
                    .isEqualTo(FsError.NOT_PERMITTED);
            assertThat(PostgresMetaEngine.tokens(plain, VOLUME)).isEmpty();
        } finally {
            PostgresMetaEngine.drop(plain, VOLUME);
        }
        assertThatThrownBy(() -> PostgresMetaEngine.createToken(token.url(), VOLUME,
                new Token.Wish(Optional.empty(), false, Optional.empty(), "")))
                .hasMessageContaining("connects by a token");
        PostgresMetaEngine.drop(owner, VOLUME);
        try (var connection = new PostgresConnections(owner).open(); var statement = connection.createStatement();
                var result = statement.executeQuery("SELECT count(*) FROM pg_roles WHERE rolname = '%s'"
                        .formatted(token.token().role()))) {
            result.next();
            assertThat(result.getInt(1)).isZero();
        }
    }
}
