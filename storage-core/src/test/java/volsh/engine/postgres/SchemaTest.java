package volsh.engine.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.engine.MetaEngineContract.add;
import static volsh.engine.MetaEngineContract.count;
import static volsh.engine.MetaEngineContract.put;
import static volsh.engine.MetaEngineContract.read;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import volsh.engine.MetaUnavailableException;
import volsh.engine.Race;
import volsh.hang.Eventually;
import volsh.postgrestest.PostgresServer;

/**
 * Volumes of one database: made once, kept apart, removed by their owner, and refused where they cannot be understood.
 */
final class SchemaTest {
    private static final UUID VOLUME = UUID.randomUUID();

    private PostgresUrl url;

    @BeforeEach
    void name() throws Exception {
        url = PostgresUrl.of(PostgresServer.shared().url()).withVolume(PostgresServer.freshName());
    }

    @Test
    void volumesOfOneDatabaseAreApart() throws Exception {
        var other = url.withVolume(PostgresServer.freshName());
        try (var one = PostgresMetaEngine.create(url, VOLUME); var two = PostgresMetaEngine.create(other,
                UUID.randomUUID())) {
            put(one, "a", "1");
            put(two, "a", "2");
            assertThat(read(one, "a")).isEqualTo("1");
            assertThat(PostgresMetaEngine.volumes(url)).contains(url.volume(), other.volume());
        }
        PostgresMetaEngine.drop(other, VOLUME);   // not its own
        assertThat(PostgresMetaEngine.volumes(url)).contains(other.volume());
        PostgresMetaEngine.drop(url, VOLUME);
        PostgresMetaEngine.drop(url, VOLUME);
        assertThat(PostgresMetaEngine.volumes(url)).doesNotContain(url.volume()).contains(other.volume());
    }

    @Test
    void ofManyWhoMakeAVolumeOneDoes() throws Exception {
        var made = new AtomicInteger();
        var refused = new AtomicInteger();
        Race.of(4, 1, (thread, round) -> {
            try (var engine = PostgresMetaEngine.create(url, UUID.randomUUID())) {
                add(engine, "n", 1);
                made.incrementAndGet();
            } catch (FileAlreadyExistsException taken) {
                refused.incrementAndGet();
            }
        });
        assertThat(made.get()).isEqualTo(1);
        assertThat(refused.get()).isEqualTo(3);
        try (var engine = PostgresMetaEngine.open(url, PostgresMetaEngine.volume(url))) {
            assertThat(count(engine, "n")).isEqualTo(1);
        }
    }

    @Test
    void aSchemaThatTheAdministratorMadeIsUsed() throws Exception {
        PostgresServer.shared().sql("volsh", "CREATE SCHEMA \"%s\" AUTHORIZATION volsh".formatted(url.schema()));
        assertThatThrownBy(() -> PostgresMetaEngine.open(url, VOLUME)).isInstanceOf(NoSuchFileException.class);
        try (var engine = PostgresMetaEngine.create(url, VOLUME)) {
            put(engine, "a", "1");
        }
    }

    @Test
    void whatIsNotThisVolumeIsNotOpened() throws Exception {
        assertThatThrownBy(() -> PostgresMetaEngine.open(url, VOLUME)).isInstanceOf(NoSuchFileException.class);
        PostgresMetaEngine.create(url, VOLUME).close();
        assertThatThrownBy(() -> PostgresMetaEngine.open(url, UUID.randomUUID()))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("another volume");
        PostgresServer.shared().sql("volsh", new Schema(url, VOLUME).named("UPDATE @schema@.format SET version = 99"));
        assertThatThrownBy(() -> PostgresMetaEngine.open(url, VOLUME)).isInstanceOf(IOException.class)
                .hasMessageContaining("newer volsh").hasMessageContaining("99");
        assertThat(PostgresMetaEngine.volumes(url)).contains(url.volume());
    }

