package volsh.ship;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.engine.Delta;
import volsh.engine.KeyFacts;
import volsh.engine.MetaKey;
import volsh.engine.Race;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.hang.Eventually;

/**
 * Several shippers and writers at once, on a database: nothing is shipped twice, nothing left out, and bases fit their
 * logs.
 */
@Tag("model")
final class ShipRaceTest {
    private static final int CHANGES = Boolean.getBoolean("volsh.long") ? 5_000 : 400;

    private static final Sizes SIZES = new Sizes(2_000, 3_000, 50_000);

    @TempDir
    Path directory;

    @Test
    void manyShippersAreAsOne() throws Exception {
        var store = new MemoryBlockStore();
        var clock = InstantSource.system();
        var identity = new Identity(Host.VOLUME, "host", "made");
        var total = MetaKey.of((byte) 'U', (byte) 0);
        var restored = new AtomicInteger();
        try (var engine = SqliteMetaEngine.create(directory.resolve("meta.db"))) {
            new ShippingLog(engine).switchOn(new UUID(1, 1), clock.instant());
            var recording = new RecordingEngine(engine, clock);
            var writing = new AtomicInteger(2);
            Race.of(5, 1, (thread, round) -> {
                var shipping = new Shipping(identity, engine, store, clock, ShippingTurn.FREE, SIZES);
                if (thread < 2) {
                    for (int i = 0; i < CHANGES; i++) {
                        int number = i;
                        recording.transact(tx -> {
                            tx.add(total, Delta.of(1));
                            tx.put(KeyFacts.setting("n" + thread + "-" + number % 100), bytes(number));
                            return null;
                        });
                    }
                    writing.decrementAndGet();
                } else if (thread < 4) {
                    while (writing.get() > 0) {
                        shipping.ship();
                    }
                } else {
                    Eventually.holds("something is shipped", () -> !Shipments.of(store, Host.VOLUME).isEmpty());
                    while (writing.get() > 0 || restored.get() == 0) {
                        restored.addAndGet(restore(store, total));
                    }
                }
            });
            new Shipping(identity, engine, store, clock, ShippingTurn.FREE, SIZES).ship();
            var copy = new MemoryMetaEngine();
            var restore = new Restore(store, Host.VOLUME, copy, bytes -> { });
            restore.run();
            assertThat(restore.last()).isEqualTo(2L * CHANGES);
            Rows.of(copy).assertSame(Rows.of(engine), "after all");
            assertThat(new ShippingLog(engine).from(0, 1)).as("nothing is left to ship").isEmpty();
            assertThat(new ShippingLog(engine).state().base()).isPositive();
        }
        assertThat(restored.get()).isPositive();
        System.out.printf("ship race: %d changes, restored %d times meanwhile%n", 2 * CHANGES, restored.get());
    }

    private static byte[] bytes(int seed) {
        byte[] bytes = new byte[seed % 300];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    /**
     * While it is shipped, what is there is one state: the counter says how many changes. Objects may vanish under the
     * reader.
     */
    private static int restore(MemoryBlockStore store, MetaKey total) throws Exception {
        var copy = new MemoryMetaEngine();
        var restore = new Restore(store, Host.VOLUME, copy, bytes -> { });
        try {
            restore.run();
        } catch (MovedOnException again) {
            return 0;
        }
        byte[] row = copy.read(tx -> tx.get(total));
        assertThat(row == null ? 0 : Delta.parse(row).sums()[0]).isEqualTo(restore.last());
        return 1;
    }
}
