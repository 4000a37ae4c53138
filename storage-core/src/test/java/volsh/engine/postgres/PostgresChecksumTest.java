package volsh.engine.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.engine.MetaEngineContract.add;
import static volsh.engine.MetaEngineContract.count;
import static volsh.engine.MetaEngineContract.key;
import static volsh.engine.MetaEngineContract.put;
import static volsh.engine.MetaEngineContract.read;
import static volsh.engine.MetaEngineContract.scan;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.postgrestest.PostgresServer;

/** Rows of a database server that are not what was written, and schemas of the time when rows had no checksum. */
final class PostgresChecksumTest {
    private static final UUID VOLUME = UUID.randomUUID();

    private PostgresUrl url;

    @BeforeEach
    void name() throws Exception {
        url = PostgresUrl.of(PostgresServer.shared().lockedUrl()).withVolume(PostgresServer.freshName());
    }

    @AfterEach
    void drop() throws Exception {
        PostgresMetaEngine.drop(url, VOLUME);
    }

    private void sql(String statements) throws Exception {
        try (var connection = new PostgresConnections(url).open(); var statement = connection.createStatement()) {
            statement.execute(new Schema(url, VOLUME).named(statements));
        }
    }

    /** The checksum is kept as it was: a column that is computed could not be set to what does not match. */
    private void damage(String name, String value) throws Exception {
        sql("""
                ALTER TABLE @schema@.kv ALTER COLUMN c DROP EXPRESSION, ALTER COLUMN c SET DEFAULT '\\x00000000'::bytea;
                UPDATE @schema@.kv SET v = %s WHERE k = '%s'::bytea""".formatted(value, name));
    }

    @Test
    void aRowThatWasChangedIsRefusedByEveryRead() throws Exception {
        try (var engine = PostgresMetaEngine.create(url, VOLUME)) {
            put(engine, "a", "first");
            put(engine, "b", "second");
            put(engine, "c", "third");
            damage("b", "'sekond'::bytea");
            assertThatThrownBy(() -> read(engine, "b")).isInstanceOf(MetaDamagedException.class)
                    .hasMessageContaining("does not match its checksum");
            assertThatThrownBy(() -> engine.read(tx -> tx.getAll(List.of(key("a"), key("b")))))
                    .isInstanceOf(MetaDamagedException.class);
            assertThatThrownBy(() -> scan(engine, "a", "z", 10)).isInstanceOf(MetaDamagedException.class);
            assertThatThrownBy(() -> engine.transact(tx -> tx.get(key("b")))).isInstanceOf(MetaDamagedException.class);
            assertThat(read(engine, "a")).isEqualTo("first");
            var seen = engine.survey(tx -> tx.scan(key("a"), key("z"), 10));
            assertThat(seen.stream().filter(MetaEngine.Entry::isDamaged).map(MetaEngine.Entry::key))
                    .containsExactly(key("b"));
            assertThat(seen).hasSize(3);
        }
    }

    @Test
    void aCounterThatWasChangedIsNotAddedTo() throws Exception {
        try (var engine = PostgresMetaEngine.create(url, VOLUME)) {
            add(engine, "n", 4);
            add(engine, "n", 5);
            assertThat(count(engine, "n")).isEqualTo(9);
            damage("n", "set_byte(v, 4, 1)");
            assertThatThrownBy(() -> add(engine, "n", 1)).isInstanceOf(MetaDamagedException.class);
            assertThatThrownBy(() -> count(engine, "n")).isInstanceOf(MetaDamagedException.class);
        }
    }

    /**
     * A volume with a token, as the volsh before made it: rows are what they were, the token reads on, and so does a
     * client that never closed it.
     */
    @Test
    void anOldSchemaGetsItsChecksumsFromTheFirstWhoOpensIt() throws Exception {
        try (var engine = PostgresMetaEngine.create(url, VOLUME)) {
            put(engine, "a", "first");
            add(engine, "n", 4);
        }
        var token = PostgresMetaEngine.createToken(url, VOLUME,
                new Token.Wish(Optional.empty(), true, Optional.empty(), "")).url();
        sql("""
                ALTER TABLE @schema@.kv DROP COLUMN c;
                DROP FUNCTION @schema@.sound(bytea, bytea, bytea); DROP FUNCTION @schema@.seal_token(text);
                DROP FUNCTION "%1$s".sealed_get_rows(bytea[]); DROP FUNCTION "%1$s".sealed_scan_rows(bytea, bytea, integer);
                DELETE FROM @schema@.format; INSERT INTO @schema@.format VALUES (2, '@volume@')""".formatted(token.access()));
        assertThatThrownBy(() -> PostgresMetaEngine.open(token, VOLUME))
                .hasMessageContaining("its owner must open it once");
        try (var engine = PostgresMetaEngine.open(url, VOLUME); var reader = PostgresMetaEngine.open(token, VOLUME)) {
            assertThat(read(engine, "a")).isEqualTo("first");
            assertThat(read(reader, "a")).isEqualTo("first");
            assertThat(scan(reader, "a", "b", 5)).hasSize(1);
            add(engine, "n", 1);
            assertThat(count(reader, "n")).isEqualTo(5);
            try (var old = new PostgresConnections(token).open(); var statement = old.createStatement();
                    var rows = statement.executeQuery("SELECT v FROM \"%s\".get_rows(ARRAY['a']::bytea[])"
                            .formatted(token.access()))) {
                rows.next();
                assertThat(rows.getBytes(1)).as("a client of the old format reads what it knows")
                        .isEqualTo("first".getBytes());
            }
            damage("a", "'fjrst'::bytea");
            assertThatThrownBy(() -> read(reader, "a")).isInstanceOf(MetaDamagedException.class);
        }
    }
}
