package volsh.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import volsh.block.BlockKey;
import volsh.block.NoSuchBlockException;
import volsh.block.memory.MemoryBlockStore;
import volsh.hang.Eventually;
import volsh.place.PlacementRecords.Located;

/** Blocks on several stores: what survives, what is written down, what is refused. */
@Tag("wait")
final class PlacedStoreTest {
    private static final long SEED = Long.getLong("volsh.seed", 11);
    private static final int SIZE = 100_000;
    private static final Delays DELAYS = new Delays(Duration.ofMillis(300), Duration.ofMillis(30),
            Duration.ofMillis(30), Duration.ofMillis(60), Duration.ofSeconds(30));
    /** Where no store hangs: a thread that gets no processor for a moment is not taken for one that does. */
    private static final Delays CALM = new Delays(DELAYS.needed(), Duration.ofSeconds(10), Duration.ofMinutes(1),
            Duration.ofMinutes(1), Duration.ofMinutes(1));

    private static PlacedStore store(Bookkeeper books, String policy) throws IOException {
        return new PlacedStore(books, books, () -> LayoutPolicy.of(policy), CALM, null);
    }

    private static PlacedStore hasty(Bookkeeper books, String policy) throws IOException {
        return new PlacedStore(books, books, () -> LayoutPolicy.of(policy), DELAYS, null);
    }

    private static void awaitCount(AtomicInteger counter, int count) {
        Eventually.value(count + " calls came", counter::get, calls -> calls >= count);
    }

    private static ByteBuffer bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    /** Puts a block as a file's writer does, and has its row written. */
    private static ByteBuffer write(PlacedStore store, Bookkeeper books, long block, int length) throws IOException {
        var data = bytes(block, length);
        int number = store.choose(5, 0, length);
        store.put(BlockKey.of(block, number, length), data);
        books.rows.put(block, new Located(number, length));
        return data;
    }

    private static ByteBuffer read(PlacedStore store, long block, long offset, int length) throws IOException {
        var target = ByteBuffer.allocate(length);
        int count = store.get(BlockKey.of(block), offset, target);
        assertThat(count).isEqualTo(target.position());
        return target.flip();
    }

    @Test
    void stripesTakeTurns() throws IOException {
        var books = new Bookkeeper(4);
        try (var store = store(books, "stripe:all")) {
            for (long block = 2; block < 10; block++) {
                var data = write(store, books, block, SIZE);
                assertThat(read(store, block, 0, SIZE)).isEqualTo(data);
            }
            for (var each : books.stores.values()) {
                try (var listed = each.list("")) {
                    assertThat(listed.count()).isEqualTo(2);
                }
            }
        }
    }

    @Test
    void aStripeOnAStoreThatIsAwayNamesIt() throws IOException {
        var books = new Bookkeeper(1);
        try (var store = store(books, "stripe:all")) {
            books.stores.get(1).shut = true;
            assertThatThrownBy(() -> write(store, books, 2, SIZE)).hasMessageContaining("'s1'");
        }
    }

    @Test
    void aMirrorIsReadFromWhatIsLeft() throws IOException {
        var books = new Bookkeeper(3);
        try (var store = store(books, "mirror:2")) {
            var data = write(store, books, 2, SIZE);
            for (int shut = 1; shut <= 3; shut++) {
                books.stores.get(shut).shut = true;
                assertThat(read(store, 2, 0, SIZE)).isEqualTo(data);
                assertThat(read(store, 2, 777, 1000)).isEqualTo(data.slice(777, 1000));
                books.stores.get(shut).shut = false;
            }
        }
    }

    @Test
    void writesGoOnWithoutAStoreAndTheListSaysWhatIsMissing() throws Exception {
        for (var policy : List.of("mirror:2", "ec:4+2")) {
            var books = new Bookkeeper(policy.equals("mirror:2") ? 2 : 6);
            try (var store = store(books, policy)) {
                books.stores.get(1).shut = true;
                for (long block = 2; block < 12; block++) {
                    var data = write(store, books, block, SIZE);
                    assertThat(read(store, block, 0, SIZE)).isEqualTo(data);
                }
                assertThat(books.listed()).hasSize(10).allMatch(each -> each.endsWith("@1"));
                assertThat(store.members().of(1).health().state()).isEqualTo(StoreHealth.State.DOWN);
                books.stores.get(1).shut = false;
                store.members().of(1).readmit();
                for (long block = 2; block < 12; block++) {
                    assertThat(store.repair().mend(block, right(block)).repaired()).isEqualTo(1);
                }
                assertThat(books.listed()).isEmpty();
                for (int other = 2; other <= (policy.equals("mirror:2") ? 2 : 3); other++) {
                    books.stores.get(other).shut = true;   // what was healed is needed now
                }
                for (long block = 2; block < 12; block++) {
                    assertThat(read(store, block, 0, SIZE)).isEqualTo(bytes(block, SIZE));
                }
            }
        }
    }