    /**
     * A volsh to come, with a fourth format: the first who opens the volume makes it new, whole or not at all, and the
     * old volsh is refused.
     */
    @Test
    void anOldSchemaIsMadeNewOnce() throws Exception {
        try (var engine = PostgresMetaEngine.create(url, VOLUME)) {
            put(engine, "a", "1");
        }
        Schema.Step wrong = format -> format <= 3 ? Schema.statements(format)
                : "ALTER TABLE @schema@.kv ADD COLUMN note text; UPDATE @schema@.nowhere SET a = 1";
        try (var connection = new PostgresConnections(url).open()) {
            assertThatThrownBy(() -> new Schema(url, VOLUME, 4, wrong).require(connection))
                    .isInstanceOf(java.sql.SQLException.class);
        }
        Schema.Step right = format -> format <= 3 ? Schema.statements(format)
                : "ALTER TABLE @schema@.kv ADD COLUMN note text; UPDATE @schema@.format SET version = 4";
        Race.of(3, 1, (thread, round) -> {
            try (var connection = new PostgresConnections(url).open()) {
                new Schema(url, VOLUME, 4, right).require(connection);
            }
        });
        assertThatThrownBy(() -> PostgresMetaEngine.open(url, VOLUME)).hasMessageContaining("newer volsh")
                .hasMessageContaining("format 4, supported up to 3");
        PostgresServer.shared().sql("volsh", new Schema(url, VOLUME).named("UPDATE @schema@.format SET version = 3"));
        try (var engine = PostgresMetaEngine.open(url, VOLUME)) {
            assertThat(read(engine, "a")).as("nothing is lost").isEqualTo("1");
        }
    }

    @Test
    void whatIsMissingIsSaid() {
        var noDatabase = PostgresUrl.of(url.withVolume("").toString().replaceAll("/volsh$", "/nowhere#a"));
        assertThatThrownBy(() -> PostgresMetaEngine.open(noDatabase, VOLUME)).isInstanceOf(IOException.class)
                .hasMessageContaining("createdb nowhere");
        var noServer = PostgresUrl.of("postgres://volsh@127.0.0.1:1/volsh#a");
        assertThatThrownBy(() -> PostgresMetaEngine.open(noServer, VOLUME)).isInstanceOf(MetaUnavailableException.class)
                .hasMessageContaining("127.0.0.1:1");
    }

    @Test
    void aClockThatIsWrongIsRefused() throws Exception {
        PostgresMetaEngine.create(url, VOLUME).close();
        for (var apart : List.of(Duration.ofMinutes(2), Duration.ofMinutes(-2))) {
            InstantSource clock = () -> Instant.now().plus(apart);
            assertThatThrownBy(() -> PostgresMetaEngine.open(url, VOLUME, PostgresLimits.standard(), clock))
                    .hasMessageContaining(apart.isNegative() ? "seconds behind the server's"
                            : "seconds ahead of the server's");
        }
        InstantSource slow = () -> Instant.now().minusSeconds(2);
        PostgresMetaEngine.open(url, VOLUME, PostgresLimits.standard(), slow).close();
    }

    /**
     * Killed clients leave rows behind, which do not pile up; those of others who are there stay. So do rows of the log
     * that are new.
     */
    @Test
    @Timeout(300)
    void numbersOfOldCommitsAreForgotten() throws Exception {
        try (var engine = PostgresMetaEngine.create(url, VOLUME)) {
            add(engine, "n", 1);
            assertThat(applied()).isEqualTo(1);
            PostgresMetaEngine.open(url, VOLUME).close();
            assertThat(applied()).isEqualTo(1);
            assertThat(rows("changes")).isEqualTo(1);
            PostgresServer.shared().sql("volsh", new Schema(url, VOLUME).named(
                    "UPDATE @schema@.applied SET at = at - interval '2 days'; UPDATE @schema@.changes SET at = at - "
                            + "interval '2 minutes'"));
            PostgresMetaEngine.open(url, VOLUME).close();
            assertThat(applied()).isZero();
            Eventually.holds("old changes are forgotten", () -> {   // the server may be busy with something older
                PostgresMetaEngine.open(url, VOLUME).close();
                return rows("changes") == 0;
            });
            add(engine, "n", 1);
        }
        assertThat(applied()).as("closed").isZero();
    }

    private int applied() throws Exception {
        return rows("applied");
    }

    private int rows(String table) throws Exception {
        try (var connection = new PostgresConnections(url).open();
                var result = connection.createStatement()
                        .executeQuery(new Schema(url, VOLUME).named("SELECT count(*) FROM @schema@." + table))) {
            result.next();
            return result.getInt(1);
        }
    }
}
