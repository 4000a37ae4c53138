package volsh.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.engine.MetaEngineContract.add;
import static volsh.engine.MetaEngineContract.count;
import static volsh.engine.MetaEngineContract.done;
import static volsh.engine.MetaEngineContract.key;
import static volsh.engine.MetaEngineContract.put;
import static volsh.engine.MetaEngineContract.read;
import static volsh.engine.MetaEngineContract.scan;
import static volsh.engine.MetaEngineContract.sum;
import static volsh.engine.MetaEngineContract.value;

import java.io.IOException;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import volsh.hang.Eventually;

/** What every {@link MetaEngine} promises to threads that race for the same rows. */
public interface MetaEngineRaces {
    /**
     * For negative controls: this race is lost. Not each time: threads that happen to run one after the other lose
     * none, so it is run until it is.
     */
    static void requireLost(ThrowingCallable race) {
        assertThatThrownBy(() -> {
            for (int tries = 0; tries < 30; tries++) {
                race.call();
            }
        }).isInstanceOfAny(AssertionError.class, IOException.class);
    }

    MetaEngine open() throws Exception;

    /** How many times a thread of these tests does its thing. */
    int rounds();

    @Test
    default void noUpdateIsLost() throws Exception {
        try (var engine = open()) {
            Race.of(8, rounds(), (thread, round) -> engine.transact(tx -> done(() ->
                    tx.put(key("n"), Delta.of(sum(tx.get(key("n"))) + 1).row()))));
            assertThat(count(engine, "n")).isEqualTo(8L * rounds());
        }
    }

    @Test
    default void concurrentAddsAreExact() throws Exception {
        try (var engine = open()) {
            Race.of(8, rounds(), (thread, round) -> engine.transact(tx -> {
                tx.add(key("n"), new Delta(new long[] {thread}, new long[] {round}));
                tx.add(key("of " + thread), Delta.of(1));
                return null;
            }));
            var row = Delta.parse(engine.read(tx -> tx.get(key("n"))));
            assertThat(row.sums()[0]).isEqualTo(28L * rounds());
            assertThat(row.maxima()[0]).isEqualTo(rounds() - 1);
            assertThat(count(engine, "of 7")).isEqualTo(rounds());
        }
    }

    /** Two rows, of which one must stay: each thread reads both and deletes its own. */
    @Test
    default void writeSkewIsImpossible() throws Exception {
        try (var engine = open()) {
            for (int round = 0; round < rounds(); round++) {
                put(engine, "0", "on duty");
                put(engine, "1", "on duty");
                Race.of(2, 1, (thread, once) -> engine.transact(tx -> {
                    if (tx.get(key("0")) != null && tx.get(key("1")) != null) {
                        tx.delete(key("" + thread));
                    }
                    return null;
                }));
                assertThat(scan(engine, "0", "2", 2)).hasSize(1);
            }
        }
    }

    /** At most three rows in a range: each thread counts and then inserts a row of its own. */
    @Test
    default void phantomsAreImpossible() throws Exception {
        try (var engine = open()) {
            for (int round = 0; round < rounds() / 4; round++) {
                String prefix = "p%05d".formatted(round);
                Race.of(6, 1, (thread, once) -> engine.transact(tx -> {
                    if (tx.scan(key(prefix), key(prefix).afterPrefix(), 10).size() < 3) {
                        tx.put(key(prefix + thread), value("1"));
                    }
                    return null;
                }));
                assertThat(scan(engine, prefix, prefix + "z", 10)).hasSize(3);
            }
        }
    }

    /** A token is moved between two rows. A work that finds none or two has seen half a move, and must not be heard. */
    @Test
    default void aTornReadNeverLeaves() throws Exception {
        try (var engine = open()) {
            put(engine, "left", "token");
            var moves = new AtomicInteger();
            var looks = new AtomicInteger();
            Race.of(4, rounds(), (thread, round) -> {
                if (thread == 0) {
                    engine.transact(tx -> move(tx));
                    moves.incrementAndGet();
                } else if (thread == 1) {
                    engine.read(MetaEngineRaces::requireOneToken);
                } else {
                    engine.transact(MetaEngineRaces::requireOneToken);
                    looks.incrementAndGet();
                }
            });
            assertThat(moves.get()).isEqualTo(rounds());
            assertThat(looks.get()).isEqualTo(2 * rounds());
        }
    }