    /** One store is gone, and for a moment the others do not answer, too: reads wait for them, as writes do. */
    @Test
    @Timeout(300)
    void readsRideOutAMomentWithoutEnoughStores() throws Exception {
        var patient = new Delays(Duration.ofHours(1), CALM.grace(), CALM.unknown(), CALM.overdue(), CALM.look());
        for (var policy : List.of("mirror:2", "ec:4+2")) {
            var books = new Bookkeeper(6);
            try (var store = new PlacedStore(books, books, () -> LayoutPolicy.of(policy), patient, null)) {
                var data = write(store, books, 2, SIZE);
                books.stores.values().forEach(each -> each.shut = true);
                var reading = new FutureTask<>(() -> read(store, 2, 0, SIZE));
                Thread.ofPlatform().start(reading);
                Eventually.holds("they were asked", () -> !store.troubles().isEmpty());
                books.stores.forEach((number, each) -> each.shut = number == 3);
                assertThat(reading.get()).as(policy).isEqualTo(data);
            }
        }
    }

    /** What will not come back is not waited for. */
    @Test
    @Timeout(300)
    void readsDoNotWaitForStoresThatAreGone() throws Exception {
        var patient = new Delays(Duration.ofHours(1), CALM.grace(), CALM.unknown(), CALM.overdue(), CALM.look());
        var books = new Bookkeeper(2);
        try (var store = new PlacedStore(books, books, () -> LayoutPolicy.of("mirror:2"), patient, null)) {
            write(store, books, 2, SIZE);
            books.stores.get(1).shut = true;
            store.members().of(1).shut("wiped");
            books.stores.get(2).delegate().delete(BlockKey.of(2));
            assertThatThrownBy(() -> read(store, 2, 0, SIZE)).hasMessageContaining("none of its 2 copies");
        }
    }

    /** Who waited for the store that hangs would wait for ever here. */
    @Test
    @Timeout(300)
    void aStoreThatHangsHoldsUpNoWrite() throws Exception {
        for (var policy : List.of("mirror:2", "mirror:3", "ec:4+2")) {
            var books = new Bookkeeper(6);
            try (var store = hasty(books, policy)) {
                long block = 6;   // its first part is in store 1
                var hanging = books.stores.get(1);
                hanging.hang();
                var data = bytes(block, SIZE);
                int number = store.choose(5, 0, SIZE);
                var memory = ByteBuffer.allocateDirect(SIZE).put(data.duplicate()).flip();
                store.put(BlockKey.of(block, number, SIZE), memory);
                books.rows.put(block, new Located(number, SIZE));
                for (int i = 0; i < SIZE; i++) {
                    memory.put(i, (byte) 0);   // it is the writer's again
                }
                assertThat(books.listed()).as(policy).containsExactly("6@1");
                awaitCount(hanging.puts, 1);
                Eventually.holds("it is overdue", () -> store.members().of(1).isOverdue());
                write(store, books, 12, SIZE);
                assertThat(hanging.puts).as("it is not asked before it has answered").hasValue(1);
                assertThat(books.listed()).containsExactly("12@1", "6@1");
                assertThat(read(store, block, 0, SIZE)).isEqualTo(data);
                hanging.goOn();
                Eventually.holds("it is no longer overdue", () -> !store.members().of(1).isOverdue());
                var whole = data;
                assertThat(store.repair().examine(block, stored -> stored.equals(whole)).isWhole())
                        .as("what came late is right: " + policy).isTrue();
                assertThat(store.repair().mend(12, stored -> stored.equals(bytes(12, SIZE))).repaired()).isEqualTo(1);
                write(store, books, 18, SIZE);
                awaitCount(hanging.puts, 3);
                assertThat(hanging.puts).hasValue(3);
            }
        }
    }

