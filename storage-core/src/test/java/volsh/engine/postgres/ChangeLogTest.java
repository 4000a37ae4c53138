package volsh.engine.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.engine.MetaEngineContract.key;
import static volsh.engine.MetaEngineContract.put;
import static volsh.engine.MetaEngineContract.read;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.engine.Race;
import volsh.hang.Eventually;
import volsh.postgrestest.LosingProxy;
import volsh.postgrestest.PostgresServer;

/**
 * Rows are remembered as long as nobody changes them, and not a moment longer, whatever becomes of hints, connections
 * and the log.
 */
@Tag("wait")
final class ChangeLogTest {
    private static final UUID VOLUME = UUID.randomUUID();
    private static final int ROUNDS = Boolean.getBoolean("volsh.long") ? 20_000 : 200;

    /** Remembers whatever it can, and waits for nothing. */
    static final LogPace EAGER = new LogPace(Duration.ofMillis(20), Duration.ofMillis(1), Duration.ofMillis(20),
            Duration.ZERO);

    private PostgresUrl url;
    private PostgresMetaEngine here;
    private PostgresMetaEngine there;
    private final Set<MetaKey> heard = ConcurrentHashMap.newKeySet();
    private final AtomicInteger lost = new AtomicInteger();

    private final MetaEngine.Follower follower = new MetaEngine.Follower() {
        @Override
        public void changed(Collection<MetaKey> keys) {
            heard.addAll(keys);
        }

        @Override
        public void lostTrack() {
            lost.incrementAndGet();
        }
    };

    @BeforeEach
    void open() throws Exception {
        url = PostgresUrl.of(PostgresServer.shared().url()).withVolume(PostgresServer.freshName());
        PostgresMetaEngine.create(url, VOLUME).close();
        here = open(url);
        there = open(url);
        here.follow(follower);
        put(there, "E", "0");
        Eventually.holds("E is heard of", () -> heard.contains(key("E")));
    }

    @AfterEach
    void drop() throws Exception {
        here.close();
        there.close();
        PostgresMetaEngine.drop(url, VOLUME);
    }

    private static PostgresMetaEngine open(PostgresUrl through) throws IOException {
        return PostgresMetaEngine.open(through, VOLUME, PostgresLimits.standard().with(EAGER), InstantSource.system());
    }

    private void sql(String words) throws Exception {
        PostgresServer.shared().sql("volsh", new Schema(url, VOLUME).named(words));
    }

    private void remember(String name) throws Exception {
        remember(here, name);
    }

    /** Until the row is remembered. */
    private static void remember(PostgresMetaEngine engine, String name) throws Exception {
        Eventually.holds(name + " is remembered", () -> {
            read(engine, name);
            return engine.remembers(key(name));
        });
    }

    /** How many reads of what another has just written were old. */
    private int staleReads(int rounds) throws Exception {
        int stale = 0;
        for (int round = 1; round <= rounds; round++) {
            put(there, "E", "" + round);
            stale += read(here, "E").equals("" + round) ? 0 : 1;
            stale += read(here, "E").equals("" + round) ? 0 : 1;
        }
        return stale;
    }

    private void dropHints() throws Exception {
        sql("CREATE OR REPLACE FUNCTION @schema@.hint() RETURNS void LANGUAGE sql AS ''");
    }

    @Test
    void whatIsReadIsNeverOldAlsoWithoutHints() throws Exception {
        dropHints();
        remember("E");
        assertThat(staleReads(ROUNDS)).isZero();
        for (int round = 0; round < 2; round++) {
            remember("E");
            put(there, "E", "now " + round);
            assertThat(read(here, "E")).as("remembered until now").isEqualTo("now " + round);
        }
    }

    /** A database that writes no log: this is what the test above is for. */
    @Test
    void withoutTheLogReadsAreOld() throws Exception {
        sql("CREATE RULE nothing AS ON INSERT TO @schema@.changes DO INSTEAD NOTHING");
        remember("E");
        assertThat(staleReads(20)).isPositive();
    }

    @Test
    void changesAreHeardOfWithoutHintsToo() throws Exception {
        put(there, "Ehinted", "1");
        Eventually.holds("Ehinted is heard of", () -> heard.contains(key("Ehinted")));
        dropHints();
        put(there, "Elate", "1");
        Eventually.holds("Elate is heard of", () -> heard.contains(key("Elate")));
    }

    /** One that began before others and ends after them: its place in the log is long passed by then. */
    @Test
    void aTransactionThatEndsLateIsHeardOf() throws Exception {
        try (var late = new PostgresConnections(url).open(); var statement = late.createStatement()) {
            late.setAutoCommit(false);
            statement.execute(new Schema(url, VOLUME).named("""
                    SELECT @schema@.apply('%s', 1, 1, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', ARRAY['Elate'::bytea], ARRAY['1'::bytea], '{}', '{}')"""
                    .formatted(UUID.randomUUID())));
            assertThat(staleReads(20)).isZero();
            remember("Elate");
            assertThat(read(here, "Elate")).isNull();
            late.commit();
            assertThat(read(here, "Elate")).isEqualTo("1");
        }
    }