    private static Void move(MetaEngine.Transaction tx) throws IOException {
        boolean left = tx.get(key("left")) != null;
        tx.delete(key(left ? "left" : "right"));
        tx.put(key(left ? "right" : "left"), value("token"));
        return null;
    }

    private static Void requireOneToken(MetaEngine.Transaction tx) throws IOException {
        boolean left = tx.get(key("left")) != null;
        Thread.yield();
        boolean right = tx.get(key("right")) != null;
        if (left == right) {
            throw new IOException("left %s, right %s".formatted(left, right));
        }
        int both = tx.scan(key("a"), key("z"), 5).size();
        if (both != 1) {
            throw new IOException(both + " tokens");
        }
        return null;
    }

    @Test
    default void manyMayHoldAndAddAtOnce() throws Exception {
        try (var engine = open()) {
            put(engine, "dir", "1");
            Race.of(8, rounds(), (thread, round) -> engine.transact(tx -> {
                tx.hold(key("dir"));
                tx.add(key("dirstat"), Delta.of(1));
                tx.put(key("dir/%d-%d".formatted(thread, round)), value("1"));
                return null;
            }));
            assertThat(count(engine, "dirstat")).isEqualTo(8L * rounds());
            assertThat(read(engine, "dir/7-" + (rounds() - 1))).isEqualTo("1");
        }
    }

    /**
     * Entries are made in a directory that another thread removes when it finds it empty: no entry without directory.
     */
    @Test
    default void aHeldKeyIsNotDeletedUnderItsHolders() throws Exception {
        try (var engine = open()) {
            var made = new AtomicInteger();
            var missed = new AtomicInteger();
            int races = 0;
            while (races < 10 && made.get() == 0) {   // the first may be over before the directory is there
                races++;
                Race.of(4, rounds(), (thread, round) -> {
                    if (thread == 0) {
                        engine.transact(tx -> removeIfEmpty(tx));
                        engine.transact(tx -> done(() -> tx.put(key("dir"), value("1"))));
                        return;
                    }
                    var name = key("dir/" + thread);
                    try {
                        engine.transact(tx -> {
                            tx.hold(key("dir"));
                            tx.put(name, value("1"));
                            return null;
                        });
                        made.incrementAndGet();
                    } catch (HeldKeyMissingException gone) {
                        missed.incrementAndGet();
                    }
                    engine.read(MetaEngineRaces::requireDirectory);
                    engine.transact(tx -> done(() -> tx.delete(name)));
                });
            }
            assertThat(made.get() + missed.get()).isEqualTo(races * 3 * rounds());
            assertThat(made.get()).isPositive();
        }
    }

    private static Void removeIfEmpty(MetaEngine.Transaction tx) throws IOException {
        if (tx.scan(key("dir/"), key("dir0"), 1).isEmpty()) {
            tx.delete(key("dir"));
        }
        return null;
    }

    private static Void requireDirectory(MetaEngine.Transaction tx) throws IOException {
        var entries = tx.scan(key("dir/"), key("dir0"), 1);
        assertThat(entries.isEmpty() || tx.get(key("dir")) != null).as("entries have a directory").isTrue();
        return null;
    }

