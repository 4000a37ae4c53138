package volsh.engine.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.engine.MetaEngineContract.count;
import static volsh.engine.MetaEngineContract.key;
import static volsh.engine.MetaEngineContract.put;
import static volsh.engine.MetaEngineContract.read;
import static volsh.engine.MetaEngineContract.value;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import volsh.engine.BufferedTransaction.Row;
import volsh.engine.BufferedTransaction.Writes;
import volsh.engine.Delta;
import volsh.engine.MetaEngine;
import volsh.engine.Race;
import volsh.postgrestest.PostgresServer;

/** Which locks a commit takes, and that they keep apart what must be and nothing else. */
final class LocksTest {
    private static final Locks LOCKS = new Locks("volsh_a");
    private static final long VOLUME = 5936941328454582842L;
    private static final long KEY = 297093461267196068L;
    private static final long GROUP = -3795929095007323740L;

    /** Every client must come to the same numbers, whatever version of volsh it is. */
    @Test
    void keysBecomeTheSameLocksForEver() {
        assertThat(LOCKS.volume()).isEqualTo(VOLUME);
        assertThat(LOCKS.key(key("E12345678name"))).isEqualTo(KEY);
        assertThat(LOCKS.group(key("E12345678name"))).isEqualTo(GROUP).isEqualTo(LOCKS.group(key("E12345678other")));
        assertThat(new Locks("volsh_b").volume()).isNotEqualTo(VOLUME);
    }

    @Test
    void writtenKeysAreExclusiveAndTheirGroupsShared() {
        var locks = LOCKS.of(PostgresReads.forWriting(null, null, new Remembered(LogPace.standard())),
                puts("E12345678name", "E12345678other"));
        assertThat(locks).hasSize(4).startsWith(LOCKS.volume());
        assertThat(locks).contains(
                LOCKS.key(key("E12345678name")) | 1, LOCKS.key(key("E12345678other")) | 1,
                LOCKS.group(key("E12345678name")));
        assertThat(List.of(locks).subList(1, 4)).isSorted();
    }

    @Test
    void heldKeysAreShared() {
        var locks = LOCKS.of(PostgresReads.forWriting(null, null, new Remembered(LogPace.standard())),
                new Writes(List.of(), List.of(), List.of(key("N12345678"))));
        assertThat(locks).containsExactly(LOCKS.volume(), LOCKS.key(key("N12345678")));
    }

    @Test
    void manyKeysAreTheWholeVolume() {
        var names = IntStream.range(0, Locks.COUNT_MAX).mapToObj(number -> "E12345678" + number).toArray(String[]::new);
        assertThat(LOCKS.of(PostgresReads.forWriting(null, null, new Remembered(LogPace.standard())), puts(names)))
                .containsExactly(LOCKS.volume() | 1);
    }

    private static Writes puts(String... names) {
        return new Writes(List.of(names).stream().map(name -> new Row(key(name), value("1"))).toList(), List.of(),
                List.of());
    }

    /** At most three rows in a directory: each thread counts and then makes one of its own. */
    static void requireNoPhantoms(MetaEngine engine, int rounds) throws Exception {
        for (int round = 0; round < rounds; round++) {
            var directory = key("E%08d".formatted(round));
            Race.of(6, 1, (thread, once) -> engine.transact(tx -> {
                if (tx.scan(directory, directory.afterPrefix(), 10).size() < 3) {
                    tx.put(key("E%s%d".formatted(new String(directory.bytes(), 1, 8,
                            java.nio.charset.StandardCharsets.US_ASCII), thread)), value("1"));
                }
                return null;
            }));
            int made = engine.read(tx -> tx.scan(directory, directory.afterPrefix(), 10)).size();
            assertThat(made).isEqualTo(3);
        }
    }

    @Test
    void phantomsWithinADirectoryAreImpossible() throws Exception {
        try (var engine = create()) {
            requireNoPhantoms(engine, 20);
        }
    }

    /** As in creating files: the directory is held, its counters are added to, the name must be free. */
    @Test
    void entriesOfOneDirectoryDoNotConflict() throws Exception {
        try (var engine = create()) {
            put(engine, "N12345678", "directory");
            var runs = new AtomicInteger();
            Race.of(6, 20, (thread, round) ->
                    engine.transact(tx -> create(tx, "E12345678%d-%d".formatted(thread, round), runs)));
            assertThat(runs.get()).isEqualTo(6 * 20);
            assertThat(count(engine, "S12345678")).isEqualTo(6 * 20);
            assertThat(read(engine, "E123456785-19")).isEqualTo("1");
        }
    }

    private static Void create(MetaEngine.Transaction tx, String name, AtomicInteger runs) throws IOException {
        runs.incrementAndGet();
        tx.hold(key("N12345678"));
        assertThat(tx.get(key(name))).isNull();
        tx.put(key(name), value("1"));
        tx.add(key("S12345678"), Delta.of(1));
        return null;
    }

    static PostgresMetaEngine create() throws Exception {
        return PostgresMetaEngine.create(PostgresUrl.of(PostgresServer.shared().url())
                .withVolume(PostgresServer.freshName()), java.util.UUID.randomUUID());
    }
}
