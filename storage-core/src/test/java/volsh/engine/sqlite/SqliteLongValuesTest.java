package volsh.engine.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;

/** Long values lie apart from their rows, leave nothing behind, and are checked like others. */
final class SqliteLongValuesTest {
    private static final int LONGEST_INSIDE = 900;

    @TempDir
    private Path directory;

    private Path path() {
        return directory.resolve("meta.db");
    }

    private static byte[] value(int length, int seed) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) seed);
        return bytes;
    }

    private static void put(MetaEngine engine, MetaKey key, byte[] value) throws IOException {
        engine.transact(tx -> {
            tx.put(key, value);
            return null;
        });
    }

    private static byte[] get(MetaEngine engine, MetaKey key) throws IOException {
        return engine.read(tx -> tx.get(key));
    }

    private long number(String query) throws SQLException {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + path());
                var rows = connection.createStatement().executeQuery(query)) {
            return rows.getLong(1);
        }
    }

    private void sql(String statement) throws SQLException {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + path());
                var run = connection.createStatement()) {
            run.execute(statement);
        }
    }

    private long apart() throws SQLException {
        return number("SELECT count(*) FROM apart");
    }

    @Test
    void valuesOfEveryLengthAreReadAsTheyWereWritten() throws Exception {
        var lengths = List.of(0, 1, LONGEST_INSIDE - 1, LONGEST_INSIDE, LONGEST_INSIDE + 1, 4096, 64 << 10, 128 << 10);
        try (var engine = SqliteMetaEngine.create(path())) {
            for (int i = 0; i < lengths.size(); i++) {
                put(engine, Keys.inline(i + 2), value(lengths.get(i), i));
            }
            assertThat(apart()).isEqualTo(4);
            for (int i = 0; i < lengths.size(); i++) {
                var key = Keys.inline(i + 2);
                byte[] right = value(lengths.get(i), i);
                byte[] inRead = get(engine, key);
                byte[] inChange = engine.transact(tx -> tx.get(key));
                assertThat(inRead).isEqualTo(right);
                assertThat(inChange).isEqualTo(right);
            }
            var all = engine.read(tx -> tx.scan(Keys.inline(0), Keys.inline(1000), 100));
            assertThat(all).extracting(entry -> entry.value().length).isEqualTo(lengths);
            assertThat(engine.inspect(true)).isEmpty();
        }
    }

    @Test
    void whatIsReplacedOrDeletedLeavesNothing() throws Exception {
        try (var engine = SqliteMetaEngine.create(path())) {
            for (int i = 2; i < 12; i++) {
                put(engine, Keys.inline(i), value(5000, i));
            }
            put(engine, Keys.inline(2), value(6000, 2));
            put(engine, Keys.inline(3), value(10, 3));
            engine.transact(tx -> {
                tx.delete(Keys.inline(4));
                tx.delete(Keys.inline(1000));
                return null;
            });
            assertThat(apart()).isEqualTo(8);
            assertThat(get(engine, Keys.inline(2))).isEqualTo(value(6000, 2));
            assertThat(get(engine, Keys.inline(3))).isEqualTo(value(10, 3));
            assertThat(get(engine, Keys.inline(4))).isNull();
            assertThatThrownBy(() -> engine.transact(tx -> {
                tx.put(Keys.inline(5), value(7000, 5));
                throw new IOException("stop");
            })).hasMessage("stop");
            assertThat(get(engine, Keys.inline(5))).isEqualTo(value(5000, 5));
            assertThat(apart()).isEqualTo(8);
        }
    }

    @Test
    void damageIsFound() throws Exception {
        try (var engine = SqliteMetaEngine.create(path())) {
            for (int i = 2; i < 8; i++) {
                put(engine, Keys.inline(i), value(5000, i));
            }
        }
        sql("UPDATE apart SET v = zeroblob(5004) WHERE n = 1");
        sql("DELETE FROM apart WHERE n = 2");
        sql("UPDATE kv SET v = 4 WHERE v = 3");
        try (var engine = SqliteMetaEngine.open(path())) {
            for (int i = 2; i < 5; i++) {
                var key = Keys.inline(i);
                assertThatThrownBy(() -> get(engine, key)).as("%d", i)
                        .isInstanceOf(MetaDamagedException.class);
            }
            assertThat(get(engine, Keys.inline(5))).isEqualTo(value(5000, 5));
            var seen = engine.survey(tx -> tx.scan(Keys.inline(0), Keys.inline(100), 100));
            assertThat(seen).extracting(MetaEngine.Entry::isDamaged).containsExactly(true, true, true, false, false,
                    false);
            put(engine, Keys.inline(3), value(2000, 3));
            assertThat(get(engine, Keys.inline(3))).as("written anew").isEqualTo(value(2000, 3));
        }
    }

    /** As the volsh before wrote it: long values in their rows. */
    private void makeOld() throws Exception {
        try (var engine = SqliteMetaEngine.create(path())) {
            for (int i = 2; i < 8; i++) {
                put(engine, Keys.inline(i), value(5000, i));
            }
        }
        sql("UPDATE kv SET v = (SELECT apart.v FROM apart WHERE n = kv.v) WHERE typeof(v) = 'integer'");
        sql("DROP TABLE apart");
        sql("PRAGMA user_version = 3");
    }

    @Test
    void anOlderDatabaseIsReadAndUpgraded() throws Exception {
        makeOld();
        try (var engine = SqliteMetaEngine.open(path())) {
            assertThat(get(engine, Keys.inline(2))).isEqualTo(value(5000, 2));
            put(engine, Keys.inline(3), value(6000, 3));
            put(engine, Keys.inline(9), value(6000, 9));
            for (int i : List.of(3, 9)) {
                assertThat(get(engine, Keys.inline(i))).isEqualTo(value(6000, i));
            }
        }
        assertThat(number("PRAGMA user_version")).isEqualTo(4);
        assertThat(apart()).isEqualTo(2);
    }

    @Test
    void whileOthersHaveAnOlderDatabaseOpenItStaysAsItIs() throws Exception {
        makeOld();
        try (var other = DriverManager.getConnection("jdbc:sqlite:" + path()); var rows = other.createStatement()) {
            rows.executeQuery("SELECT count(*) FROM kv").close();
            try (var engine = SqliteMetaEngine.open(path())) {
                put(engine, Keys.inline(3), value(6000, 3));
                assertThat(get(engine, Keys.inline(3))).isEqualTo(value(6000, 3));
                assertThat(get(engine, Keys.inline(2))).isEqualTo(value(5000, 2));
            }
            assertThat(number("PRAGMA user_version")).isEqualTo(3);
        }
    }
}
