package volsh.ship;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.block.BlockStore;
import volsh.block.memory.MemoryBlockStore;
import volsh.engine.CrashableMetaEngine;
import volsh.engine.KeyFacts;
import volsh.engine.MetaEngine;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.vfs.ManualClock;

/**
 * The host loses power again and again, and with it commits that were not synced, while it ships. What the store has it
 * never forgets: else it would ship other changes under the same numbers, and be taken for somebody else.
 */
@Tag("volume")
@Tag("crash")
final class PowerLossTest {
    private static final int SEEDS = Boolean.getBoolean("volsh.long") ? 2_000 : 60;
    private static final int STEPS = 60;

    @Test
    void whatIsShippedIsNotForgottenHere() throws IOException {
        long seed = System.nanoTime();
        int lost = 0;
        for (int i = 0; i < SEEDS; i++) {
            lost += run(seed + i, true);
        }
        System.out.printf("power loss while shipping, seeds %d + %d: %d commits lost, none of them shipped%n", seed,
                SEEDS, lost);
        assertThat(lost).isPositive();
    }

    /** Negative control: without the sync before each put the store soon knows changes that the host does not. */
    @Test
    void withoutSyncsTheHostWouldFenceItself() throws IOException {
        int fenced = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            try {
                run(seed, false);
            } catch (AttachedElsewhereException | DamagedShipmentException | AssertionError diverged) {
                fenced++;
            }
        }
        assertThat(fenced).isPositive();
    }

    private static int run(long seed, boolean syncs) throws IOException {
        var random = new Random(seed);
        var clock = new ManualClock();
        var store = new MemoryBlockStore();
        var engine = new CrashableMetaEngine(MemoryMetaEngine::new);
        new ShippingLog(engine).switchOn(new UUID(7, 7), clock.instant());
        engine.sync();
        int lost = 0;
        for (int step = 0; step < STEPS; step++) {
            switch (random.nextInt(6)) {
                case 0 -> {
                    long before = new ShippingLog(engine).counter().last();
                    engine = engine.crash(random);
                    lost += (int) (before - new ShippingLog(engine).counter().last());
                }
                case 1 -> ship(shipping(engine, new Deadly(store, random.nextInt(6), random.nextBoolean()), syncs));
                case 2 -> ship(shipping(engine, store, syncs));
                default -> change(new RecordingEngine(engine, clock), random);
            }
        }
        shipping(engine, store, syncs).ship();
        var copy = new MemoryMetaEngine();
        new Restore(store, Host.VOLUME, copy, bytes -> { }).run();
        Rows.of(copy).assertSame(Rows.of(engine), "seed " + seed);
        return lost;
    }

    private static void ship(Shipping shipping) throws IOException {
        try {
            shipping.ship();
        } catch (Deadly.Killed dead) {
            // the next one goes on
        }
    }

    private static void change(MetaEngine engine, Random random) throws IOException {
        byte[] value = new byte[random.nextInt(300)];
        random.nextBytes(value);
        engine.transact(tx -> {
            tx.put(KeyFacts.setting("n" + random.nextInt(20)), value);
            return null;
        });
    }

    private static Shipping shipping(MetaEngine engine, BlockStore store, boolean syncs) {
        var used = syncs ? engine : new Unsynced(engine);
        return new Shipping(new Identity(Host.VOLUME, "host", "made"), used, store, new ManualClock(),
                ShippingTurn.FREE, Host.SMALL);
    }

    /** Whose syncs do nothing. */
    private record Unsynced(MetaEngine engine) implements MetaEngine {
        @Override
        public <R> R transact(Work<R> work) throws IOException {
            return engine.transact(work);
        }

        @Override
        public <R> R read(Work<R> work) throws IOException {
            return engine.read(work);
        }

        @Override
        public void sync() {
            // that is the point
        }

        @Override
        public void close() throws IOException {
            engine.close();
        }
    }
}