    /**
     * Who has slept for so long that the log does not reach back forgets everything, and what came from another server
     * is no news.
     */
    @Test
    void aLogThatWasCutOffIsNoticed() throws Exception {
        dropHints();
        sql("INSERT INTO @schema@.changes VALUES ('900000000000', clock_timestamp(), '{}'); "
                + "INSERT INTO @schema@.changes_gone VALUES ('900000000000')");
        sql("SELECT @schema@.forget_changes()");
        for (int round = 0; round < 2; round++) {
            remember("E");
            put(there, "E", "cut " + round);
            sql("UPDATE @schema@.changes SET at = at - interval '2 minutes'");
            sql("SELECT @schema@.forget_changes()");
            assertThat(read(here, "E")).isEqualTo("cut " + round);
        }
        assertThat(lost.get()).as("it was told that it missed something").isPositive();
    }

    /**
     * A transaction that is open for long, of whomever, does not make each question look at all that was changed since.
     */
    @Test
    void aRoundLooksOnlyAtWhatIsNew() throws Exception {
        try (var late = new PostgresConnections(url).open(); var asking = new PostgresConnections(url).open();
                var statement = asking.createStatement()) {
            late.setAutoCommit(false);
            late.createStatement().execute("SELECT pg_current_xact_id()");
            for (int round = 0; round < 20; round++) {
                put(there, "E", "" + round);
            }
            String state = first(statement, "SELECT pg_current_snapshot()::text");
            put(there, "E", "new");
            String plan = first(statement, "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, FORMAT JSON) "
                    + new Schema(url, VOLUME).named(ChangeLog.ROUND).replace("?", "'" + state + "'"));
            var nodes = Pattern.compile("\"Relation Name\": \"changes\".*?\"Actual Rows\": ([0-9]+)", Pattern.DOTALL)
                    .matcher(plan);
            assertThat(nodes.results().mapToInt(found -> Integer.parseInt(found.group(1))).boxed())
                    .containsExactlyInAnyOrder(1, 0);
            assertThat(plan.split("\"Index Name\": \"changes_by\"", -1)).as("by their ids alone: " + plan).hasSize(3);
            assertThat(plan).doesNotContainPattern("Rows Removed by [A-Za-z ]*\": [1-9]");
        }
    }

    private static String first(java.sql.Statement statement, String question) throws Exception {
        try (var result = statement.executeQuery(question)) {
            result.next();
            return result.getString(1);
        }
    }

    @Test
    void aConnectionThatHangsIsGivenUpAndNothingIsOld() throws Exception {
        try (var proxy = new LosingProxy(PostgresServer.shared().port());
                var far = open(PostgresUrl.of(PostgresServer.url(proxy.port()) + "?socketTimeout=4")
                        .withVolume(url.volume()))) {
            far.follow(follower);
            remember(far, "E");
            int before = lost.get();
            proxy.hang();
            put(there, "E", "meanwhile");
            assertThat(read(far, "E")).isEqualTo("meanwhile");
            Eventually.holds("changes are lost", () -> lost.get() > before);
            remember(far, "E");
        }
    }

    @Test
    void aLostConnectionForgetsEverythingAndBeginsAnew() throws Exception {
        try (var proxy = new LosingProxy(PostgresServer.shared().port());
                var far = open(PostgresUrl.of(PostgresServer.url(proxy.port())).withVolume(url.volume()))) {
            far.follow(follower);
            for (int round = 0; round < 2; round++) {
                remember(far, "E");
                int before = lost.get();
                sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                        + "AND query LIKE '%pg_current_snapshot%'");
                put(there, "E", "again " + round);
                assertThat(read(far, "E")).isEqualTo("again " + round);
                Eventually.holds("changes are lost", () -> lost.get() > before);
            }
        }
    }

    /** Four engines that remember, each adding one to a number it has read: none is lost. Scans are as good as rows. */
    @Test
    void countersAndListingsOfThoseWhoRememberAreExact() throws Exception {
        there.follow(follower);
        var engines = new MetaEngine[] {here, there};
        int rounds = ROUNDS / 4;
        Race.of(4, rounds, (thread, round) -> {
            var engine = engines[thread % 2];
            engine.transact(tx -> {
                tx.put(key("Enumber00"), Integer.toString(number(tx.get(key("Enumber00"))) + 1).getBytes());
                tx.put(key("Edirector" + thread + "-" + round), new byte[0]);
                return null;
            });
            int listed = engine.read(tx -> tx.scan(key("Edirector"), key("Edirectos"), 512).size());
            int counted = engine.read(tx -> number(tx.get(key("Enumber00"))));
            if (listed > counted) {
                throw new IOException("%d were listed, and %d counted afterwards".formatted(listed, counted));
            }
        });
        for (var engine : engines) {
            assertThat(engine.<Integer>read(tx -> number(tx.get(key("Enumber00"))))).isEqualTo(4 * rounds);
        }
    }

    private static int number(byte[] value) {
        return value == null ? 0 : Integer.parseInt(new String(value, java.nio.charset.StandardCharsets.UTF_8));
    }
}