    @Test
    @Timeout(300)
    void aStoreThatHangsIsReadAround() throws Exception {
        for (var policy : List.of("mirror:2", "ec:4+2")) {
            var books = new Bookkeeper(6);
            try (var writer = store(books, policy); var store = hasty(books, policy)) {
                var data = write(writer, books, 6, SIZE);
                for (int number = 1; number <= 2; number++) {   // of a mirror, whoever is asked first
                    int member = number;
                    var hanging = books.stores.get(number);
                    hanging.hang();
                    int before = hanging.gets.get();
                    assertThat(read(store, 6, 0, SIZE)).as(policy).isEqualTo(data);
                    Eventually.holds("it is overdue, if it was asked",
                            () -> hanging.gets.get() == before || store.members().of(member).isOverdue());
                    int asked = hanging.gets.get();
                    assertThat(read(store, 6, 10, 1000)).isEqualTo(data.slice(10, 1000));
                    assertThat(read(store, 6, 0, SIZE)).isEqualTo(data);
                    assertThat(hanging.gets.get() - asked).as("%s: asked again although it hangs", policy)
                            .isLessThanOrEqualTo(asked == before ? 1 : 0);
                    hanging.goOn();
                }
                assertThat(books.listed()).as("late is not lost").isEmpty();
            }
        }
    }

    /** More hang than may be lost: then there is nothing but to wait, and what comes is right. */
    @Test
    @Timeout(300)
    void whenTooManyHangTheyAreWaitedFor() throws Exception {
        var books = new Bookkeeper(3);
        try (var writer = store(books, "ec:2+1"); var store = hasty(books, "ec:2+1")) {
            var data = write(writer, books, 6, SIZE);
            books.stores.get(1).hang();
            books.stores.get(2).hang();
            var reader = new FutureTask<>(() -> read(store, 6, 0, SIZE));
            Thread.ofPlatform().daemon().start(reader);
            Eventually.holds("the third is asked", () -> books.stores.get(3).gets.get() > 0);
            assertThat(reader.isDone()).isFalse();
            books.stores.values().forEach(Bookkeeper.Shuttable::goOn);
            assertThat(reader.get()).isEqualTo(data);
        }
    }

    @Test
    void belowTheQuorumAWriteFailsAndNamesTheStores() throws IOException {
        var books = new Bookkeeper(6);
        try (var store = store(books, "ec:4+2")) {
            books.stores.get(2).shut = true;
            books.stores.get(5).shut = true;
            assertThatThrownBy(() -> write(store, books, 2, SIZE)).hasMessageContaining("'s2'")
                    .hasMessageContaining("'s5'").hasMessageContaining("5 of 6");
        }
    }

    @Test
    void anAbsentBlockIsAnAnswer() throws IOException {
        for (var policy : List.of("stripe:all", "mirror:2", "ec:2+1")) {
            var books = new Bookkeeper(3);
            try (var store = store(books, policy)) {
                var key = BlockKey.of(2, store.choose(5, 0, SIZE), SIZE);
                assertThatThrownBy(() -> store.get(key, 0, ByteBuffer.allocate(10)))
                        .isInstanceOf(NoSuchBlockException.class);
                assertThatThrownBy(() -> read(store, 2, 0, 10)).isInstanceOf(NoSuchBlockException.class);
            }
        }
    }

    @Test
    void smallBlocksAreMirroredInsteadOfCut() throws IOException {
        var books = new Bookkeeper(6);
        try (var store = store(books, "ec:4+2")) {
            var data = write(store, books, 2, 4 * 4096 - 1);
            assertThat(store.repair().arrangement(2).orElseThrow().layout()).isEqualTo(new Layout.Mirrored(3));
            assertThat(read(store, 2, 0, data.remaining())).isEqualTo(data);
            write(store, books, 3, 4 * 4096);
            assertThat(store.repair().arrangement(3).orElseThrow().layout()).isEqualTo(new Layout.ErasureCoded(4, 2));
        }
    }

    @Test
    void deletedBlocksLeaveNothing() throws IOException {
        for (var policy : List.of("stripe:all", "mirror:2", "ec:4+2")) {
            var books = new Bookkeeper(6);
            try (var store = store(books, policy)) {
                var keys = new ArrayList<BlockKey>();
                for (long block = 2; block < 9; block++) {
                    write(store, books, block, SIZE);
                    keys.add(BlockKey.of(block));
                }
                store.deleteAll(keys);
                for (var each : books.stores.values()) {
                    try (var listed = each.list("")) {
                        assertThat(listed).isEmpty();
                    }
                }
            }
        }
    }

