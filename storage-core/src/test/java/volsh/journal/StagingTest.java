package volsh.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.NoSuchBlockException;
import volsh.block.UnavailableException;
import volsh.block.memory.MemoryBlockStore;
import volsh.disk.SimulatedDisk;
import volsh.fs.NoSpaceException;
import volsh.hang.Eventually;

final class StagingTest {
    private static final Path DIRECTORY = Path.of("/journal");
    private static final UUID ID = new UUID(1, 1);
    private static final StagingSettings AT_ONCE = new StagingSettings(1 << 20, Duration.ZERO);
    private static final Logger LOG = Logger.getLogger("volsh.journal");

    private final SimulatedDisk disk = new SimulatedDisk();
    private final MemoryBlockStore bucket = new MemoryBlockStore();
    private final Gate gate = new Gate(bucket);

    /** A store that can be shut, and whose puts can be held up. */
    private static final class Gate implements Forwarding {
        private final BlockStore delegate;
        volatile boolean shut;
        volatile CountDownLatch held = new CountDownLatch(0);
        final CountDownLatch arrived = new CountDownLatch(1);
        final List<String> placed = new CopyOnWriteArrayList<>();

        Gate(BlockStore delegate) {
            this.delegate = delegate;
        }

        @Override
        public BlockStore delegate() {
            return delegate;
        }

        @Override
        public void put(BlockKey key, ByteBuffer data) throws IOException {
            arrived.countDown();
            try {
                held.await();
            } catch (InterruptedException stopped) {
                throw new AssertionError(stopped);
            }
            if (shut) {
                throw new UnavailableException("the gate is shut", null);
            }
            placed.add("put %s at %d, %d bytes".formatted(key, key.arrangement(), key.stored()));
            delegate.put(key, data);
        }

