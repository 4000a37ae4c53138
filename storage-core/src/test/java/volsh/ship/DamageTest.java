package volsh.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.memory.MemoryBlockStore;
import volsh.engine.KeyFacts;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.vfs.ManualClock;

/**
 * Any object of what was shipped is damaged, cut, lost or mixed up: whoever restores is told which, and gets nothing
 * else.
 */
@Tag("volume")
final class DamageTest {
    private static final int ROUNDS = Boolean.getBoolean("volsh.long") ? 200 : 6;

    private MemoryBlockStore store = new MemoryBlockStore();

    private void fill(Host host, int from, int changes, Random random) throws IOException {
        for (int i = from; i < from + changes; i++) {
            int number = i;
            byte[] value = new byte[random.nextInt(400)];
            random.nextBytes(value);
            host.recording.transact(tx -> {
                tx.put(KeyFacts.setting("n" + number % 40), value);
                return null;
            });
            if (random.nextInt(3) == 0) {
                host.shipping(store).ship();
            }
        }
        host.shipping(store).ship();
    }

    @Test
    void everyObjectCounts() throws Exception {
        long seed = System.nanoTime();
        int damages = 0;
        for (int i = 0; i < ROUNDS; i++) {
            damages += round(seed + i);
        }
        System.out.printf("shipment damage, seeds %d + %d: %d of %d told%n", seed, ROUNDS, damages, damages);
        assertThat(damages).isGreaterThan(60);
    }

    private int round(long seed) throws IOException {
        var random = new Random(seed);
        var clock = new ManualClock();
        int damages = 0;
        store = new MemoryBlockStore();
        try (var host = Host.first(clock)) {
            fill(host, 0, 120, random);
            var right = restored();
            right.assertSame(Rows.of(host.engine), "undamaged");
            var objects = store.list(ShippedNames.ALL).map(BlockStore.Listed::key).toList();
            var last = objects.stream().filter(key -> key.text().startsWith(ShippedNames.LOGS))
                    .reduce((one, next) -> next).orElse(ShippedNames.log(0));
            for (var key : objects) {
                byte[] bytes = new ShippedNames(store).read(key);
                for (int kind = 0; kind < 4; kind++) {
                    if (damage(key, bytes, kind, objects.get(random.nextInt(objects.size())), random, last)) {
                        assertTold(key, "seed " + seed + ", " + key + ", damage " + kind);
                        damages++;
                    }
                    store.put(key, ByteBuffer.wrap(bytes));
                }
            }
            restored().assertSame(right, "mended");
        }
        return damages;
    }

    /**
     * False where nothing was done. The last log may be lost unnoticed: nothing in the store says that there was one.
     */
    private boolean damage(BlockKey key, byte[] bytes, int kind, BlockKey other, Random random, BlockKey last)
            throws IOException {
        switch (kind) {
            case 0 -> {
                byte[] wrong = bytes.clone();
                wrong[random.nextInt(wrong.length)] ^= (byte) (1 << random.nextInt(8));
                store.put(key, ByteBuffer.wrap(wrong));
            }
            case 1 -> store.put(key, ByteBuffer.wrap(bytes, 0, random.nextInt(bytes.length)));
            case 2 -> {
                if (key.equals(last) || key.text().startsWith(ShippedNames.BASES)) {
                    return false;
                }
                store.delete(key);
            }
            default -> {
                if (key.equals(other)) {
                    return false;
                }
                store.put(key, ByteBuffer.wrap(new ShippedNames(store).read(other)));
            }
        }
        return true;
    }

    private void assertTold(BlockKey key, String when) {
        var thrown = catchThrowable(this::restored);
        assertThat(thrown).as(when).isInstanceOf(DamagedShipmentException.class).hasMessageContaining(key.text());
    }

    /** Every byte of every object has a bit flipped: none of them restores as if nothing had happened. */
    @Test
    void everyByteCounts() throws Exception {
        long seed = System.nanoTime();
        var random = new Random(seed);
        try (var host = Host.first(new ManualClock())) {
            fill(host, 0, 12, random);
            int step = Boolean.getBoolean("volsh.long") ? 1 : 13;
            int flips = 0;
            for (var key : store.list(ShippedNames.ALL).map(BlockStore.Listed::key).toList()) {
                byte[] bytes = new ShippedNames(store).read(key);
                for (int at = random.nextInt(step); at < bytes.length; at += step, flips++) {
                    byte[] wrong = bytes.clone();
                    wrong[at] ^= (byte) (1 << random.nextInt(8));
                    store.put(key, ByteBuffer.wrap(wrong));
                    assertTold(key, "seed %d, %s, byte %d of %d".formatted(seed, key, at, bytes.length));
                }
                store.put(key, ByteBuffer.wrap(bytes));
            }
            System.out.printf("shipment flips, seed %d: %d of %d told%n", seed, flips, flips);
            assertThat(flips).isGreaterThan(100);
        }
    }

    private Rows restored() throws IOException {
        var engine = new MemoryMetaEngine();
        new Restore(store, Host.VOLUME, engine, bytes -> { }).run();
        return Rows.of(engine);
    }

    /**
     * A copy of the home that is as old as a backup ships other changes under the same numbers: it is stopped, and told
     * why.
     */
    @Test
    void anOlderCopyOfTheSameHomeIsStopped() throws Exception {
        var clock = new ManualClock();
        try (var host = Host.first(clock)) {
            fill(host, 0, 10, new Random(1));
            var older = new ArrayList<volsh.engine.MetaEngine.Entry>();
            host.engine.read(tx -> older.addAll(tx.scan(volsh.engine.MetaKey.of((byte) 0),
                    volsh.engine.MetaKey.of((byte) 0xff), 1000)));
            fill(host, 10, 10, new Random(2));
            var before = restored();
            var engine = new MemoryMetaEngine();
            engine.transact(tx -> {
                for (var row : older) {
                    tx.put(row.key(), row.value());
                }
                return null;
            });
            var backup = new RecordingEngine(engine, clock);
            backup.transact(tx -> {
                tx.put(KeyFacts.setting("other"), new byte[1]);
                return null;
            });
            var shipping = new Shipping(host.identity(), engine, store, clock, ShippingTurn.FREE, Host.SMALL);
            assertThat(catchThrowable(shipping::ship)).isInstanceOf(AttachedElsewhereException.class);
            restored().assertSame(before, "the bucket");
        }
    }
}
