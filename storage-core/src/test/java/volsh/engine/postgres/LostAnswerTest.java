package volsh.engine.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.engine.MetaEngineContract.add;
import static volsh.engine.MetaEngineContract.count;
import static volsh.engine.MetaEngineContract.key;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.engine.Delta;
import volsh.engine.MetaEngine;
import volsh.engine.MetaUnavailableException;
import volsh.hang.Eventually;
import volsh.postgrestest.LosingProxy;
import volsh.postgrestest.LosingProxy.Loss;
import volsh.postgrestest.PostgresServer;

/** Connections that break during a commit: what became of it is found out, and it is made once. */
@Tag("wait")
@Tag("crash")
final class LostAnswerTest {
    private static final UUID VOLUME = UUID.randomUUID();
    private static final PostgresLimits BRIEF = new PostgresLimits(2, Duration.ofSeconds(1), Duration.ofMinutes(1),
            LogPace.standard());

    @Test
    void aCommitWhoseAnswerWasLostIsNotRunAgain() throws Exception {
        try (var proxy = proxy(); var engine = engine(proxy, PostgresLimits.standard())) {
            assertThat(addLosing(engine, proxy, Loss.ANSWER)).isEqualTo(1);
            assertThat(count(engine, "n")).isEqualTo(1);
        }
    }

    @Test
    void aCommitThatNeverArrivedIsRunAgain() throws Exception {
        try (var proxy = proxy(); var engine = engine(proxy, PostgresLimits.standard())) {
            assertThat(addLosing(engine, proxy, Loss.REQUEST)).isEqualTo(2);
            assertThat(count(engine, "n")).isEqualTo(1);
        }
    }