        @Override
        public void delete(BlockKey key) throws IOException {
            placed.add("delete %s at %d, %d bytes".formatted(key, key.arrangement(), key.stored()));
            delegate.delete(key);
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

    private Staging staging(StagingSettings settings) throws IOException {
        return new Staging(gate, Optional.of(Journal.create(ID, DIRECTORY, disk, InstantSource.system())), settings,
                InstantSource.system());
    }

    private static ByteBuffer bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private static ByteBuffer read(BlockStore store, long block, int length) throws IOException {
        var target = ByteBuffer.allocate(length);
        store.get(BlockKey.of(block), 0, target);
        return target.flip();
    }

    private long stored() throws IOException {
        try (var listed = bucket.list("")) {
            return listed.count();
        }
    }

    /** Where a block goes is known to its writer; nobody below remembers it until it is stored, or deleted. */
    @Test
    void whereABlockGoesWaitsWithIt() throws IOException {
        var staging = staging(AT_ONCE);
        staging.put(BlockKey.of(1, 5, 3000), bytes(1, 3000));
        staging.put(BlockKey.of(2, 6, 2000), bytes(2, 2000));
        staging.put(BlockKey.of(3, 7, 1000), bytes(3, 1000));
        assertThat(staging.storeOne()).isTrue();
        gate.shut = true;
        assertThat(staging.storeOne()).isTrue();
        staging.delete(BlockKey.of(2, 6, 2000));   // a failed attempt may have left something
        gate.shut = false;
        disk.crash(new Random(1));
        try (var next = new Staging(gate, Optional.empty(), AT_ONCE, InstantSource.system())) {
            next.adopt(Journal.open(ID, DIRECTORY, disk, InstantSource.system()), _ -> Map.of(3L, 8));
            assertThat(next.storeOne()).isTrue();
        }
        assertThat(gate.placed).containsExactly(
                "put %s at 5, 3000 bytes".formatted(BlockKey.of(1)), "delete %s at 6, 2000 bytes"
                        .formatted(BlockKey.of(2)), "put %s at 8, 1000 bytes".formatted(BlockKey.of(3)));
    }

    @Test
    void aPutReturnsBeforeTheStoreHasIt() throws IOException {
        try (var staging = staging(AT_ONCE)) {
            staging.put(BlockKey.of(1), bytes(1, 3000));
            assertThat(stored()).isZero();
            assertThat(read(staging, 1, 3000)).isEqualTo(bytes(1, 3000));
            assertThat(staging.stagedSince(1)).isPresent();
            assertThat(staging.storeOne()).isTrue();
            assertThat(read(bucket, 1, 3000)).isEqualTo(bytes(1, 3000));
            assertThat(read(staging, 1, 3000)).isEqualTo(bytes(1, 3000));
            assertThat(staging.stagedSince(1)).isEmpty();
            assertThat(staging.status()).isEqualTo(StagingStatus.NOTHING);
        }
    }

    @Test
    void whatIsNoBlockGoesStraightToTheStore() throws IOException {
        try (var staging = staging(AT_ONCE)) {
            staging.put(new BlockKey("marker"), bytes(1, 10));
            assertThat(stored()).isOne();
        }
    }

    @Test
    void aStoreThatRefusesIsTriedAgain() throws IOException {
        try (var staging = staging(AT_ONCE)) {
            staging.start(2);
            gate.shut = true;
            staging.put(BlockKey.of(1), bytes(1, 3000));
            Eventually.holds("the store was asked", () -> {
                assertThat(staging.drain(Duration.ofMillis(300))).isFalse();
                return staging.status().trouble().isPresent();
            });
            assertThat(staging.status().trouble()).contains(new StagingStatus.Trouble("the gate is shut", false));
            gate.shut = false;
            assertThat(staging.drain(Duration.ofMinutes(1))).isTrue();
            assertThat(read(bucket, 1, 3000)).isEqualTo(bytes(1, 3000));
        }
    }

    @Test
    void moreThanTheLimitGoesStraightToTheStore() throws IOException {
        try (var staging = staging(new StagingSettings(5000, Duration.ZERO))) {
            staging.put(BlockKey.of(1), bytes(1, 3000));
            staging.put(BlockKey.of(2), bytes(2, 3000));
            assertThat(read(bucket, 2, 3000)).isEqualTo(bytes(2, 3000));
            assertThatThrownBy(() -> read(bucket, 1, 3000)).isInstanceOf(NoSuchBlockException.class);
            assertThat(staging.status().bytes()).isEqualTo(3000);
            gate.shut = true;
            assertThatThrownBy(() -> staging.put(BlockKey.of(3), bytes(3, 3000)))
                    .hasMessageContaining("the gate is shut");
        }
    }

    @Test
    void aFullDiskSendsBlocksStraightToTheStore() throws IOException {
        try (var staging = staging(AT_ONCE)) {
            disk.capacity(4000);
            staging.put(BlockKey.of(1), bytes(1, 3000));
            staging.put(BlockKey.of(2), bytes(2, 3000));
            assertThat(stored()).isOne();
            assertThat(read(staging, 1, 3000)).isEqualTo(bytes(1, 3000));
            assertThat(read(staging, 2, 3000)).isEqualTo(bytes(2, 3000));
        }
    }

    /**
     * ENOSPC to a program, and no more than that: what was acknowledged stays, and with the store there is room again.
     */
    @Test
    void withAFullJournalAndNoStoreThereIsNoSpaceLeft() throws IOException {
        try (var staging = staging(new StagingSettings(4000, Duration.ofHours(1)))) {
            refuseAndGoOn(staging);
        }
    }

    @Test
    void withAFullDiskAndNoStoreThereIsNoSpaceLeft() throws IOException {
        disk.capacity(4000);
        try (var staging = staging(new StagingSettings(1 << 20, Duration.ofHours(1)))) {
            refuseAndGoOn(staging);
        }
    }

    private void refuseAndGoOn(Staging staging) throws IOException {
        gate.shut = true;
        staging.put(BlockKey.of(1), bytes(1, 3000));
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> staging.put(BlockKey.of(2), bytes(2, 3000)))
                    .isInstanceOf(UnavailableException.class).hasMessageContaining("the gate is shut")
                    .hasCauseInstanceOf(NoSpaceException.class);
        }
        assertThat(read(staging, 1, 3000)).isEqualTo(bytes(1, 3000));
        gate.shut = false;
        staging.put(BlockKey.of(2), bytes(2, 3000));
        assertThat(read(staging, 2, 3000)).isEqualTo(bytes(2, 3000));
    }

    @Test
    void aBlockDeletedInTimeNeverReachesTheStore() throws IOException {
        try (var staging = staging(new StagingSettings(1 << 20, Duration.ofHours(1)))) {
            staging.put(BlockKey.of(1), bytes(1, 3000));
            assertThat(staging.storeOne()).as("it is not due yet").isFalse();
            staging.deleteAll(List.of(BlockKey.of(1), BlockKey.of(2)));
            assertThat(staging.status().blocks()).isZero();
            assertThat(staging.drain(Duration.ofSeconds(1))).isTrue();
            assertThat(stored()).isZero();
            assertThatThrownBy(() -> read(staging, 1, 3000)).isInstanceOf(NoSuchBlockException.class);
        }
    }

