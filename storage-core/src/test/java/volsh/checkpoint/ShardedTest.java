package volsh.checkpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Access;
import volsh.catalog.Refusal;
import volsh.catalog.VolumeDraft;
import volsh.fs.Owner;
import volsh.hang.Eventually;
import volsh.meta.ChildJvm;
import volsh.unit.ByteSize;
import volsh.vfs.Vfs;
import volsh.volume.Volume;

/** Ranks that save one checkpoint together: it is there when all are in, and not at all if one is missing. */
@Timeout(3600)
final class ShardedTest {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");
    private static final int ROUNDS = LONG ? 200 : 2;
    private static final int WORLD = 3;

    @TempDir
    Path directory;

    private Volume volume;
    private InstantSource clock = InstantSource.system();

    @BeforeEach
    void open() throws IOException {
        var volumes = CheckpointsTest.volumes(directory);
        volumes.create(VolumeDraft.named("ckpts").withBlockSize(ByteSize.of("64KiB")));
        volume = volumes.open("ckpts", Access.WRITE, "test");
    }

    @AfterEach
    void close() throws IOException {
        volume.close();
    }

    private Checkpoints checkpoints() {
        return CheckpointsTest.checkpoints(volume, clock);
    }

    /** What a rank has; only the last byte says of which step. */
    static Path shard(Path directory, int rank, long step) throws IOException {
        byte[] bytes = new byte[150_000];
        new SplittableRandom(rank).nextBytes(bytes);
        bytes[bytes.length - 1] = (byte) step;
        Path shard = Files.createDirectories(directory.resolve("shard-%d-%d".formatted(rank, step)));
        Files.write(shard.resolve("model.bin"), bytes);
        return shard;
    }

    private Callable<Checkpoint> rank(int rank, int world, long step, Duration patience) throws IOException {
        var request = new SaveRequest("r1", step, shard(directory, rank, step), Map.of("loss", (double) rank), Map.of(),
                false);
        return () -> checkpoints().saveShard(request, rank, world, patience);
    }

    private List<Future<Checkpoint>> all(List<Callable<Checkpoint>> ranks) throws InterruptedException {
        try (var pool = Executors.newFixedThreadPool(ranks.size())) {
            return pool.invokeAll(ranks);
        }
    }

    private List<String> workplace() throws IOException {
        var tree = new Tree(volume.vfs(), Owner.ROOT);
        return tree.entries(tree.directory(Vfs.ROOT, Workplace.NAME, 0700)).stream()
                .map(entry -> entry.name().toString()).toList();
    }

    @Test
    void itIsThereWhenAllAreIn() throws Exception {
        for (int step = 1; step <= 3; step++) {
            var ranks = new ArrayList<Callable<Checkpoint>>();
            for (int rank = 0; rank < 8; rank++) {
                ranks.add(rank(rank, 8, step, Duration.ofMinutes(10)));
            }
            for (var future : all(ranks)) {
                assertThat(future.get().step()).isEqualTo(step);
                assertThat(future.get().manifest().orElseThrow().world()).isEqualTo(8);
            }
            var found = checkpoints().find("r1", OptionalLong.empty());
            assertThat(found.step()).isEqualTo(step);
            assertThat(found.manifest().orElseThrow().files()).hasSize(8);
            assertThat(found.manifest().orElseThrow().metrics()).isEqualTo(Map.of("loss", 0.0));
            assertThat(checkpoints().verify(found)).isEmpty();
            assertThat(workplace()).isEmpty();
        }
        assertThat(checkpoints().find("r1", OptionalLong.empty()).manifest().orElseThrow().shared())
                .as("shards share, too").isPositive();
        assertThatThrownBy(() -> rank(0, 8, 3, Duration.ofSeconds(1)).call()).hasMessageContaining("already exists");
    }

    @Test
    void withoutOneItIsNot() throws Exception {
        checkpoints().save("r1", 1, shard(directory, 0, 1), Map.of(), false);
        for (var future : all(List.of(rank(0, 4, 2, Duration.ofMillis(700)), rank(2, 4, 2, Duration.ofMillis(700)),
                rank(3, 4, 2, Duration.ofMillis(700))))) {
            assertThat(future.exceptionNow()).isInstanceOf(Refusal.class)
                    .hasMessageContaining("step 2 of run 'r1' was not saved");
        }
        assertThat(checkpoints().list(Optional.empty())).hasSize(1);
        assertThat(checkpoints().find("r1", OptionalLong.empty()).step()).isEqualTo(1);
        assertThat(workplace()).isEmpty();
        for (var future : all(List.of(rank(0, 2, 2, Duration.ofMinutes(10)), rank(1, 2, 2, Duration.ofMinutes(10))))) {
            assertThat(future.get().step()).as("the next attempt").isEqualTo(2);
        }
    }

