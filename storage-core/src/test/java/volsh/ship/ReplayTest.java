package volsh.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.RefusedException;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.KeyFacts;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.vfs.ManualClock;
import volsh.vfs.Program;
import volsh.vfs.RandomCalls;
import volsh.vfs.TestVolume;
import volsh.vfs.VfsPosix;

/**
 * Random system calls on a volume whose metadata is shipped now and then, by shippers that are killed at random,
 * between any two calls of the store. At random moments it is restored: all rows are as they were behind the last
 * change that the store has. Hosts are given up and the volume attached elsewhere; the old host then changes nothing
 * any more.
 */
@Tag("volume")
final class ReplayTest {
    private static final int SEEDS = Boolean.getBoolean("volsh.long") ? 300 : 6;
    private static final int CALLS = 400;

    @TestFactory
    Stream<DynamicTest> restoresWhatWasShipped() {
        long first = System.nanoTime();
        return LongStream.range(first, first + SEEDS)
                .mapToObj(seed -> DynamicTest.dynamicTest("seed " + seed, () -> new Run(seed).run()));
    }

    private static final class Run {
        private final long seed;
        private final Random random;
        private final ManualClock clock = new ManualClock();
        private final MemoryBlockStore store = new MemoryBlockStore();
        private final List<Host> formerHosts = new ArrayList<>();
        private Host host;
        private int restored;
        private int killed;
        private int bases;

        Run(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
        }

        void run() throws IOException {
            host = Host.first(clock);
            int hosts = 3;
            for (int i = 0; i < hosts; i++) {
                use(CALLS / hosts);
                host.shipping(store).ship();
                formerHosts.add(host);
                host = Host.attached("host " + i, store, host.history, clock);
                formerHosts.forEach(this::assertOver);
            }
            use(CALLS / hosts);
            System.out.printf("replay seed %d: %d changes, restored %d times, killed %d times, %d bases%n", seed,
                    host.log().counter().last(), restored, killed, bases);
            assertThat(restored).isPositive();
            assertThat(killed).isPositive();
            assertThat(bases).isPositive();
        }

        private void use(int calls) throws IOException {
            var settings = new ChunkSettings(4096, 700, 60_000, 0);
            try (var volume = TestVolume.open(host.recording, store, settings, Runnable::run, clock)) {
                var program = new Program(new VfsPosix(volume.vfs()));
                var next = new RandomCalls(random, 12 * 4096, 4096);
                for (int i = 0; i < calls; i++) {
                    clock.advance(Duration.ofMillis(random.nextInt(400)));
                    program.run(next.next(program.openFiles()).call());
                    if (random.nextInt(10) == 0) {
                        volume.renew();
                    }
                    if (random.nextInt(8) == 0) {
                        ship();
                    }
                    if (random.nextInt(12) == 0) {
                        restore();
                    }
                }
                program.closeAll();
            }
        }

        /** Two of three shippers are killed on the way. */
        private void ship() throws IOException {
            long before = base();
            if (random.nextInt(3) > 0) {
                var deadly = new Deadly(store, random.nextInt(random.nextBoolean() ? 2 : 12), random.nextBoolean());
                try {
                    host.shipping(deadly).ship();
                } catch (Deadly.Killed dead) {
                    killed++;
                }
            } else {
                host.shipping(store).ship();
                assertThat(host.shipping(store).isShipped()).isTrue();
            }
            bases += base() > before ? 1 : 0;
        }

        private long base() throws IOException {
            return host.log().state().base();
        }

        private void restore() throws IOException {
            if (Shipments.of(store, Host.VOLUME).isEmpty()) {
                return;
            }
            var engine = new MemoryMetaEngine();
            var restore = new Restore(store, Host.VOLUME, engine, bytes -> { });
            restore.run();
            assertThat(restore.last()).isGreaterThanOrEqualTo(host.log().state().shipped());
            Rows.of(engine).assertSame(host.history.get(restore.last()),
                    "seed %d, change %d".formatted(seed, restore.last()));
            restored++;
        }

        /** A host that was left behind ships nothing, and once it has noticed nothing changes there. */
        private void assertOver(Host former) {
            try {
                var before = Rows.of(host.engine);
                var objects = objects();
                var change = former.log().counter().fenced() ? null : former.recording.transact(tx -> {
                    tx.put(KeyFacts.setting("late"), new byte[1]);
                    return "late";
                });
                assertThatThrownBy(() -> former.shipping(store).ship()).isInstanceOf(AttachedElsewhereException.class)
                        .hasMessageContaining("attached elsewhere").hasMessageContaining("host");
                assertThatThrownBy(() -> former.shipping(store).switchOff())
                        .isInstanceOf(AttachedElsewhereException.class);
                assertThatThrownBy(() -> former.recording.transact(tx -> {
                    tx.put(KeyFacts.setting("later"), new byte[1]);
                    return null;
                })).isInstanceOf(FsException.class).extracting(refused -> ((FsException) refused).error())
                        .isEqualTo(FsError.READ_ONLY);
                assertThat(objects()).as("after %s", change).isEqualTo(objects);
                Rows.of(host.engine).assertSame(before, "the new host's rows");
            } catch (IOException failed) {
                throw new AssertionError(failed);
            }
        }

        private List<BlockStore.Listed> objects() {
            return store.list("").toList();
        }
    }

    /** Negative control: a store that forgets one log is noticed by whoever restores. */
    @Test
    void noticesALogThatWasNeverShipped() throws IOException {
        var store = new MemoryBlockStore();
        var clock = new ManualClock();
        try (var host = Host.first(clock)) {
            host.shipping(store).ship();
            for (int i = 0; i < 5; i++) {
                int number = i;
                host.recording.transact(tx -> {
                    tx.put(KeyFacts.setting("n" + number), new byte[] {1});
                    return null;
                });
                host.shipping(i == 2 ? new Forgetting(store) : store).ship();
            }
            var thrown = catchThrowable(() -> new Restore(store, Host.VOLUME, new MemoryMetaEngine(),
                    bytes -> { }).run());
            assertThat(thrown).isInstanceOf(DamagedShipmentException.class)
                    .hasMessageContaining(ShippedNames.log(3).text()).hasMessageContaining("missing")
                    .hasMessageContaining("the store has changes up to 2");
        }
    }

    /** Some servers ignore the condition of a conditional put: nothing is shipped to them. */
    @Test
    void aStoreThatDecidesNoRaceIsRefused() throws IOException {
        try (var engine = new MemoryMetaEngine()) {
            var identity = new Identity(Host.VOLUME, "host", "made");
            var shipping = new Shipping(identity, engine, new Careless(new MemoryBlockStore()), new ManualClock(),
                    ShippingTurn.FREE);
            assertThatThrownBy(shipping::switchOn).isInstanceOf(RefusedException.class)
                    .hasMessageContaining("If-None-Match");
            assertThat(shipping.isOn()).isFalse();
            new Shipping(identity, engine, new MemoryBlockStore(), new ManualClock(), ShippingTurn.FREE).switchOn();
            assertThat(shipping.isOn()).isTrue();
        }
    }

    private record Careless(BlockStore delegate) implements Forwarding {
        @Override
        public boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException {
            delegate.put(key, data);
            return true;
        }
    }

    /** Says yes, and keeps nothing. */
    private record Forgetting(BlockStore delegate) implements Forwarding {
        @Override
        public boolean putIfAbsent(BlockKey key, ByteBuffer data) {
            return true;
        }
    }
}
