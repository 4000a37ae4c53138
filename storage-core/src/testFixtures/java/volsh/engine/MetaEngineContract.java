package volsh.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import volsh.engine.MetaEngine.Entry;
import volsh.engine.MetaEngine.Transaction;

/**
 * What every {@link MetaEngine} promises to one thread. An engine's test implements {@link #open} and inherits all of
 * it; {@link MetaEngineRaces} has the promises to many.
 */
public interface MetaEngineContract {
    /** Opens the test's database, which is empty at first. */
    MetaEngine open() throws Exception;

    /** Whether a second {@link #open} finds the same database, also while the first engine is open. */
    boolean isShared();

    @Test
    default void aCommittedPutIsRead() throws Exception {
        try (var engine = open()) {
            String result = engine.transact(tx -> {
                tx.put(key("a"), value("1"));
                return "done";
            });
            assertThat(result).isEqualTo("done");
            assertThat(read(engine, "a")).isEqualTo("1");
            assertThat(read(engine, "b")).isNull();
        }
    }

    @Test
    default void putsReplaceAndDeletesRemove() throws Exception {
        try (var engine = open()) {
            put(engine, "a", "1");
            put(engine, "a", "2");
            assertThat(read(engine, "a")).isEqualTo("2");
            delete(engine, "a");
            delete(engine, "never there");
            assertThat(read(engine, "a")).isNull();
            put(engine, "a", "3");
            assertThat(names(scan(engine, "a", "z", 10))).containsExactly("a=3");
        }
    }

    @Test
    default void aTransactionSeesItsOwnWrites() throws Exception {
        try (var engine = open()) {
            put(engine, "b", "old");
            put(engine, "d", "old");
            engine.transact(tx -> {
                tx.put(key("a"), value("new"));
                tx.put(key("b"), value("new"));
                tx.delete(key("d"));
                tx.put(key("e"), value("gone"));
                tx.delete(key("e"));
                assertThat(text(tx.get(key("a")))).isEqualTo("new");
                assertThat(text(tx.get(key("b")))).isEqualTo("new");
                assertThat(tx.get(key("d"))).isNull();
                assertThat(tx.get(key("e"))).isNull();
                assertThat(names(tx.scan(key("a"), key("z"), 10))).containsExactly("a=new", "b=new");
                var found = tx.getAll(List.of(key("a"), key("b"), key("d"), key("x")));
                assertThat(found).containsOnlyKeys(key("a"), key("b"));
                return null;
            });
            assertThat(names(scan(engine, "a", "z", 10))).containsExactly("a=new", "b=new");
        }
    }

    /** Whatever they lead to, or do not. */
    @Test
    default void rowsThatWereExpectedAreAsTheyAre() throws Exception {
        try (var engine = open()) {
            put(engine, "E1", "-8letters-");
            put(engine, "E2", "-nowhere.");
            put(engine, "E3", "short");
            put(engine, "N8letters", "found");
            var all = List.of(key("E1"), key("E2"), key("E3"), key("E4"));
            var leads = new MetaEngine.Leads(all, 'N', 1);
            for (int round = 0; round < 2; round++) {
                List<String> seen = engine.read(tx -> {
                    tx.expect(List.of(key("N8letters"), key("E2"), key("other")), leads);
                    return names(tx, "E1", "E2", "E3", "E4", "N8letters", "Nnowhere.", "other");
                });
                assertThat(seen).containsExactly("-8letters-", "-nowhere.", "short", null, "found", null, null);
            }
            List<String> changed = engine.transact(tx -> {
                tx.put(key("E1"), value("-nowhere."));
                tx.delete(key("N8letters"));
                tx.expect(List.of(), leads);
                return names(tx, "E1", "N8letters", "Nnowhere.");
            });
            assertThat(changed).containsExactly("-nowhere.", null, null);
        }
    }

    private static List<String> names(MetaEngine.Transaction tx, String... keys) throws IOException {
        var values = new ArrayList<String>();
        for (var key : keys) {
            byte[] value = tx.get(key(key));
            values.add(value == null ? null : new String(value, UTF_8));
        }
        return values;
    }