    @Test
    void movedBlocksAreFoundByWhoRemembersTheOldPlace() throws IOException {
        var books = new Bookkeeper(6);
        try (var store = store(books, "stripe:all"); var other = store(books, "stripe:all")) {
            var data = write(store, books, 2, SIZE);
            assertThat(read(other, 2, 0, SIZE)).isEqualTo(data);
            for (var to : List.of("ec:4+2 on 1,2,3,4,5,6", "mirror:3 on 2,4,6", "mirror:2 on 2,3", "ec:2+1 on 1,3,5",
                    "stripe:1 on 6")) {
                var moved = store.repair().move(2, Arrangement.of(to), right(2), (from, number) -> {
                    books.rows.put(2L, new Located(number, SIZE));
                    return true;
                });
                assertThat(read(other, 2, 0, SIZE)).as(to).isEqualTo(data);
                store.repair().clear(moved.orElseThrow());
                assertThat(read(other, 2, 0, SIZE)).as(to).isEqualTo(data);
                assertThat(objects(books)).as(to).isEqualTo(Arrangement.of(to).parts(2).size());
            }
        }
    }

    @Test
    void aMoveThatIsNotWrittenDownLeavesEverythingAsItWas() throws IOException {
        var books = new Bookkeeper(6);
        try (var store = store(books, "mirror:2")) {
            var data = write(store, books, 2, SIZE);
            assertThat(store.repair().move(2, Arrangement.of("ec:4+2 on 1,2,3,4,5,6"), right(2), (from, to) -> false))
                    .isEmpty();
            assertThat(read(store, 2, 0, SIZE)).isEqualTo(data);
            assertThat(objects(books)).isEqualTo(2);
        }
    }

    /** A write needs as many copies as its quorum says, and no more. */
    @Test
    void aQuorumIsWaitedFor() throws IOException {
        assertThat(Layout.of("mirror:3/3")).isEqualTo(new Layout.Mirrored(3, 3)).hasToString("mirror:3/3");
        assertThat(Layout.of("mirror:3/2")).as("the usual one").hasToString("mirror:3");
        assertThatThrownBy(() -> Layout.of("mirror:2/3")).hasMessageContaining("quorum");
        var books = new Bookkeeper(3);
        books.stores.get(1).shut = true;
        try (var all = store(books, "mirror:3/3"); var usual = store(books, "mirror:3");
                var one = store(books, "mirror:3/1")) {
            assertThatThrownBy(() -> write(all, books, 2, SIZE)).hasMessageContaining("needs 3 of 3")
                    .hasMessageContaining("'s1'");
            write(usual, books, 3, SIZE);
            books.stores.get(2).shut = true;
            assertThatThrownBy(() -> write(usual, books, 4, SIZE)).hasMessageContaining("needs 2 of 3");
            assertThat(write(one, books, 5, SIZE)).isEqualTo(read(one, 5, 0, SIZE));
            assertThat(books.listed()).contains("3@1", "5@1", "5@2");
        }
    }

    /** What is missing or damaged where the block is to lie is made anew, before anything else of it is deleted. */
    @Test
    void aMoveReliesOnNothingThatIsNotRight() throws IOException {
        for (boolean damaged : List.of(false, true)) {
            for (var to : List.of("stripe:1 on 1", "mirror:2 on 1,3", "mirror:2/2 on 1,2")) {
                var books = new Bookkeeper(3);
                books.leaving.add(3);
                try (var store = store(books, "mirror:2")) {
                    var data = write(store, books, 2, SIZE);
                    assertThat(store.repair().arrangement(2).orElseThrow().stores()).containsExactly(1, 2);
                    if (damaged) {
                        books.stores.get(1).put(BlockKey.of(2), bytes(99, SIZE));
                    } else {
                        books.stores.get(1).delete(BlockKey.of(2));
                    }
                    store.repair().clear(store.repair().move(2, Arrangement.of(to), right(2), (_, number) -> {
                        books.rows.put(2L, new Located(number, SIZE));
                        return true;
                    }).orElseThrow());
                    assertThat(read(store, 2, 0, SIZE)).as(to).isEqualTo(data);
                    assertThat(store.repair().examine(2, right(2)).isWhole()).as(to).isTrue();
                }
            }
        }
    }

