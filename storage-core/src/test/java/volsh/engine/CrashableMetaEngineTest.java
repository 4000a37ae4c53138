package volsh.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.engine.MetaEngineContract.count;
import static volsh.engine.MetaEngineContract.key;
import static volsh.engine.MetaEngineContract.put;
import static volsh.engine.MetaEngineContract.read;
import static volsh.engine.MetaEngineContract.value;

import java.io.IOException;
import java.util.HashSet;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.engine.memory.MemoryMetaEngine;

@Tag("model")
@Tag("crash")
final class CrashableMetaEngineTest implements MetaEngineContract {
    @Override
    public MetaEngine open() {
        return new CrashableMetaEngine(MemoryMetaEngine::new);
    }

    @Override
    public boolean isShared() {
        return false;
    }

    @Test
    void aCrashKeepsAPrefixThatHasAllThatWasSynced() throws Exception {
        long seed = System.nanoTime();
        System.out.println("aCrashKeepsAPrefixThatHasAllThatWasSynced seed " + seed);
        var random = new Random(seed);
        var engine = new CrashableMetaEngine(MemoryMetaEngine::new);
        var lostCounts = new HashSet<Long>();
        long committed = 0;
        for (int crash = 0; crash < 200; crash++) {
            long synced = committed;
            for (int step = random.nextInt(20); step > 0; step--) {
                append(engine, committed++);
                if (random.nextInt(8) == 0) {
                    engine.sync();
                    synced = committed;
                }
            }
            engine = engine.crash(random);
            long survived = count(engine, "count");
            assertThat(survived).isBetween(synced, committed);
            requirePrefix(engine, survived, committed);
            lostCounts.add(committed - survived);
            committed = survived;
        }
        assertThat(lostCounts).as("crashes lost commits, and different numbers of them").hasSizeGreaterThan(3);
    }

    /** One commit changes a counter, a row of its own, and deletes the row before it. */
    private static void append(MetaEngine engine, long number) throws IOException {
        engine.transact(tx -> {
            tx.add(key("count"), Delta.of(1));
            tx.put(key("row %06d".formatted(number)), value("1"));
            tx.delete(key("row %06d".formatted(number - 1)));
            return null;
        });
    }

    private static void requirePrefix(MetaEngine engine, long survived, long committed) throws IOException {
        for (long number = Math.max(0, survived - 3); number < committed; number++) {
            assertThat(read(engine, "row %06d".formatted(number)) != null).isEqualTo(number == survived - 1);
        }
    }

    @Test
    void aKilledProcessLosesNothingUntilPowerIsLostToo() throws Exception {
        var engine = new CrashableMetaEngine(MemoryMetaEngine::new);
        put(engine, "a", "synced");
        engine.sync();
        put(engine, "b", "not synced");
        var killed = engine.kill();
        assertThatThrownBy(() -> put(engine, "c", "1")).hasMessageContaining("closed");
        assertThat(read(killed, "b")).isEqualTo("not synced");
        assertThat(killed.unsyncedCommits()).isEqualTo(1);
        var found = new HashSet<String>();
        var random = new Random(1);
        for (int i = 0; i < 50 && found.size() < 2; i++) {
            var crashed = killed.kill().crash(random);
            assertThat(read(crashed, "a")).isEqualTo("synced");
            found.add("" + read(crashed, "b"));
        }
        assertThat(found).containsExactlyInAnyOrder("null", "not synced");
    }

    @Test
    void manyRowsSurvive() throws Exception {
        var engine = new CrashableMetaEngine(MemoryMetaEngine::new);
        for (int i = 0; i < 3_000; i++) {
            put(engine, "k%05d".formatted(i), "v" + i);
        }
        engine.sync();
        var crashed = engine.crash(new Random(1));
        for (int i = 0; i < 3_000; i++) {
            assertThat(read(crashed, "k%05d".formatted(i))).isEqualTo("v" + i);
        }
    }
}