    /** A second one who says he is the same rank, or that the world is another, is refused; the meeting goes on. */
    @Test
    void aPlaceIsTakenOnce() throws Exception {
        try (var pool = Executors.newCachedThreadPool()) {
            var first = pool.submit(rank(0, 2, 9, Duration.ofMinutes(1)));
            Eventually.holds("the first is there",
                    () -> workplace().stream().anyMatch(name -> name.startsWith(Barrier.PREFIX)) && hasRanks() > 0);
            assertThatThrownBy(() -> rank(0, 2, 9, Duration.ofMinutes(1)).call()).isInstanceOf(Refusal.class)
                    .hasMessageContaining("rank 0 has already saved its shard of step 9");
            var standing = checkpoints().underway().stream().filter(one -> one.state() == Underway.State.GATHERING)
                    .toList();
            assertThat(standing).extracting(Underway::run, Underway::step, Underway::world)
                    .containsExactly(tuple("r1", 9L, 2));
            assertThat(standing.getFirst().ranks()).containsExactly(0);
            assertThat(standing.getFirst().missing()).containsExactly(1);
            assertThat(standing.getFirst().until()).isPresent();
            assertThatThrownBy(() -> rank(1, 3, 9, Duration.ofMinutes(1)).call()).isInstanceOf(Refusal.class)
                    .hasMessageContaining("world size 2, not 3");
            assertThat(rank(1, 2, 9, Duration.ofMinutes(1)).call().step()).isEqualTo(9);
            assertThat(first.get().step()).isEqualTo(9);
        }
        assertThatThrownBy(() -> rank(2, 2, 10, Duration.ofMinutes(1)).call())
                .isInstanceOf(IllegalArgumentException.class);
    }

    private int hasRanks() throws IOException {
        var tree = new Tree(volume.vfs(), Owner.ROOT);
        var meeting = tree.find(tree.directory(Vfs.ROOT, Workplace.NAME, 0700), "meeting-r1-9");
        return meeting.isEmpty() ? 0 : tree.entries(meeting.get().ino()).size();
    }

    /**
     * What dead ranks left is never mixed with what the next job saves, also when only some are there before the time
     * is over.
     */
    @Test
    void shardsOfADeadJobAreNotUsed() throws Exception {
        try (var dead = ChildJvm.start(directory, Rank.class, directory, 0, 2, 5, 5, 3_600_000)) {
            assertThat(dead.line()).isEqualTo("joining");
            Eventually.holds("rank 0 is there", () -> isIn("meeting-r1-5", "rank-0000"));
            dead.kill();
            dead.exitCode();
        }
        try (var pool = Executors.newCachedThreadPool()) {
            var looks = new AtomicInteger();
            clock = () -> {
                looks.incrementAndGet();
                return Instant.now();
            };
            var second = pool.submit(rank(1, 2, 5, Duration.ofMinutes(1)));
            Eventually.holds("rank 1 is there", () -> isIn("meeting-r1-5", "rank-0001"));
            int before = looks.get();
            Eventually.holdsDuring(second, "it has looked for the other one again and again",
                    () -> looks.get() > before + 5);
            assertThat(second.isDone()).as("the dead one cannot say that it is ready").isFalse();
            clock = () -> Instant.now().plus(Duration.ofHours(2));
            for (var future
                    : all(List.of(rank(0, 2, 5, Duration.ofMinutes(1)), rank(1, 2, 5, Duration.ofMinutes(1))))) {
                assertThat(future.get().step()).isEqualTo(5);
            }
            assertThatThrownBy(second::get).hasMessageContaining("was not saved");
        }
        assertThat(checkpoints().verify(checkpoints().find("r1", OptionalLong.of(5)))).isEmpty();
    }

    private boolean isIn(String meeting, String name) throws IOException {
        var tree = new Tree(volume.vfs(), Owner.ROOT);
        var found = tree.find(tree.directory(Vfs.ROOT, Workplace.NAME, 0700), meeting);
        return found.isPresent() && tree.find(found.get().ino(), name).isPresent();
    }

    /**
     * A job that died and is started again on its host need not wait until the time of the first is over: what that
     * left goes.
     */
    @Test
    void aDeadRankThatIsStartedAgain() throws Exception {
        try (var dead = ChildJvm.start(directory, Rank.class, directory, 0, 2, 5, 5, 3_600_000)) {
            assertThat(dead.line()).isEqualTo("joining");
            Eventually.holds("rank 0 is there, and says who it is", () -> saysWho("meeting-r1-5"));
            dead.kill();
            dead.exitCode();
        }
        try (var pool = Executors.newCachedThreadPool()) {
            var second = pool.submit(rank(1, 2, 5, Duration.ofHours(1)));
            Eventually.holds("rank 1 is there", () -> isIn("meeting-r1-5", "rank-0001"));
            var first = pool.submit(rank(0, 2, 5, Duration.ofHours(1)));
            assertThatThrownBy(second::get).as("it met the dead one").hasMessageContaining("was not saved");
            assertThat(rank(1, 2, 5, Duration.ofHours(1)).call().step()).isEqualTo(5);
            assertThat(first.get().step()).isEqualTo(5);
        }
        assertThat(checkpoints().verify(checkpoints().find("r1", OptionalLong.of(5)))).isEmpty();
        assertThat(workplace()).isEmpty();
    }