    /** Whoever is late to write down where he has put it deletes nothing of the one who was first. */
    @Test
    void twoMoveTheSameBlock() throws IOException {
        for (var to : List.of("ec:4+2 on 1,2,3,4,5,6", "mirror:2 on 2,3", "stripe:1 on 5")) {
            var books = new Bookkeeper(6);
            try (var first = store(books, "mirror:2"); var second = store(books, "mirror:2")) {
                var data = write(first, books, 2, SIZE);
                var moved = new ArrayList<BlockRepair.Moved>();
                assertThat(second.repair().move(2, Arrangement.of(to), right(2), (from, number) -> {
                    moved.add(first.repair().move(2, Arrangement.of(to), right(2), (_, _) -> {
                        books.rows.put(2L, new Located(number, SIZE));
                        return true;
                    }).orElseThrow());
                    return false;
                })).isEmpty();
                first.repair().clear(moved.getFirst());
                assertThat(read(first, 2, 0, SIZE)).as(to).isEqualTo(data);
                assertThat(read(second, 2, 0, SIZE)).as(to).isEqualTo(data);
                assertThat(objects(books)).as(to).isEqualTo(Arrangement.of(to).parts(2).size());
            }
        }
    }

    /** Nor is what is back where it was taken for what was left there. */
    @Test
    void aBlockThatMovesBackIsNotCleared() throws IOException {
        var books = new Bookkeeper(3);
        try (var store = store(books, "mirror:2")) {
            var data = write(store, books, 2, SIZE);
            var home = store.repair().arrangement(2).orElseThrow();
            var moved = new ArrayList<BlockRepair.Moved>();
            for (var to : List.of(Arrangement.of("stripe:1 on 1"), home)) {
                moved.add(store.repair().move(2, to, right(2), (_, number) -> {
                    books.rows.put(2L, new Located(number, SIZE));
                    return true;
                }).orElseThrow());
            }
            for (var each : moved) {
                store.repair().clear(each);
            }
            assertThat(read(store, 2, 0, SIZE)).isEqualTo(data);
            assertThat(store.repair().examine(2, right(2)).isWhole()).isTrue();
        }
    }

    /** Heal and scrub: a store that does not answer within the time for it is unknown, and the rest is put right. */
    @Test
    @Timeout(300)
    void aStoreThatHangsHoldsUpNoRepair() {
        var delays = new Delays(Duration.ofSeconds(8), CALM.grace(), DELAYS.unknown(), DELAYS.overdue(),
                Duration.ofSeconds(5));
        atOnce(List.of("mirror:3", "ec:4+2"), policy -> {
            var books = new Bookkeeper(policy.equals("mirror:3") ? 3 : 6);
            try (var store = new PlacedStore(books, books, () -> LayoutPolicy.of(policy), delays, null)) {
                write(store, books, 2, SIZE);
                books.stores.get(2).hang();
                var part = Arrangement.of(books.texts.get(1)).parts(2).stream().filter(each -> each.store() == 1)
                        .findFirst().orElseThrow();
                books.stores.get(1).delete(part.key(2));
                var glanced = store.repair().glance(2, books.rows.get(2L));
                assertThat(glanced.stores(BlockRepair.Condition.UNKNOWN)).containsExactly(2);
                assertThat(glanced.stores(BlockRepair.Condition.MISSING)).containsExactly(1);
                assertThat(store.repair().examine(2, right(2)).isRight()).isTrue();
                assertThat(store.repair().mend(2, right(2)).repaired()).isEqualTo(1);
                assertThat(books.stores.get(2).gets.get()).as("it is asked no more while it owes an answer")
                        .isEqualTo(1);
                books.stores.get(2).goOn();
                Eventually.holds("its answer is there", () -> store.repair().examine(2, right(2)).isWhole());
            }
        });
    }

    /** The same with one that shows what it has, and takes nothing. */
    @Test
    @Timeout(300)
    void aStoreThatHangsInPutsHoldsUpNoRepair() {
        var delays = new Delays(Duration.ofSeconds(8), CALM.grace(), DELAYS.unknown(), DELAYS.overdue(),
                Duration.ofSeconds(5));
        atOnce(List.of("mirror:2", "ec:4+2"), policy -> {
            var books = new Bookkeeper(policy.equals("mirror:2") ? 2 : 6);
            try (var store = new PlacedStore(books, books, () -> LayoutPolicy.of(policy), delays, null)) {
                var data = write(store, books, 2, SIZE);
                var part = Arrangement.of(books.texts.get(1)).parts(2).stream().filter(each -> each.store() == 1)
                        .findFirst().orElseThrow();
                books.stores.get(1).delete(part.key(2));
                books.stores.get(1).hangInPuts();
                var mended = store.repair().mend(2, right(2));
                assertThat(mended.isRight()).isTrue();
                assertThat(mended.repaired()).isZero();
                assertThat(books.listed()).containsExactly("2@1");
                for (long other = 3; other < 6; other++) {
                    write(store, books, other, SIZE);   // uses memory again
                }
                books.stores.get(1).goOn();
                Eventually.holds("it is mended", () -> store.repair().mend(2, right(2)).found().isWhole());
                assertThat(books.listed()).doesNotContain("2@1");
                assertThat(read(store, 2, 0, SIZE)).isEqualTo(data);
            }
        });
    }

