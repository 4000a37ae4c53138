package volsh.engine.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import volsh.engine.MetaEngine;
import volsh.engine.MetaEngineRaces;
import volsh.postgrestest.PostgresServer;

/**
 * The races see what they are there for: they are lost in a database that checks nothing, and in one that locks
 * nothing.
 */
final class CarelessDatabaseTest {
    private static final UUID VOLUME = UUID.randomUUID();
    @TestFactory
    List<DynamicTest> withoutChecksEveryRaceIsLost() {
        MetaEngineRaces races = new Races(this::unchecked);
        return List.of(
                lost("a lost update", races::noUpdateIsLost),
                lost("write skew", races::writeSkewIsImpossible),
                lost("a phantom", races::phantomsAreImpossible),
                lost("a torn read", races::aTornReadNeverLeaves),
                lost("money", races::moneyIsNeitherMadeNorLost));
    }

    @TestFactory
    List<DynamicTest> withoutLocksChecksAreNotEnough() {
        MetaEngineRaces races = new Races(this::unlocked);
        return List.of(
                lost("a lost update", races::noUpdateIsLost),
                lost("write skew", races::writeSkewIsImpossible),
                lost("a phantom", races::phantomsAreImpossible),
                lost("a phantom in a directory", () -> {
                    try (var engine = unlocked()) {
                        LocksTest.requireNoPhantoms(engine, 40);
                    }
                }));
    }

    private static DynamicTest lost(String what, ThrowingCallable race) {
        return DynamicTest.dynamicTest(what, () -> MetaEngineRaces.requireLost(race));
    }

    private interface Opening {
        MetaEngine open() throws Exception;
    }

    private record Races(Opening opening) implements MetaEngineRaces {
        @Override
        public MetaEngine open() throws Exception {
            return opening.open();
        }

        @Override
        public int rounds() {
            return 100;
        }
    }

    private MetaEngine unchecked() throws Exception {
        return changed("IF NOT @schema@.holds(", "IF false AND NOT @schema@.holds(");
    }

    /** The time between the check and the end is stretched, so that it does not take many rounds. */
    private MetaEngine unlocked() throws Exception {
        return changed("FOREACH lock IN ARRAY locks LOOP", "FOREACH lock IN ARRAY '{}'::bigint[] LOOP");
    }

    private static MetaEngine changed(String before, String after) throws Exception {
        var url = PostgresUrl.of(PostgresServer.shared().url()).withVolume(PostgresServer.freshName());
        var engine = PostgresMetaEngine.create(url, VOLUME);
        String words;
        try (var in = Schema.class.getResourceAsStream("1.sql")) {
            words = new String(in.readAllBytes(), UTF_8);
        }
        assertThat(words).contains(before);
        String function = words.substring(words.indexOf("CREATE FUNCTION @schema@.apply"),
                words.indexOf("INSERT INTO @schema@.format"))
                .replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
                .replace(before, after)
                .replace("stamp := ", "PERFORM pg_sleep(0.002); stamp := ");
        PostgresServer.shared().sql("volsh", new Schema(url, VOLUME).named(function));
        if (before.contains("holds")) {
            PostgresServer.shared().sql("volsh", new Schema(url, VOLUME).named("""
                    CREATE OR REPLACE FUNCTION @schema@.holds(
                        read_keys bytea[], read_versions bigint[],
                        scans_from bytea[], scans_to bytea[], scan_limits integer[], scan_digests bytea[]) RETURNS boolean LANGUAGE sql STABLE
                    AS 'SELECT true'"""));
        }
        return engine;
    }
}
