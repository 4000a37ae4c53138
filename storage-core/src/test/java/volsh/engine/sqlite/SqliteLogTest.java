package volsh.engine.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.engine.MetaEngineContract.key;
import static volsh.engine.MetaEngineContract.put;
import static volsh.engine.MetaEngineContract.read;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.engine.Race;

/** The write-ahead log is kept short, and nobody waits for ever. */
final class SqliteLogTest {
    private static final SqliteLimits SMALL =
            new SqliteLimits(Duration.ofSeconds(30), Duration.ofMillis(50), 256 << 10, 1 << 20, 4);

    @TempDir
    Path directory;

    @Test
    void theLogStaysNearItsLimit() throws Exception {
        try (var engine = open()) {
            long longest = 0;
            for (int round = 0; round < 20; round++) {
                int start = round;
                Race.of(4, 25, (thread, i) -> write(engine, start * 1_000 + thread * 100 + i));
                longest = Math.max(longest, Files.size(wal()));
            }
            // 20 * 4 * 25 transactions of 16 KiB are 32 MiB; one commit may add up to 4 MiB to a log near its limit.
            assertThat(longest).isBetween(256L << 10, 6L << 20);
        }
    }

    @Test
    void aReaderThatDoesNotEndSlowsWritersDownButStopsNobody() throws Exception {
        try (var engine = open()) {
            put(engine, "a", "old");
            var reading = new CountDownLatch(1);
            var written = new CountDownLatch(1);
            var reader = Thread.ofPlatform().start(() -> readTwice(engine, reading, written));
            reading.await();
            put(engine, "a", "new");
            for (int i = 0; i < 200; i++) {
                write(engine, i);
            }
            assertThat(Files.size(wal())).as("nothing the reader needs was thrown away").isGreaterThan(2L << 20);
            written.countDown();
            reader.join();
            assertThat(read(engine, "result")).isEqualTo("old old");
            for (int i = 0; i < 200; i++) {
                write(engine, i);
            }
            assertThat(read(engine, "a")).isEqualTo("new");
        }
    }

    /** Sees one state however long it takes. */
    private static void readTwice(SqliteMetaEngine engine, CountDownLatch reading, CountDownLatch written) {
        try {
            String both = engine.read(tx -> {
                String first = new String(tx.get(key("a")));
                reading.countDown();
                await(written);
                return first + " " + new String(tx.get(key("a")));
            });
            put(engine, "result", both);
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }

    private SqliteMetaEngine open() throws IOException {
        var path = directory.resolve("meta.db");
        SqliteMetaEngine.create(path).close();
        return SqliteMetaEngine.open(path, SMALL);
    }

    private Path wal() {
        return directory.resolve("meta.db-wal");
    }

    private static void write(SqliteMetaEngine engine, int number) throws IOException {
        byte[] value = new byte[16 << 10];
        new SplittableRandom(number).nextBytes(value);
        engine.transact(tx -> {
            tx.put(key("k" + number), value);
            return null;
        });
    }
}
