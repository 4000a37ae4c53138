package volsh.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volsh.block.BlockKey;
import volsh.block.memory.MemoryBlockStore;
import volsh.disk.Disk;
import volsh.disk.SimulatedDisk;

/** Which staged blocks go to the store together, and when. */
final class StagedTogetherTest {
    private static final StagingSettings PATIENT = new StagingSettings(1L << 30, Duration.ZERO, Duration.ofSeconds(2));
    private static final Logger LOG = Logger.getLogger("volsh.journal");

    private final SimulatedDisk disk = new SimulatedDisk();
    private final MemoryBlockStore bucket = new MemoryBlockStore();
    private final Parcels parcels = new Parcels();
    private Instant now = Instant.EPOCH;
    private final InstantSource clock = () -> now;

    /** Keeps what goes together as single blocks, and remembers how many came at a time. */
    private final class Parcels implements Packing {
        final List<Integer> sizes = new ArrayList<>();
        Runnable meanwhile = () -> {};
        boolean shut;

        @Override
        public void put(UUID journal, List<Item> items, ByteBuffer together) throws IOException {
            meanwhile.run();
            if (shut) {
                throw new IOException("the gate is shut");
            }
            sizes.add(items.size());
            for (var item : items) {
                bucket.put(BlockKey.of(item.block()), together.slice(item.offset(), item.length()));
            }
        }
    }

    @BeforeEach
    void quiet() {
        LOG.setLevel(Level.OFF);
    }

    @AfterEach
    void loud() {
        LOG.setLevel(null);
    }

    private Staging staging(Disk where) throws IOException {
        var journal = Journal.create(new UUID(1, 1), Path.of("/journal"), where, clock);
        return new Staging(bucket, Optional.of(parcels), Optional.of(journal), PATIENT, clock);
    }

    private static ByteBuffer bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private ByteBuffer stored(long block, int length) throws IOException {
        var target = ByteBuffer.allocate(length);
        bucket.get(BlockKey.of(block), 0, target);
        return target.flip();
    }

    private static void storeAll(Staging staging) {
        while (staging.storeOne()) {
            // the next
        }
    }

    @Test
    void smallOnesWaitForEachOtherAndLargeOnesDoNot() throws IOException {
        try (var staging = staging(disk)) {
            for (long block = 1; block <= 30; block++) {
                staging.put(BlockKey.of(block), bytes(block, 2000));
            }
            staging.put(BlockKey.of(99), bytes(99, Uploads.SMALL_MAX));
            storeAll(staging);
            assertThat(staging.status().blocks()).as("the large one went at once").isEqualTo(30);
            now = now.plusSeconds(2);
            storeAll(staging);
            assertThat(parcels.sizes).containsExactly(30);
            assertThat(stored(17, 2000)).isEqualTo(bytes(17, 2000));
            assertThat(staging.status()).isEqualTo(StagingStatus.NOTHING);
        }
    }

    @Test
    void aFullPackWaitsForNobody() throws IOException {
        int length = 100_000;
        int count = Uploads.PACK / length + 1;
        try (var staging = staging(disk)) {
            for (long block = 1; block <= count; block++) {
                assertThat(staging.storeOne()).isFalse();
                staging.put(BlockKey.of(block), bytes(block, length));
            }
            storeAll(staging);
            assertThat(parcels.sizes).containsExactly(count);
        }
    }

    @Test
    void whoWaitsForThemDoesNotWaitForTheirCompany() throws IOException {
        try (var staging = staging(disk)) {
            staging.start(2);
            staging.put(BlockKey.of(1), bytes(1, 2000));
            staging.put(BlockKey.of(2), bytes(2, 2000));
            assertThat(staging.drain(Duration.ofMinutes(1))).isTrue();
            assertThat(stored(2, 2000)).isEqualTo(bytes(2, 2000));
        }
    }

    @Test
    void aRefusedPackIsTriedAgainAfterAPause() throws IOException {
        try (var staging = staging(disk)) {
            parcels.shut = true;
            staging.put(BlockKey.of(1), bytes(1, 2000));
            staging.put(BlockKey.of(2), bytes(2, 2000));
            now = now.plusSeconds(2);
            assertThat(staging.storeOne()).isTrue();
            assertThat(staging.storeOne()).isFalse();
            assertThat(staging.status().trouble()).contains(new StagingStatus.Trouble("the gate is shut", false));
            parcels.shut = false;
            now = now.plusSeconds(1);
            storeAll(staging);
            assertThat(parcels.sizes).containsExactly(2);
            assertThat(staging.isIdle()).isTrue();
        }
    }

    @Test
    void oneDeletedWhileItsPackIsStoredIsDeletedThereToo() throws IOException {
        try (var staging = staging(disk)) {
            staging.put(BlockKey.of(1), bytes(1, 2000));
            staging.put(BlockKey.of(2), bytes(2, 2000));
            parcels.meanwhile = () -> {
                try {
                    staging.delete(BlockKey.of(1));
                } catch (IOException unexpected) {
                    throw new AssertionError(unexpected);
                }
            };
            now = now.plusSeconds(2);
            storeAll(staging);
            assertThat(bucket.list("").map(each -> each.key())).containsExactly(BlockKey.of(2));
        }
    }

    @Test
    void aDamagedOneDoesNotKeepTheOthersBack() throws IOException {
        try (var staging = staging(disk)) {
            for (long block = 1; block <= 3; block++) {
                staging.put(BlockKey.of(block), bytes(block, 2000));
            }
            var path = Path.of("/journal/000001.journal");
            try (var file = disk.edit(path)) {
                file.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), Entry.ALIGNMENT + Entry.HEADER_LENGTH + 50);
            }
            now = now.plusSeconds(2);
            storeAll(staging);
            assertThat(stored(1, 2000)).isEqualTo(bytes(1, 2000));
            assertThat(stored(3, 2000)).isEqualTo(bytes(3, 2000));
            assertThat(staging.status().damaged()).containsExactly(path);
            assertThat(staging.status().blocks()).isOne();
        }
    }

    /** Between the moment its entry is given up and the one in which its upload is known to be done. */
    @Test
    void oneThatIsPutAgainJustAfterItWasStoredIsStoredAgain() throws IOException {
        var atDelete = new ArrayList<Runnable>();
        var watched = (Disk) Proxy.newProxyInstance(Disk.class.getClassLoader(), new Class<?>[] {Disk.class},
                (proxy, method, words) -> {
            if (method.getName().equals("delete") && !atDelete.isEmpty()) {
                atDelete.removeFirst().run();
            }
            try {
                Object answer = method.invoke(disk, words);
                return answer == disk ? proxy : answer;   // what has hold of a directory is this disk
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        });
        try (var staging = staging(watched)) {
            staging.put(BlockKey.of(1), bytes(1, 2000));
            disk.failCall(3);
            staging.put(BlockKey.of(2), bytes(2, 2000));
            now = now.plusSeconds(10);
            atDelete.add(() -> {
                try {
                    staging.put(BlockKey.of(1), bytes(1, 2000));
                } catch (IOException unexpected) {
                    throw new AssertionError(unexpected);
                }
            });
            assertThat(staging.storeOne()).isTrue();
            assertThat(atDelete).as("it was put again in between").isEmpty();
            assertThat(staging.stagedSince(1)).isPresent();
            assertThat(staging.isIdle()).as("it is known to wait").isFalse();
            storeAll(staging);
            assertThat(staging.isIdle()).isTrue();
            assertThat(staging.status()).isEqualTo(StagingStatus.NOTHING);
            assertThat(stored(1, 2000)).isEqualTo(bytes(1, 2000));
        }
    }
}
