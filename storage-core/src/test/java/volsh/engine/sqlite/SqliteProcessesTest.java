package volsh.engine.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.engine.MetaEngineContract.add;
import static volsh.engine.MetaEngineContract.count;
import static volsh.engine.MetaEngineContract.put;
import static volsh.engine.MetaEngineContract.read;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.engine.MetaUnavailableException;
import volsh.engine.Race;
import volsh.meta.ChildJvm;

/** Several processes on one database. */
final class SqliteProcessesTest {
    private static final int ROUNDS = Boolean.getBoolean("volsh.long") ? 5_000 : 300;

    @TempDir
    Path directory;

    @Test
    void threeProcessesCountExactly() throws Exception {
        var path = directory.resolve("meta.db");
        try (var engine = SqliteMetaEngine.create(path)) {
            put(engine, "token/0", "here");
        }
        try (var engine = SqliteMetaEngine.open(path);
                var one = ChildJvm.start(directory, CountingProcess.class, path, "one", ROUNDS);
                var two = ChildJvm.start(directory, CountingProcess.class, path, "two", ROUNDS);
                var three = ChildJvm.start(directory, CountingProcess.class, path, "three", ROUNDS)) {
            for (var child : new ChildJvm[] {one, two, three}) {
                assertThat(child.line()).isEqualTo("open");
            }
            pauseAndGoOn(two);
            for (int i = 0; i < ROUNDS; i++) {
                add(engine, "add", 1);
            }
            for (var child : new ChildJvm[] {one, two, three}) {
                assertThat(child.line()).isEqualTo("done");
                assertThat(child.exitCode()).isZero();
            }
            assertThat(count(engine, "read and put")).isEqualTo(6L * ROUNDS);
            assertThat(count(engine, "add")).isEqualTo(7L * ROUNDS);
            engine.read(CountingProcess::requireOneToken);
        }
    }

    /** A stopped process may be anywhere in a commit; the others wait for it or pass it. */
    private static void pauseAndGoOn(ChildJvm child) throws Exception {
        for (int i = 0; i < 5; i++) {
            child.signal("STOP");
            Thread.sleep(30);
            child.signal("CONT");
            Thread.sleep(10);
        }
    }

    @Test
    void aWriterThatIsLockedOutForTooLongSaysSoAndHasWrittenNothing() throws Exception {
        var path = directory.resolve("meta.db");
        SqliteMetaEngine.create(path).close();
        var limits = new SqliteLimits(Duration.ofMillis(150), Duration.ofMillis(50), 16 << 20, 64 << 20, 4);
        try (var engine = SqliteMetaEngine.open(path, limits)) {
            put(engine, "a", "1");
            try (var other = new SqliteConnections(path.toAbsolutePath()).open(0);
                    var statement = other.createStatement()) {
                statement.execute("BEGIN IMMEDIATE");
                var refused = new ArrayList<Throwable>();
                Race.of(4, 2, (thread, round) -> {
                    try {
                        put(engine, "a", "2");
                    } catch (MetaUnavailableException locked) {
                        synchronized (refused) {
                            refused.add(locked);
                        }
                    }
                });
                assertThat(refused).hasSize(8).allSatisfy(e -> assertThat(e).hasMessageContaining(path.toString()));
                assertThat(read(engine, "a")).isEqualTo("1");
                engine.sync();
                statement.execute("ROLLBACK");
            }
            assertThat(read(engine, "a")).isEqualTo("1");
            put(engine, "a", "3");
            assertThat(read(engine, "a")).isEqualTo("3");
        }
    }

    @Test
    void aWorkMayNotStartATransaction() throws Exception {
        try (var engine = SqliteMetaEngine.create(directory.resolve("meta.db"))) {
            assertThatThrownBy(() -> engine.transact(tx -> engine.transact(inner -> null)))
                    .isInstanceOf(IllegalStateException.class);
        }
    }
}