    @Test
    default void scansStopAtTheirLimitAndGoOnFromNext() throws Exception {
        try (var engine = open()) {
            for (var name : List.of("c", "a", "e", "b", "d")) {
                put(engine, name, name);
            }
            assertThat(names(scan(engine, "a", "e", 2))).containsExactly("a=a", "b=b");
            var more = engine.read(tx -> tx.scan(key("b").next(), key("e"), 10));
            assertThat(names(more)).containsExactly("c=c", "d=d");
            assertThat(scan(engine, "a", "e", 0)).isEmpty();
            assertThat(scan(engine, "e", "a", 5)).isEmpty();
            assertThat(scan(engine, "a", "a", 5)).isEmpty();
            assertThat(scan(engine, "a", "z", Integer.MAX_VALUE)).hasSize(5);
            assertThatThrownBy(() -> scan(engine, "a", "z", -1)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    default void scansMergeOwnWritesWithinTheirLimit() throws Exception {
        try (var engine = open()) {
            for (var name : List.of("b", "d", "f", "h")) {
                put(engine, name, "1");
            }
            engine.transact(tx -> {
                tx.delete(key("b"));
                tx.delete(key("d"));
                tx.put(key("e"), value("2"));
                tx.put(key("x"), value("2"));
                assertThat(names(tx.scan(key("a"), key("z"), 2))).containsExactly("e=2", "f=1");
                assertThat(names(tx.scan(key("a"), key("z"), 3))).containsExactly("e=2", "f=1", "h=1");
                assertThat(names(tx.scan(key("a"), key("z"), 9))).containsExactly("e=2", "f=1", "h=1", "x=2");
                return null;
            });
        }
    }

    @Test
    default void keysAreOrderedAsUnsignedBytes() throws Exception {
        try (var engine = open()) {
            var keys = Stream.of("00", "0000", "00ff", "7f", "80", "ff", "ff00", "ffff")
                    .map(hex -> MetaKey.of(HexFormat.of().parseHex(hex))).toList();
            engine.transact(tx -> {
                for (var key : keys.reversed()) {
                    tx.put(key, key.bytes());
                }
                assertThat(tx.scan(keys.getFirst(), keys.getLast().next(), 100)).extracting(Entry::key).isEqualTo(keys);
                return null;
            });
            var found = engine.read(tx -> tx.scan(keys.getFirst(), keys.getLast(), 100));
            assertThat(found).extracting(Entry::key).isEqualTo(keys.subList(0, keys.size() - 1));
            assertThat(found).allSatisfy(entry -> assertThat(entry.value()).isEqualTo(entry.key().bytes()));
        }
    }

    @Test
    default void emptyAndLongestValuesAndKeysAreKept() throws Exception {
        try (var engine = open()) {
            byte[] longest = new byte[MetaEngine.VALUE_MAX];
            new SplittableRandom(1).nextBytes(longest);
            byte[] name = new byte[MetaKey.LENGTH_MAX];
            Arrays.fill(name, (byte) 0xff);
            var key = MetaKey.of(name);
            engine.transact(tx -> {
                tx.put(key, longest);
                tx.put(key("empty"), new byte[0]);
                return null;
            });
            byte[] kept = engine.read(tx -> tx.get(key));
            assertThat(kept).isEqualTo(longest);
            byte[] empty = engine.read(tx -> tx.get(key("empty")));
            assertThat(empty).isNotNull().isEmpty();
            var found = engine.read(tx -> tx.getAll(List.of(key("empty"))));
            assertThat(found).containsOnlyKeys(key("empty"));
            assertThat(names(scan(engine, "e", "f", 2))).containsExactly("empty=");
        }
    }

    @Test
    default void tooLongAValueIsRefused() throws Exception {
        try (var engine = open()) {
            assertThatThrownBy(() -> engine.transact(tx -> {
                tx.put(key("before"), value("1"));
                tx.put(key("a"), new byte[MetaEngine.VALUE_MAX + 1]);
                return null;
            })).isInstanceOf(IllegalArgumentException.class);
            assertThat(read(engine, "before")).isNull();
        }
    }

    @Test
    default void aTransactionTouchesAtMostSoManyKeys() throws Exception {
        try (var engine = open()) {
            engine.transact(tx -> touch(tx, MetaEngine.KEYS_MAX));
            assertThatThrownBy(() -> engine.transact(tx -> touch(tx, MetaEngine.KEYS_MAX + 1)))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> engine.transact(tx -> {
                try {
                    touch(tx, MetaEngine.KEYS_MAX + 1);
                } catch (IllegalStateException swallowed) {
                    tx.put(key("0"), value("2"));
                }
                return null;
            })).isInstanceOf(IllegalStateException.class);
            assertThat(read(engine, "" + MetaEngine.KEYS_MAX)).isNull();
            assertThat(scan(engine, "0", "a", MetaEngine.KEYS_MAX)).hasSize(MetaEngine.KEYS_MAX / 2);
            assertThatThrownBy(() -> engine.transact(tx -> {
                for (int i = 0; i <= MetaEngine.KEYS_MAX; i++) {
                    tx.hold(key("" + i));
                }
                return null;
            })).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    default void aScanTouchesTheKeysItReturns() throws Exception {
        try (var engine = open()) {
            engine.transact(tx -> {
                for (int i = 0; i < MetaEngine.KEYS_MAX; i++) {
                    tx.put(key("k%04d".formatted(i)), value("1"));
                }
                return null;
            });
            MetaEngine.Work<Integer> all = tx -> tx.scan(key("k"), key("l"), 5_000).size();
            int found = engine.transact(all);
            assertThat(found).isEqualTo(MetaEngine.KEYS_MAX);
            put(engine, "kz", "1");
            assertThatThrownBy(() -> engine.transact(all)).isInstanceOf(IllegalStateException.class);
            int most = engine.transact(tx -> tx.scan(key("k"), key("l"), MetaEngine.KEYS_MAX).size());
            assertThat(most).isEqualTo(MetaEngine.KEYS_MAX);
            int more = engine.read(all);
            assertThat(more).isEqualTo(MetaEngine.KEYS_MAX + 1);
        }
    }

    @Test
    default void aTransactionSaysHowMuchRoomItHas() throws Exception {
        try (var engine = open()) {
            put(engine, "a", "1");
            engine.transact(tx -> {
                assertThat(tx.room()).isEqualTo(MetaEngine.KEYS_MAX);
                tx.get(key("a"));
                tx.put(key("a"), value("2"));
                tx.hold(key("a"));
                assertThat(tx.room()).isEqualTo(MetaEngine.KEYS_MAX - 1);
                for (int i = 0; tx.room() > 0; i++) {
                    tx.add(key("c" + i), Delta.of(1));
                }
                return null;
            });
            assertThat(scan(engine, "c", "d", 5_000)).hasSize(MetaEngine.KEYS_MAX - 1);
            int reading = engine.read(Transaction::room);
            assertThat(reading).isEqualTo(Integer.MAX_VALUE);
        }
    }

    /** Reads, puts, deletes and adds, a quarter each: all count. */
    private static Void touch(Transaction tx, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            switch (i % 4) {
                case 0 -> tx.get(key("" + i));
                case 1 -> tx.put(key("" + i), value("1"));
                case 2 -> tx.delete(key("" + i));
                default -> tx.add(key("" + i), Delta.of(1));
            }
        }
        return null;
    }

    @Test
    default void aReadDoesNotWrite() throws Exception {
        try (var engine = open()) {
            put(engine, "a", "1");
            for (var write : List.<MetaEngine.Work<Void>>of(
                    tx -> done(() -> tx.put(key("a"), value("2"))),
                    tx -> done(() -> tx.delete(key("a"))),
                    tx -> done(() -> tx.add(key("a"), Delta.of(1))),
                    tx -> done(() -> tx.hold(key("a"))))) {
                assertThatThrownBy(() -> engine.read(write)).isInstanceOf(IllegalStateException.class);
            }
            assertThat(read(engine, "a")).isEqualTo("1");
        }
    }

    @Test
    default void aTransactionIsOverWhenItsWorkReturns() throws Exception {
        try (var engine = open()) {
            var kept = new ArrayList<Transaction>();
            engine.transact(kept::add);
            engine.read(kept::add);
            for (var tx : kept) {
                assertThatThrownBy(() -> tx.get(key("a"))).isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(() -> tx.scan(key("a"), key("b"), 1)).isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(() -> tx.put(key("a"), value("1"))).isInstanceOf(IllegalStateException.class);
            }
            assertThat(kept).isNotEmpty();
            assertThat(read(engine, "a")).isNull();
        }
    }

    @Test
    default void aThrowingWorkLeavesNothing() throws Exception {
        try (var engine = open()) {
            put(engine, "a", "1");
            var refusal = new IOException("no");
            for (var thrown : List.of(refusal, new IllegalStateException("no"), new AssertionError("no"))) {
                assertThatThrownBy(() -> engine.transact(tx -> {
                    tx.put(key("a"), value("2"));
                    tx.put(key("b"), value("2"));
                    tx.add(key("c"), Delta.of(1));
                    throw sneaky(thrown);
                })).isSameAs(thrown);
            }
            assertThat(names(scan(engine, "a", "z", 9))).containsExactly("a=1");
            assertThatThrownBy(() -> engine.read(tx -> {
                throw refusal;
            })).isSameAs(refusal);
        }
    }

    @Test
    default void emptyTransactionsAreFine() throws Exception {
        try (var engine = open()) {
            assertThat(engine.<Object>transact(tx -> null)).isNull();
            assertThat(engine.<Integer>read(tx -> 7)).isEqualTo(7);
            var none = engine.transact(tx -> tx.getAll(List.of()));
            assertThat(none).isEmpty();
            engine.sync();
            engine.sync();
        }
    }

    @Test
    default void aHeldKeyMustExist() throws Exception {
        try (var engine = open()) {
            put(engine, "dir", "1");
            hold(engine, "dir", tx -> done(() -> tx.put(key("dir/a"), value("1"))));
            delete(engine, "dir");
            assertThatThrownBy(() -> hold(engine, "dir", tx -> done(() -> tx.put(key("dir/b"), value("1")))))
                    .isInstanceOfSatisfying(HeldKeyMissingException.class,
                            missing -> assertThat(missing.key()).isEqualTo(key("dir")));
            assertThat(names(scan(engine, "d", "e", 9))).containsExactly("dir/a=1");
        }
    }

    @Test
    default void aHoldIsOfWhatTheTransactionLeaves() throws Exception {
        try (var engine = open()) {
            hold(engine, "own", tx -> done(() -> tx.put(key("own"), value("1"))));
            hold(engine, "sum", tx -> done(() -> tx.add(key("sum"), Delta.of(1))));
            assertThat(read(engine, "own")).isEqualTo("1");
            assertThatThrownBy(() -> hold(engine, "own", tx -> done(() -> tx.delete(key("own")))))
                    .isInstanceOf(HeldKeyMissingException.class);
            assertThat(read(engine, "own")).isEqualTo("1");
            hold(engine, "own", tx -> {
                tx.delete(key("own"));
                tx.put(key("own"), value("2"));
                return null;
            });
            assertThat(read(engine, "own")).isEqualTo("2");
        }
    }

    @Test
    default void aRefusalOfTheWorkComesBeforeAMissingHold() throws Exception {
        try (var engine = open()) {
            assertThatThrownBy(() -> hold(engine, "none", tx -> {
                throw new IOException("refused");
            })).hasMessage("refused");
        }
    }

    @Test
    default void addsSumUpAndMaximaGrow() throws Exception {
        try (var engine = open()) {
            engine.transact(tx -> done(() -> tx.add(key("n"), new Delta(new long[] {5, -1}, new long[] {100}))));
            engine.transact(tx -> done(() -> tx.add(key("n"), new Delta(new long[] {2, -1}, new long[] {50}))));
            var row = Delta.parse(engine.read(tx -> tx.get(key("n"))));
            assertThat(row.sums()).containsExactly(7, -2);
            assertThat(row.maxima()).containsExactly(100);
        }
    }

    @Test
    default void addsAreSeenAndMixWithOtherWrites() throws Exception {
        try (var engine = open()) {
            add(engine, "n", 10);
            engine.transact(tx -> {
                tx.add(key("n"), Delta.of(1));
                assertThat(sum(tx.get(key("n")))).isEqualTo(11);
                tx.add(key("n"), Delta.of(1));
                assertThat(sum(tx.scan(key("m"), key("o"), 9).getFirst().value())).isEqualTo(12);
                assertThat(sum(tx.getAll(List.of(key("n"))).get(key("n")))).isEqualTo(12);
                return null;
            });
            assertThat(count(engine, "n")).isEqualTo(12);
            engine.transact(tx -> {
                tx.put(key("n"), Delta.of(100).row());
                tx.add(key("n"), Delta.of(1));
                tx.add(key("gone"), Delta.of(1));
                tx.delete(key("gone"));
                return null;
            });
            assertThat(count(engine, "n")).isEqualTo(101);
            assertThat(read(engine, "gone")).isNull();
            engine.transact(tx -> {
                tx.delete(key("n"));
                tx.add(key("n"), Delta.of(1));
                return null;
            });
            assertThat(count(engine, "n")).isEqualTo(1);
        }
    }

    @Test
    default void anAddOfAnotherShapeIsRefusedWhole() throws Exception {
        try (var engine = open()) {
            add(engine, "n", 1);
            assertThatThrownBy(() -> engine.transact(tx -> {
                tx.put(key("a"), value("1"));
                tx.add(key("n"), new Delta(new long[2], new long[2]));
                tx.put(key("z"), value("1"));
                return null;
            })).isInstanceOf(IllegalArgumentException.class);
            assertThat(names(scan(engine, "a", "b", 9))).isEmpty();
            assertThat(count(engine, "n")).isEqualTo(1);
        }
    }

    @Test
    default void aRandomHistoryEqualsASortedMap() throws Exception {
        long seed = System.nanoTime();
        System.out.println("aRandomHistoryEqualsASortedMap seed " + seed);
        var random = new Random(seed);
        var model = new TreeMap<MetaKey, byte[]>();
        try (var engine = open()) {
            for (int round = 0; round < 300; round++) {
                var draft = new TreeMap<>(model);
                boolean refused = random.nextInt(5) == 0;
                long replay = random.nextLong();
                try {
                    engine.transact(tx -> {
                        draft.clear();
                        draft.putAll(model);
                        RandomSteps.run(tx, draft, new Random(replay));
                        if (refused) {
                            throw new IOException("refused");
                        }
                        return null;
                    });
                    model.clear();
                    model.putAll(draft);
                } catch (IOException expected) {
                    assertThat(expected).hasMessage("refused");
                }
                engine.read(tx -> {
                    RandomSteps.compare(tx, model, new Random(replay));
                    return null;
                });
            }
        }
        assertThat(model).isNotEmpty();
    }

    @Test
    default void aClosedEngineRefusesEverything() throws Exception {
        var engine = open();
        put(engine, "a", "1");
        engine.close();
        engine.close();
        assertThatThrownBy(() -> put(engine, "b", "1")).isInstanceOf(IOException.class).hasMessageContaining("closed");
        assertThatThrownBy(() -> read(engine, "a")).isInstanceOf(IOException.class).hasMessageContaining("closed");
        assertThatThrownBy(engine::sync).isInstanceOf(IOException.class).hasMessageContaining("closed");
    }

    @Test
    default void closingAndOpeningKeepsEverything() throws Exception {
        Assumptions.assumeTrue(isShared(), "this engine keeps nothing");
        var expected = new HashMap<String, String>();
        for (int round = 0; round < 3; round++) {
            try (var engine = open()) {
                for (int i = 0; i < 50; i++) {
                    put(engine, "k" + round + "-" + i, "v" + i);
                    expected.put("k" + round + "-" + i, "v" + i);
                }
                if (round == 1) {
                    engine.sync();
                }
            }
        }
        try (var engine = open()) {
            for (var row : expected.entrySet()) {
                assertThat(read(engine, row.getKey())).isEqualTo(row.getValue());
            }
        }
    }

    @Test
    default void twoEnginesOnOneDatabaseSeeEachOther() throws Exception {
        Assumptions.assumeTrue(isShared(), "this engine is alone with its rows");
        try (var other = open()) {
            try (var one = open()) {
                put(one, "a", "1");
                assertThat(read(other, "a")).isEqualTo("1");
                put(other, "a", "2");
                assertThat(read(one, "a")).isEqualTo("2");
            }
            put(other, "a", "3");
            other.sync();
            assertThat(read(other, "a")).isEqualTo("3");
        }
    }

    // The words of these tests.

    static MetaKey key(String name) {
        return MetaKey.of(name.getBytes(UTF_8));
    }

    static byte[] value(String text) {
        return text.getBytes(UTF_8);
    }

    static String text(byte[] value) {
        return value == null ? null : new String(value, UTF_8);
    }

    static long sum(byte[] row) {
        return row == null ? 0 : Delta.parse(row).sums()[0];
    }

    static List<String> names(List<Entry> entries) {
        return entries.stream().map(entry -> text(entry.key().bytes()) + "=" + text(entry.value())).toList();
    }

    static void put(MetaEngine engine, String name, String text) throws IOException {
        engine.transact(tx -> done(() -> tx.put(key(name), value(text))));
    }

    static void delete(MetaEngine engine, String name) throws IOException {
        engine.transact(tx -> done(() -> tx.delete(key(name))));
    }

    static void add(MetaEngine engine, String name, long sum) throws IOException {
        engine.transact(tx -> done(() -> tx.add(key(name), Delta.of(sum))));
    }

    static void hold(MetaEngine engine, String name, MetaEngine.Work<?> then) throws IOException {
        engine.transact(tx -> {
            tx.hold(key(name));
            return then.run(tx);
        });
    }

    static String read(MetaEngine engine, String name) throws IOException {
        return engine.read(tx -> text(tx.get(key(name))));
    }

    static long count(MetaEngine engine, String name) throws IOException {
        return engine.read(tx -> sum(tx.get(key(name))));
    }

    static List<Entry> scan(MetaEngine engine, String from, String to, int limit) throws IOException {
        return engine.read(tx -> tx.scan(key(from), key(to), limit));
    }

    /** A step of a work that returns nothing. */
    interface Step {
        void run() throws IOException;
    }

    static <R> R done(Step step) throws IOException {
        step.run();
        return null;
    }

    private static IOException sneaky(Throwable thrown) throws IOException {
        return switch (thrown) {
            case RuntimeException mistake -> throw mistake;
            case Error error -> throw error;
            default -> (IOException) thrown;
        };
    }
}