    private boolean saysWho(String meeting) throws IOException {
        var tree = new Tree(volume.vfs(), Owner.ROOT);
        var found = tree.find(tree.directory(Vfs.ROOT, Workplace.NAME, 0700), meeting);
        return found.isPresent() && volume.vfs().extendedAttributeNames(found.get().ino()).stream()
                .anyMatch(name -> new String(name, US_ASCII).startsWith("user.volsh.by."));
    }

    /** Real processes, one of which is killed at any moment; in the first round none is, however slow the machine. */
    @Test
    void whicheverRankDiesWhatIsListedIsWhole() throws Exception {
        long seed = System.nanoTime();
        System.out.println("sharded kill seed " + seed);
        var random = new Random(seed);
        long last = -1;
        int together = 0;
        int killed = 0;
        for (int round = 0; round < ROUNDS; round++) {
            var ranks = new ArrayList<ChildJvm>();
            var lines = new ArrayList<String>();
            try {
                for (int rank = 0; rank < WORLD; rank++) {
                    ranks.add(ChildJvm.start(directory, Rank.class, directory, rank, WORLD, round * 1000L,
                            round * 1000L + (round == 0 ? 1 : 5), round == 0 ? 600_000 : 1000));
                }
                for (var rank : ranks) {
                    assertThat(rank.line()).isEqualTo("joining");
                }
                if (round > 0) {
                    var victim = ranks.get(random.nextInt(WORLD));
                    for (int awaited = random.nextInt(3); awaited > 0; awaited--) {
                        lines.add(victim.line());
                    }
                    Thread.sleep(random.nextInt(150));
                    victim.kill();
                    killed++;
                }
                for (var rank : ranks) {
                    lines.addAll(rank.lines());
                }
            } finally {
                ranks.forEach(ChildJvm::close);
            }
            for (String line : lines) {
                if (line != null && line.startsWith("saved ")) {
                    long step = Long.parseLong(line.substring(6));
                    last = Math.max(last, step);
                    together++;
                }
            }
            audit(last, round * 1000L);
        }
        System.out.printf("sharded kills: %d, %d shards acknowledged%n", killed, together);
        assertThat(killed).as("ranks killed").isPositive();
        assertThat(together).as("shards acknowledged").isGreaterThanOrEqualTo(2 * WORLD);
        volume.close();
        Orphans.assertNone(directory);
        volume = CheckpointsTest.volumes(directory).open("ckpts", Access.WRITE, "test");
    }

    /** Looks at what came in this round and at what was kept of those before, and keeps the newest few of it. */
    private void audit(long last, long kept) throws IOException {
        for (var spare : checkpoints().spare("r1", Retention.of("last=4"))) {
            if (spare.step() < kept) {
                checkpoints().destroy(spare);
            }
        }
        var all = checkpoints().list(Optional.empty());
        for (var one : all) {
            assertThat(one.trouble()).as(one.path()).isEmpty();
            assertThat(checkpoints().verify(one)).as(one.path()).isEmpty();
            assertThat(one.manifest().orElseThrow().files()).hasSize(WORLD);
        }
        if (last >= 0) {
            assertThat(all).as("acknowledged").extracting(Checkpoint::step).contains(last);
            assertThat(checkpoints().find("r1", OptionalLong.empty()).valid()).isTrue();
        }
    }

    /** Saves its shard of some steps; stops when the others do not come. */
    static final class Rank {
        private Rank() {}

        public static void main(String[] args) throws IOException {
            Path directory = Path.of(args[0]);
            int rank = Integer.parseInt(args[1]);
            int world = Integer.parseInt(args[2]);
            try (var volume = CheckpointsTest.volumes(directory).open("ckpts", Access.WRITE, "test")) {
                System.out.println("joining");
                for (long step = Long.parseLong(args[3]); step <= Long.parseLong(args[4]); step++) {
                    var request = new SaveRequest("r1", step, shard(directory, rank, step));
                    CheckpointsTest.checkpoints(volume, InstantSource.system())
                            .saveShard(request, rank, world, Duration.ofMillis(Long.parseLong(args[5])));
                    System.out.println("saved " + step);
                }
            } catch (Refusal givenUp) {
                System.out.println("gave up");
            }
        }
    }
}
