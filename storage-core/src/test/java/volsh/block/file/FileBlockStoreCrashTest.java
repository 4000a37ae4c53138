package volsh.block.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.block.BlockStoreContract.list;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.BlockStoreContract;
import volsh.block.NoSuchBlockException;
import volsh.disk.SimulatedDisk;
import volsh.fs.NoSpaceException;

/** On a disk that loses power: what was put stays, and nothing is ever there in part. */
@Tag("model")
@Tag("crash")
final class FileBlockStoreCrashTest implements BlockStoreContract {
    private static final Path ROOT = Path.of("/store");
    private static final int CRASHES = Boolean.getBoolean("volsh.long") ? 20_000 : 1_000;

    @Override
    public BlockStore open() {
        return new FileBlockStore(ROOT, new SimulatedDisk());
    }

    @Override
    public boolean modifiedIsWallClock() {
        return false;
    }

    @Test
    void acknowledgedBlocksSurviveAndOthersAreWholeOrAbsent() {
        long seed = Long.getLong("volsh.seed", System.nanoTime());
        Outcome total = IntStream.range(0, CRASHES)
                .mapToObj(i -> crash(seed + i, new SimulatedDisk()))
                .reduce(Outcome.NOTHING, Outcome::plus);
        System.out.printf("file store, %d crashes: seed %d, %s%n", CRASHES, seed, total);
        assertThat(total.lost).isZero();
        assertThat(total.torn).isZero();
        assertThat(total.acknowledged).isGreaterThan(CRASHES);
        assertThat(total.unacknowledged).isGreaterThan(CRASHES / 4);
        assertThat(total.unacknowledgedButThere).isBetween(1, total.unacknowledged - 1);
    }

    @Test
    void aDiskThatOnlyPretendsToSyncIsFoundOut() {
        Outcome total = IntStream.range(0, 100).mapToObj(seed -> {
            var disk = new SimulatedDisk();
            disk.ignoreSyncs();
            return crash(seed, disk);
        }).reduce(Outcome.NOTHING, Outcome::plus);
        assertThat(total.lost).as("negative control").isPositive();
        assertThat(total.torn).as("negative control").isPositive();
    }

    @Test
    void everyCallMayFailAndTheNextPutSucceeds() throws Exception {
        int failures = 0;
        for (int call = 1; call <= 12; call++) {
            var disk = new SimulatedDisk();
            var store = new FileBlockStore(ROOT, disk);
            disk.failCall(call);
            BlockKey key = BlockKey.of(7);
            try {
                store.put(key, block(7));
            } catch (IOException injected) {
                failures++;
                store.put(key, block(7));
            }
            disk.crash(new Random(call));
            assertThat(read(new FileBlockStore(ROOT, disk), key)).isEqualTo(block(7));
        }
        assertThat(failures).isGreaterThanOrEqualTo(7);
    }

    @Test
    void aFullDiskLeavesNothingBehind() throws Exception {
        var disk = new SimulatedDisk();
        disk.capacity(10_000);
        var store = new FileBlockStore(ROOT, disk);
        store.put(BlockKey.of(1), ByteBuffer.allocate(6_000));
        assertThatThrownBy(() -> store.put(BlockKey.of(2), ByteBuffer.allocate(6_000)))
                .isInstanceOf(NoSpaceException.class);
        assertThat(list(store, "")).hasSize(1);
        store.put(BlockKey.of(2), ByteBuffer.allocate(4_000));
        assertThat(list(store, "")).hasSize(2);
    }

    /** Blocks by what became of them: {@code lost} were acknowledged, {@code torn} are there in part. */
    private record Outcome(int acknowledged, int lost, int unacknowledged, int unacknowledgedButThere, int torn) {
        static final Outcome NOTHING = new Outcome(0, 0, 0, 0, 0);

        Outcome plus(Outcome other) {
            return new Outcome(
                    acknowledged + other.acknowledged,
                    lost + other.lost,
                    unacknowledged + other.unacknowledged,
                    unacknowledgedButThere + other.unacknowledgedButThere,
                    torn + other.torn);
        }
    }

    private enum State {
        WHOLE,
        ABSENT,
        TORN
    }

    /** Puts and deletes until power is lost at a random call; then reads everything that was ever put. */
    private static Outcome crash(long seed, SimulatedDisk disk) {
        var random = new Random(seed);
        var store = new FileBlockStore(ROOT, disk);
        Set<Integer> acknowledged = new HashSet<>();
        Set<Integer> uncertain = new HashSet<>();
        disk.losePowerAtCall(5 + random.nextInt(60));
        for (int id = 0; ; id++) {
            try {
                uncertain.add(id);
                store.put(BlockKey.of(id % 5 * 256 + id), block(id));
                uncertain.remove(id);
                acknowledged.add(id);
            } catch (IOException powerLoss) {
                break;
            }
        }
        disk.crash(random);
        var recovered = new FileBlockStore(ROOT, disk);
        return new Outcome(
                acknowledged.size(),
                acknowledged.size() - count(State.WHOLE, acknowledged, recovered),
                uncertain.size(),
                count(State.WHOLE, uncertain, recovered),
                count(State.TORN, uncertain, recovered));
    }

    private static int count(State wanted, Set<Integer> ids, BlockStore store) {
        return (int) ids.stream().filter(id -> state(store, id) == wanted).count();
    }

    private static State state(BlockStore store, int id) {
        try {
            return read(store, BlockKey.of(id % 5 * 256 + id)).equals(block(id)) ? State.WHOLE : State.TORN;
        } catch (NoSuchBlockException absent) {
            return State.ABSENT;
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    private static ByteBuffer read(BlockStore store, BlockKey key) throws IOException {
        var target = ByteBuffer.allocate(10_000);
        store.get(key, 0, target);
        return target.flip();
    }

    private static ByteBuffer block(int id) {
        var bytes = new byte[1 + (id * 997 + 1234) % 5_000];
        new SplittableRandom(id).nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }
}