    @Test
    default void moneyIsNeitherMadeNorLost() throws Exception {
        long seed = System.nanoTime();
        System.out.println("moneyIsNeitherMadeNorLost seed " + seed);
        try (var engine = open()) {
            for (int account = 0; account < 10; account++) {
                add(engine, "account " + account, 40);   // little: some transfers are refused, whatever the seed
            }
            var refused = new AtomicInteger();
            Race.of(8, rounds(), (thread, round) -> {
                var random = new Random(seed + 31L * thread + 1_000_003L * round);
                try {
                    var from = "account " + random.nextInt(10);
                    // some are refused, also of a few
                    transfer(engine, from, "account " + random.nextInt(10), random.nextInt(160));
                } catch (IOException broke) {
                    assertThat(broke).hasMessage("broke");
                    refused.incrementAndGet();
                }
                if (random.nextInt(4) == 0) {
                    engine.read(MetaEngineRaces::requireAllTheMoney);
                }
            });
            engine.read(MetaEngineRaces::requireAllTheMoney);
            assertThat(refused.get()).isBetween(1, 8 * rounds() - 1);
        }
    }

    private static void transfer(MetaEngine engine, String from, String to, long amount) throws IOException {
        engine.transact(tx -> {
            long balance = sum(tx.get(key(from)));
            tx.put(key(from), Delta.of(balance - amount).row());
            tx.add(key(to), Delta.of(amount));
            if (balance < amount) {
                throw new IOException("broke");
            }
            return null;
        });
    }

    private static Void requireAllTheMoney(MetaEngine.Transaction tx) throws IOException {
        var accounts = tx.scan(key("account "), key("account~"), 100);
        assertThat(accounts).hasSize(10).allSatisfy(row -> assertThat(sum(row.value())).isNotNegative());
        assertThat(accounts.stream().mapToLong(row -> sum(row.value())).sum()).isEqualTo(400);
        return null;
    }

    @Test
    default void interruptedCallersKnowWhatHappened() throws Exception {
        try (var engine = open()) {
            var acknowledged = new AtomicInteger();
            Race.of(4, rounds(), (thread, round) -> {
                boolean interrupt = ThreadLocalRandom.current().nextBoolean();
                if (interrupt) {
                    Thread.currentThread().interrupt();
                }
                add(engine, "n", 1);
                acknowledged.incrementAndGet();
                count(engine, "n");
                if (round % 50 == 0) {
                    engine.sync();
                }
                assertThat(Thread.interrupted()).as("the interrupt is kept for its owner").isEqualTo(interrupt);
            });
            assertThat(count(engine, "n")).isEqualTo(acknowledged.get()).isEqualTo(4L * rounds());
        }
    }

    @Test
    default void virtualThreadsMayCall() throws Exception {
        try (var engine = open()) {
            var done = new CountDownLatch(200);
            for (int i = 0; i < 200; i++) {
                Thread.startVirtualThread(() -> {
                    try {
                        add(engine, "n", 1);
                        count(engine, "n");
                        engine.sync();
                        done.countDown();
                    } catch (IOException failed) {
                        throw new IllegalStateException(failed);
                    }
                });
            }
            done.await();
            assertThat(count(engine, "n")).isEqualTo(200);
        }
    }

    /** Whoever was told of a commit finds it; whoever was refused does not. */
    @Test
    default void closingAmidWorkLeavesNoDoubt() throws Exception {
        var engine = open();
        var acknowledged = new AtomicInteger();
        var begun = new AtomicInteger();
        var refused = new AtomicBoolean();
        var closer = Thread.startVirtualThread(() -> {
            Eventually.holds("there were enough commits", () -> acknowledged.get() >= rounds());
            try {
                engine.close();
            } catch (IOException failed) {
                throw new IllegalStateException(failed);
            }
        });
        assertThatThrownBy(() -> Race.of(4, Integer.MAX_VALUE, (thread, round) -> {
            try {
                begun.incrementAndGet();
                add(engine, "n", 1);
                acknowledged.incrementAndGet();
                engine.read(tx -> sum(tx.get(key("n"))));
                engine.sync();
            } catch (IOException closed) {
                refused.set(true);
                throw closed;
            }
        })).hasMessageContaining("closed");
        closer.join();
        assertThat(refused).isTrue();
        afterClose(acknowledged.get(), begun.get());
    }

    /** Looks at the row "n", to which at least so many acknowledged ones were added; nothing where nothing is kept. */
    default void afterClose(int acknowledged, int begun) throws Exception {}
}