    /**
     * The connection breaks once more while the client asks what became of its commit: it must not take its own
     * question for the commit.
     */
    @ParameterizedTest
    @ValueSource(strings = {".note(", "COMMIT"})
    void aCommitThatNeverArrivedIsRunAgainThoughTheQuestionIsLostToo(String question) throws Exception {
        try (var proxy = proxy(); var engine = engine(proxy, PostgresLimits.standard())) {
            proxy.loseAnswerTo(question);
            assertThat(addLosing(engine, proxy, Loss.REQUEST)).isEqualTo(2);
            assertThat(count(engine, "n")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {".note(", "ROLLBACK"})
    void aCommitWhoseAnswerWasLostIsNotRunAgainThoughTheQuestionIsLostToo(String question) throws Exception {
        try (var proxy = proxy(); var engine = engine(proxy, PostgresLimits.standard())) {
            proxy.loseAnswerTo(question);
            assertThat(addLosing(engine, proxy, Loss.ANSWER)).isEqualTo(1);
            assertThat(count(engine, "n")).isEqualTo(1);
        }
    }

    /**
     * The server waits for a lock, not knowing that its client is gone. The client gives that commit up and makes
     * another.
     */
    @Test
    void aCommitThatWasGivenUpIsNeverMade() throws Exception {
        try (var proxy = proxy()) {
            var url = url(proxy);
            try (var engine = PostgresMetaEngine.create(url, VOLUME);
                    var locker = new PostgresConnections(url).open()) {
                add(engine, "warm", 1);
                locker.setAutoCommit(false);
                locker.createStatement().execute("SELECT pg_advisory_xact_lock(%d)"
                        .formatted(new Locks(url.schema()).key(key("n")) >> 1));
                var runs = new AtomicInteger();
                var adding = CompletableFuture.runAsync(() -> addLosing(engine, proxy, Loss.CLIENT, runs));
                Eventually.value("it is run again", () -> {
                    assertThat(adding).isNotCompletedExceptionally();
                    return runs.get();
                }, run -> run >= 2);
                locker.commit();
                Eventually.result("what is added", adding);
                assertThat(runs.get()).isEqualTo(2);
                awaitQuiet(url);
                assertThat(count(engine, "n")).isEqualTo(1);
            }
        }
    }

    /** Until nobody works on a commit any more, the one that was left behind included. */
    private static void awaitQuiet(PostgresUrl url) throws Exception {
        try (var watcher = new PostgresConnections(url).open();
                var query = watcher.prepareStatement(
                        "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE ?")) {
            query.setString(1, "%" + url.schema() + "%apply%");
            Eventually.value("nobody works on a commit", () -> {
                try (var result = query.executeQuery()) {
                    result.next();
                    return result.getInt(1);
                }
            }, working -> working == 0);
        }
    }

    @Test
    void whateverIsLostEveryAcknowledgedChangeIsMadeOnce() throws Exception {
        long seed = System.nanoTime();
        System.out.println("whateverIsLostEveryAcknowledgedChangeIsMadeOnce seed " + seed);
        var random = new Random(seed);
        var losses = new EnumMap<Loss, Integer>(Loss.class);
        int rounds = Boolean.getBoolean("volsh.long") ? 1_000 : 40;
        try (var proxy = proxy(); var engine = engine(proxy, PostgresLimits.standard())) {
            for (int round = 0; round < rounds; round++) {
                var loss = Loss.values()[random.nextInt(Loss.values().length)];
                losses.merge(loss, 1, Integer::sum);
                addLosing(engine, proxy, loss);
            }
            assertThat(losses).hasSize(3);
            assertThat(count(engine, "n")).isEqualTo(rounds);
        }
    }

    /**
     * The count sees a change that is made twice: a client that is told "not applied" whatever is the case makes one.
     */
    @Test
    void aClientThatRunsAgainBlindlyIsFoundOut() throws Exception {
        try (var proxy = proxy(); var engine = engine(proxy, PostgresLimits.standard())) {
            PostgresServer.shared().sql("volsh", new Schema(last, VOLUME).named("""
                    CREATE OR REPLACE FUNCTION @schema@.note(of_client uuid, of_lane integer, number bigint) RETURNS boolean LANGUAGE sql
                    AS 'SELECT true'"""));
            addLosing(engine, proxy, Loss.ANSWER);
            assertThat(count(engine, "n")).isEqualTo(2);
        }
    }

    /** Neither "written" nor "not written" would be true: it says that nobody knows. */
    @Test
    void aServerThatStaysAwayLeavesTheOutcomeOpen() throws Exception {
        try (var proxy = proxy(); var engine = engine(proxy, BRIEF)) {
            assertThatThrownBy(() -> engine.transact(tx -> {
                tx.add(key("n"), Delta.of(1));
                proxy.refuse(true);
                proxy.lose(Loss.ANSWER);
                return null;
            })).isInstanceOf(IOException.class).isNotInstanceOf(MetaUnavailableException.class)
                    .hasMessageContaining("the change may or may not have been made").hasMessageContaining("127.0.0.1");
            assertThatThrownBy(() -> count(engine, "n")).isInstanceOf(MetaUnavailableException.class)
                    .hasMessageContaining("nothing was written");
            proxy.refuse(false);
            add(engine, "n", 1);
            assertThat(count(engine, "n")).isEqualTo(2);
        }
    }

    private static int addLosing(MetaEngine engine, LosingProxy proxy, Loss loss) {
        var runs = new AtomicInteger();
        addLosing(engine, proxy, loss, runs);
        return runs.get();
    }

    /** The next that is sent after the first run of the work is its commit. */
    private static void addLosing(MetaEngine engine, LosingProxy proxy, Loss loss, AtomicInteger runs) {
        try {
            engine.transact(tx -> {
                tx.add(key("n"), Delta.of(1));
                if (runs.incrementAndGet() == 1) {
                    proxy.lose(loss);
                }
                return null;
            });
        } catch (IOException failed) {
            throw new java.io.UncheckedIOException(failed);
        }
    }

    private PostgresUrl last;

    private static LosingProxy proxy() throws Exception {
        return new LosingProxy(PostgresServer.shared().port());
    }

    private static PostgresUrl url(LosingProxy proxy) {
        return PostgresUrl.of(PostgresServer.url(proxy.port())).withVolume(PostgresServer.freshName());
    }

    private PostgresMetaEngine engine(LosingProxy proxy, PostgresLimits limits) throws Exception {
        last = url(proxy);
        PostgresMetaEngine.create(last, VOLUME).close();
        var engine = PostgresMetaEngine.open(last, VOLUME, limits, InstantSource.system());
        add(engine, "warm", 1);
        return engine;
    }
}
