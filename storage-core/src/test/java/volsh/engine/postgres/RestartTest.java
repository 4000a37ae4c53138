package volsh.engine.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.engine.MetaEngineContract.count;
import static volsh.engine.MetaEngineContract.key;
import static volsh.engine.MetaEngineContract.put;
import static volsh.engine.MetaEngineContract.read;
import static volsh.engine.MetaEngineContract.value;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.engine.Delta;
import volsh.engine.MetaEngine;
import volsh.engine.MetaUnavailableException;
import volsh.engine.Race;
import volsh.hang.Eventually;
import volsh.postgrestest.PostgresServer;

/**
 * A server that is killed under load and started again: everybody waits, nothing acknowledged is lost, nothing is done
 * by half or twice.
 */
@Tag("crash")
final class RestartTest {
    private static final UUID VOLUME = UUID.randomUUID();
    private static final int THREADS = 4;
    private static PostgresServer server;

    @BeforeAll
    static void start() throws Exception {
        server = PostgresServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void nothingAcknowledgedIsLostOrOld() throws Exception {
        int kills = Boolean.getBoolean("volsh.long") ? 50 : 3;
        var acknowledged = new AtomicIntegerArray(THREADS);
        var over = new AtomicBoolean();
        var url = PostgresUrl.of(server.url()).withVolume("load");
        PostgresMetaEngine.create(url, VOLUME).close();
        // a slow machine takes long to start a server
        var patient = new PostgresLimits(8, Duration.ofMinutes(5), Duration.ofMinutes(1), LogPace.standard());
        try (var engine = PostgresMetaEngine.open(url, VOLUME, patient, InstantSource.system());
                var other = PostgresMetaEngine.open(url, VOLUME, patient.with(ChangeLogTest.EAGER),
                        InstantSource.system())) {
            other.follow(FollowingEngineTest.NOBODY);
            put(engine, "left", "token");
            var load = CompletableFuture.runAsync(() -> load(engine, other, acknowledged, over));
            for (int kill = 0; kill < kills; kill++) {
                int before = sum(acknowledged);
                Eventually.holdsDuring(load, "fifty more are acknowledged", () -> sum(acknowledged) >= before + 50);
                server.kill();
                server.run();
            }
            over.set(true);
            Eventually.result("the end of the load", load);
        }
        try (var again = PostgresMetaEngine.open(url, VOLUME)) {
            for (int thread = 0; thread < THREADS; thread++) {
                requireAll(again, thread, acknowledged.get(thread));
            }
            var tokens = again.read(tx -> tx.getAll(List.of(key("left"), key("right"))));
            assertThat(tokens).as("half a move").hasSize(1);
        }
        assertThat(sum(acknowledged)).isGreaterThanOrEqualTo(50 * kills);
    }

    /** Writes to one, and sees at once in the other, which remembers what it has read, what was written. */
    private static void load(MetaEngine engine, MetaEngine other, AtomicIntegerArray acknowledged, AtomicBoolean over) {
        try {
            Race.of(THREADS, Integer.MAX_VALUE, (thread, round) -> {
                if (over.get()) {
                    throw new IOException("over");
                }
                var one = "one %d %d".formatted(thread, round);
                String before = read(other, one);
                engine.transact(tx -> {
                    tx.add(key("count " + thread), Delta.of(1));
                    tx.put(key(one), value("1"));
                    tx.put(key("two %d %d".formatted(thread, round)), value("2"));
                    if (thread == 0) {
                        boolean left = tx.get(key("left")) != null;
                        tx.delete(key(left ? "left" : "right"));
                        tx.put(key(left ? "right" : "left"), value("token"));
                    }
                    return null;
                });
                acknowledged.incrementAndGet(thread);
                String after = read(other, one);
                if (before != null || !"1".equals(after)) {
                    throw new IOException("%s was %s and then %s".formatted(one, before, after));
                }
            });
        } catch (Exception ended) {
            assertThat(ended).hasMessage("over");
        }
    }

    /** Everything acknowledged, both halves of it, once: nothing was under way when the load ended. */
    private static void requireAll(MetaEngine engine, int thread, int acknowledged) throws IOException {
        assertThat(count(engine, "count " + thread)).isEqualTo(acknowledged);
        for (int round = 0; round < acknowledged; round++) {
            assertThat(read(engine, "one %d %d".formatted(thread, round))).isEqualTo("1");
            assertThat(read(engine, "two %d %d".formatted(thread, round))).isEqualTo("2");
        }
        assertThat(read(engine, "one %d %d".formatted(thread, acknowledged))).isNull();
    }

    private static int sum(AtomicIntegerArray counts) {
        int sum = 0;
        for (int i = 0; i < counts.length(); i++) {
            sum += counts.get(i);
        }
        return sum;
    }

    @Test
    void aServerThatDoesNotComeBackIsAnErrorThatSaysSo() throws Exception {
        var url = PostgresUrl.of(server.url()).withVolume("away");
        PostgresMetaEngine.create(url, VOLUME).close();
        var brief = new PostgresLimits(2, Duration.ofSeconds(1), Duration.ofMinutes(1), LogPace.standard());
        try (var engine = PostgresMetaEngine.open(url, VOLUME, brief, InstantSource.system())) {
            put(engine, "a", "1");
            server.kill();
            assertThatThrownBy(() -> read(engine, "a")).isInstanceOf(MetaUnavailableException.class)
                    .hasMessageContaining("127.0.0.1:" + server.port())
                    .hasMessageContaining("timed out after 1 seconds");
            assertThatThrownBy(() -> put(engine, "a", "2")).isInstanceOf(MetaUnavailableException.class)
                    .hasMessageContaining("nothing was written");
            server.run();
            assertThat(read(engine, "a")).isEqualTo("1");
        }
    }
}