    /** Each of them waits for seconds, so they do it together. */
    private static void atOnce(List<String> policies, Trial trial) {
        try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            var trials = policies.stream().map(policy -> threads.submit(() -> {
                trial.of(policy);
                return policy;
            })).toList();
            trials.forEach(each -> Eventually.result("a trial of " + policies, each));
        }
    }

    private interface Trial {
        void of(String policy) throws IOException;
    }

    private static long objects(Bookkeeper books) throws IOException {
        long count = 0;
        for (var each : books.stores.values()) {
            try (var listed = each.list("")) {
                count += listed.count();
            }
        }
        return count;
    }

    @Test
    void layoutsByFileAndOffset() throws IOException {
        var books = new Bookkeeper(4);
        try (var store = store(books, "stripe:1,until=1MiB stripe:all,size=64KiB,pool=even")) {
            books.policies.put(9L, store.repair().numberOf(LayoutPolicy.of("mirror:3")));
            assertThat(store.blockSize(5, 4 << 20)).isEqualTo(64 << 10);
            assertThat(store.blockSize(9, 4 << 20)).isEqualTo(4 << 20);
            assertThat(layout(store, books, 5, 0)).isEqualTo("stripe:1 on 2");
            assertThat(layout(store, books, 5, 1 << 20)).isEqualTo("stripe:2 on 2,4");
            assertThat(layout(store, books, 9, 0)).isEqualTo("mirror:3 on 1,2,3,4");
        }
    }

    private static String layout(PlacedStore store, Bookkeeper books, long ino, long offset) throws IOException {
        return books.text(store.choose(ino, offset, SIZE)).orElseThrow();
    }

    /**
     * Each call by a store of its own, that remembers nothing of the others: before there is a row, the key says it
     * all.
     */
    @Test
    void theKeySaysWhereABlockIsThatHasNoRow() throws IOException {
        for (var policy : List.of("stripe:all", "mirror:2", "ec:2+1")) {
            var books = new Bookkeeper(3);
            var data = bytes(7, SIZE);
            BlockKey key;
            try (var store = store(books, policy)) {
                key = BlockKey.of(7, store.choose(5, 0, SIZE), SIZE);
            }
            try (var store = store(books, policy)) {
                store.put(key, data);
                assertThatThrownBy(() -> store.put(BlockKey.of(8), data))
                        .hasMessageContaining("its key does not name its stores");
            }
            try (var store = store(books, policy)) {
                var target = ByteBuffer.allocate(SIZE);
                assertThat(store.get(key, 0, target)).as(policy).isEqualTo(SIZE);
                assertThat(target.flip()).isEqualTo(data);
            }
            try (var store = store(books, policy)) {
                store.delete(key);
                assertThat(there(books)).as(policy).isEmpty();
            }
        }
    }

    /** A staged block may be moved before it is stored; its key is from before. */
    @Test
    void aRowCountsMoreThanAKey() throws IOException {
        var books = new Bookkeeper(3);
        try (var store = store(books, "mirror:2")) {
            int old = store.choose(5, 0, SIZE);
            int now = books.number("mirror:2 on 3,2");
            books.rows.put(6L, new Located(now, SIZE));
            store.put(BlockKey.of(6, old, SIZE), bytes(6, SIZE));
            assertThat(there(books)).containsExactly("2 blocks/06/0000000000000006", "3 blocks/06/0000000000000006");
            assertThat(store.get(BlockKey.of(6, old, SIZE), 0, ByteBuffer.allocate(SIZE))).isEqualTo(SIZE);
            store.delete(BlockKey.of(6, old, SIZE));
            assertThat(there(books)).isEmpty();
        }
    }

    private static List<String> there(Bookkeeper books) throws IOException {
        var objects = new ArrayList<String>();
        for (var each : books.stores.entrySet()) {
            try (var listed = each.getValue().list("")) {
                listed.forEach(object -> objects.add(each.getKey() + " " + object.key()));
            }
        }
        return objects;
    }

    @Test
    void everyBlockIsListedOnceInOrderWithItsLength() throws IOException {
        for (var policy : List.of("stripe:all", "mirror:2", "ec:2+1")) {
            var books = new Bookkeeper(3);
            try (var store = store(books, policy)) {
                var expected = new TreeMap<String, Long>();
                for (long block : List.of(2L, 3L, 0x102L, 0x203L, 7L)) {
                    write(store, books, block, SIZE + (int) block);
                    expected.put(BlockKey.of(block).text(), SIZE + block);
                }
                books.rows.remove(7L);   // a writer has not come to commit it
                assertThat(listed(store, "blocks/")).as(policy).containsExactlyEntriesOf(expected);
                assertThat(listed(store, "blocks/03/"))
                        .containsExactlyEntriesOf(new TreeMap<>(expected.subMap("blocks/03", "blocks/04")));
                var seven = BlockKey.of(7).text();
                assertThat(listed(store, seven)).containsExactly(Map.entry(seven, SIZE + 7L));
                assertThat(listed(store, seven + ".")).as("a part is no block").isEmpty();
                store.put(new BlockKey("packs/00/x"), bytes(1, 10));
                store.put(new BlockKey("meta/log/1"), bytes(1, 20));
                expected.putAll(Map.of("packs/00/x", 10L, "meta/log/1", 20L));
                assertThat(listed(store, "")).as(policy).containsExactlyEntriesOf(expected);
                books.stores.get(2).shut = true;
                assertThat(listed(store, "packs/")).containsExactly(Map.entry("packs/00/x", 10L));
                assertThatThrownBy(() -> listed(store, "blocks/")).as("part of a list is none")
                        .isInstanceOf(IOException.class);
            }
        }
    }

    /** A store that never had a volume's metadata may have what another one left: it is not shown. */
    @Test
    void shippedMetadataIsListedWhereItIs() throws IOException {
        var books = new Bookkeeper(2);
        var shipped = new MemoryBlockStore();
        books.stores.get(1).put(new BlockKey("meta/log/1"), bytes(1, 10));
        books.stores.get(1).put(new BlockKey("owner"), bytes(1, 10));
        shipped.put(new BlockKey("meta/log/2"), bytes(1, 20));
        try (var store = new PlacedStore(books, books, () -> LayoutPolicy.SINGLE, CALM, shipped)) {
            assertThat(listed(store, "meta/")).containsExactly(Map.entry("meta/log/2", 20L));
            assertThat(listed(store, "")).containsExactly(Map.entry("meta/log/2", 20L), Map.entry("owner", 10L));
        }
    }

    private static Map<String, Long> listed(PlacedStore store, String prefix) throws IOException {
        var found = new LinkedHashMap<String, Long>();
        try (var listed = store.list(prefix)) {
            listed.forEach(each -> assertThat(found.put(each.key().text(), each.size())).as("twice").isNull());
        }
        return found;
    }

    /**
     * Random codes, losses and damage: whatever is within the redundancy is read and mended; what is beyond is refused,
     * never wrong.
     */
    @Test
    void randomLossesAndDamage() throws Exception {
        var random = new Random(SEED);
        int rounds = Boolean.getBoolean("volsh.long") ? 1000 : 60;
        for (int round = 0; round < rounds; round++) {
            boolean mirror = random.nextInt(4) == 0;
            int data = mirror ? 1 : 2 + random.nextInt(9);
            int parity = 1 + random.nextInt(4);
            var books = new Bookkeeper(data + parity + random.nextInt(3));
            int length = data * 4096 + random.nextInt(60_000);
            String policy = mirror ? "mirror:" + (parity + 1) : "ec:" + data + "+" + parity;
            try (var store = store(books, policy)) {
                long block = 2 + random.nextInt(1000);
                var expected = write(store, books, block, length);
                var parts = new ArrayList<>(store.repair().arrangement(block).orElseThrow().parts(block));
                Collections.shuffle(parts, random);
                int harmed = random.nextInt(parity + 2);
                for (var part : parts.subList(0, harmed)) {
                    harm(books, part, block, random);
                }
                String what = "seed %d round %d: %s of %d bytes, %d harmed".formatted(SEED, round, policy, length,
                        harmed);
                var mended = store.repair().mend(block, right(block, length));
                assertThat(mended.isRight()).as(what).isEqualTo(harmed <= parity);
                if (harmed <= parity) {
                    assertThat(mended.repaired()).as(what).isEqualTo(harmed);
                    assertThat(store.repair().examine(block, right(block, length)).isWhole()).as(what).isTrue();
                    int offset = random.nextInt(length);
                    int count = random.nextInt(length - offset);
                    assertThat(read(store, block, offset, count)).as(what).isEqualTo(expected.slice(offset, count));
                }
            }
        }
    }

    private static void harm(Bookkeeper books, Part part, long block, Random random) throws IOException {
        var store = books.stores.get(part.store()).delegate();
        var key = part.key(block);
        var object = ByteBuffer.allocate(1 << 20);
        store.get(key, 0, object);
        object.flip();
        store.delete(key);
        switch (random.nextInt(3)) {
            case 0 -> { }   // gone
            case 1 -> {
                int at = random.nextInt(object.limit());
                object.put(at, (byte) (object.get(at) ^ 1 << random.nextInt(8)));
                store.put(key, object);
            }
            default -> store.put(key, object.limit(random.nextInt(object.limit())));
        }
    }

    private static Placement.Check right(long block) {
        return right(block, SIZE);
    }

    private static Placement.Check right(long block, int length) {
        return stored -> stored.equals(bytes(block, length));
    }

    @Test
    void everyLossOfUpToParityShardsIsReadThrough() throws IOException {
        var books = new Bookkeeper(6);
        var impatient = new Delays(Duration.ofMillis(10), CALM.grace(), CALM.unknown(), CALM.overdue(),
                Duration.ofMillis(10));
        try (var store = store(books, "ec:4+2"); var hasty = new PlacedStore(books, books,
                () -> LayoutPolicy.of("ec:4+2"), impatient, null)) {
            var data = write(store, books, 2, SIZE);
            var parts = store.repair().arrangement(2).orElseThrow().parts(2);
            for (int lost = 0; lost < 1 << 6; lost++) {
                int pattern = lost;
                var gone = IntStream.range(0, 6).filter(i -> (pattern & 1 << i) != 0).mapToObj(parts::get).toList();
                gone.forEach(part -> books.stores.get(part.store()).shut = true);
                if (gone.size() <= 2) {
                    assertThat(read(store, 2, 10, SIZE - 20)).as("lost %s", gone).isEqualTo(data.slice(10, SIZE - 20));
                } else {
                    assertThatThrownBy(() -> read(hasty, 2, 0, SIZE)).hasMessageContaining("block 0000000000000002");
                }
                gone.forEach(part -> books.stores.get(part.store()).shut = false);
                store.members().all().forEach(Member::readmit);
                hasty.members().all().forEach(Member::readmit);
            }
        }
    }

    @Test
    void aRangeIsAskedOfTheShardsThatHaveIt() throws IOException {
        var books = new Bookkeeper(6);
        try (var store = store(books, "ec:4+2")) {
            var data = write(store, books, 2, SIZE);
            int shard = SIZE / 4;
            assertThat(read(store, 2, 10, 1000)).isEqualTo(data.slice(10, 1000));
            assertThat(gets(books)).isEqualTo(1);
            assertThat(read(store, 2, shard - 10, 20)).isEqualTo(data.slice(shard - 10, 20));
            assertThat(gets(books)).isEqualTo(3);
            assertThat(read(store, 2, 0, SIZE)).isEqualTo(data);
            assertThat(gets(books)).as("all data, no parity").isEqualTo(7);
        }
    }

    private static int gets(Bookkeeper books) {
        return books.stores.values().stream().mapToInt(each -> each.gets.get()).sum();
    }

    @Test
    void textsReadBack() {
        for (var text : List.of("stripe:all", "stripe:4", "mirror:3", "ec:10+4",
                "stripe:1,until=64MiB stripe:all,size=1MiB,pool=fast")) {
            assertThat(LayoutPolicy.of(text)).hasToString(text);
        }
        for (var text : Arrays.asList("", "stripe", "ec:1+1", "mirror:1", "ec:60+9", "stripe:1,until=1MiB",
                "stripe:2 mirror:2", "stripe:2,size=3MiB")) {
            assertThatThrownBy(() -> LayoutPolicy.of(text)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(Arrangement.of("ec:2+1 on 3,1,2")).hasToString("ec:2+1 on 3,1,2");
    }

    @Test
    void acknowledgements() {
        assertThat(Layout.of("mirror:2").acknowledgements()).isEqualTo(1);
        assertThat(Layout.of("mirror:3").acknowledgements()).isEqualTo(2);
        assertThat(Layout.of("ec:4+2").acknowledgements()).isEqualTo(5);
        assertThat(Layout.of("ec:2+1").acknowledgements()).isEqualTo(2);
        assertThat(Layout.of("ec:10+4").acknowledgements()).isEqualTo(11);
    }
}