    @Test
    void aBlockDeletedWhileItIsStoredIsDeletedThereToo() throws Exception {
        try (var staging = staging(AT_ONCE)) {
            gate.held = new CountDownLatch(1);
            staging.put(BlockKey.of(1), bytes(1, 3000));
            staging.start(1);
            gate.arrived.await();
            staging.delete(BlockKey.of(1));
            gate.held.countDown();
            assertThat(staging.drain(Duration.ofMinutes(1))).isTrue();
        }
        assertThat(stored()).isZero();
    }

    /** Who gives up waiting does not slow down another who still waits. */
    @Test
    void oneDrainThatTimesOutDoesNotEndAnother() throws Exception {
        try (var staging = staging(new StagingSettings(1 << 20, Duration.ofHours(1)));
                var crew = Executors.newSingleThreadExecutor()) {
            gate.held = new CountDownLatch(1);
            staging.put(BlockKey.of(1), bytes(1, 3000));
            staging.start(1);
            var unmount = crew.submit(() -> staging.drain(Duration.ofSeconds(20)));
            gate.arrived.await();
            assertThat(staging.drain(Duration.ofMillis(1))).as("one that waits beside it").isFalse();
            staging.put(BlockKey.of(2), bytes(2, 3000));
            gate.held.countDown();
            assertThat(unmount.get()).as("everything is stored, also what would be due in an hour").isTrue();
        }
        assertThat(stored()).isEqualTo(2);
    }

    /** What is said of one block that cannot be stored is not taken back because another one was. */
    @Test
    void troubleWithOneBlockIsSaidUntilItIsStored() throws Exception {
        try (var staging = staging(AT_ONCE)) {
            gate.shut = true;
            staging.put(BlockKey.of(1), bytes(1, 3000));
            assertThat(staging.storeOne()).isTrue();
            gate.shut = false;
            staging.put(BlockKey.of(2), bytes(2, 3000));
            assertThat(staging.storeOne()).isTrue();
            assertThat(staging.status().blocks()).isOne();
            assertThat(staging.status().trouble()).contains(new StagingStatus.Trouble("the gate is shut", false));
        }
    }

    @Test
    void theNextProcessStoresWhatIsStillNeeded() throws IOException {
        var killed = staging(AT_ONCE);
        for (long block = 1; block <= 10; block++) {
            killed.put(BlockKey.of(block), bytes(block, 2000));
        }
        disk.crash(new Random(1));
        try (var next = new Staging(gate, Optional.empty(), AT_ONCE, InstantSource.system())) {
            var left = Journal.open(ID, DIRECTORY, disk, InstantSource.system());
            next.adopt(left, blocks -> {
                var needed = new HashMap<Long, Integer>();
                blocks.forEach(block -> needed.put(block, 0));
                needed.remove(4L);
                return needed;
            });
            assertThat(read(next, 3, 2000)).isEqualTo(bytes(3, 2000));
            assertThat(next.finished()).isEmpty();
            next.start(2);
            assertThat(next.drain(Duration.ofMinutes(1))).isTrue();
            assertThat(next.finished()).containsExactly(left);
            next.put(BlockKey.of(11), bytes(11, 2000));
        }
        assertThat(stored()).isEqualTo(10);
        assertThatThrownBy(() -> read(bucket, 4, 1)).isInstanceOf(NoSuchBlockException.class);
        assertThat(read(bucket, 10, 2000)).isEqualTo(bytes(10, 2000));
    }

    @Test
    void manyWritersAndReadersAndDeletersAtOnce() throws Exception {
        int count = 400;
        try (var staging = staging(new StagingSettings(200_000, Duration.ZERO));
                var crew = Executors.newFixedThreadPool(6)) {
            staging.start(3);
            var done = new ArrayList<Future<?>>();
            for (int i = 0; i < count; i++) {
                long block = i;
                done.add(crew.submit(() -> {
                    staging.put(BlockKey.of(block), bytes(block, 1500));
                    assertThat(read(staging, block, 1500)).isEqualTo(bytes(block, 1500));
                    if (block % 5 == 0) {
                        staging.delete(BlockKey.of(block));
                    }
                    return null;
                }));
            }
            for (var each : done) {
                each.get();
            }
            assertThat(staging.drain(Duration.ofMinutes(1))).isTrue();
            for (long block = 0; block < count; block++) {
                long each = block;
                if (block % 5 == 0) {
                    assertThatThrownBy(() -> read(bucket, each, 1500)).isInstanceOf(NoSuchBlockException.class);
                } else {
                    assertThat(read(bucket, block, 1500)).isEqualTo(bytes(block, 1500));
                }
            }
        }
    }
}
