package volsh.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.engine.MetaEngineContract.add;
import static volsh.engine.MetaEngineContract.count;
import static volsh.engine.MetaEngineContract.delete;
import static volsh.engine.MetaEngineContract.done;
import static volsh.engine.MetaEngineContract.key;
import static volsh.engine.MetaEngineContract.put;
import static volsh.engine.MetaEngineContract.read;
import static volsh.engine.MetaEngineContract.sum;
import static volsh.engine.MetaEngineContract.value;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import volsh.engine.Delta;
import volsh.engine.HeldKeyMissingException;
import volsh.engine.MetaEngine;
import volsh.engine.MetaEngine.Work;
import volsh.engine.MetaEngineContract.Step;
import volsh.engine.MetaUnavailableException;

/** Every kind of conflict, put exactly between a work and its commit: in one thread, the same each time. */
final class InterleavingTest {
    private final Gap gap = new Gap();
    private final MetaEngine engine = new MemoryMetaEngine(gap);
    private final AtomicInteger runs = new AtomicInteger();

    @Test
    void aChangedReadIsReadAgain() throws Exception {
        add(engine, "n", 1);
        gap.once(() -> add(engine, "n", 10));
        run(tx -> done(() -> tx.put(key("copy"), tx.get(key("n")))), 2);
        assertThat(count(engine, "copy")).isEqualTo(11);
    }

    @Test
    void anAbsentKeyThatAppearsIsAConflict() throws Exception {
        gap.once(() -> put(engine, "a", "theirs"));
        run(tx -> done(() -> {
            if (tx.get(key("a")) == null) {
                tx.put(key("a"), value("ours"));
            }
        }), 2);
        assertThat(read(engine, "a")).isEqualTo("theirs");
    }

    @Test
    void anEqualValueWrittenAnewIsAConflict() throws Exception {
        put(engine, "a", "1");
        gap.once(() -> put(engine, "a", "1"));
        run(tx -> tx.get(key("a")), 2);
    }

    @Test
    void aScannedRangeIsWatchedUpToItsLastKey() throws Exception {
        put(engine, "b", "1");
        put(engine, "d", "1");
        put(engine, "f", "1");
        scanTwoWhile(() -> put(engine, "a", "1"), 2);
        delete(engine, "a");
        scanTwoWhile(() -> put(engine, "c", "1"), 2);
        delete(engine, "c");
        scanTwoWhile(() -> put(engine, "d", "2"), 2);
        scanTwoWhile(() -> delete(engine, "d"), 2);
        put(engine, "d", "1");
        scanTwoWhile(() -> put(engine, "e", "1"), 1);
        scanTwoWhile(() -> delete(engine, "f"), 1);
        scanTwoWhile(() -> put(engine, "0", "1"), 1);
        scanTwoWhile(() -> add(engine, "z", 1), 1);
    }

    private void scanTwoWhile(Step other, int expectedRuns) throws IOException {
        gap.once(other);
        run(tx -> tx.scan(key("a"), key("x"), 2), expectedRuns);
    }

    @Test
    void aScanThatCameBackShortIsWatchedToItsEnd() throws Exception {
        put(engine, "b", "1");
        gap.once(() -> put(engine, "w", "1"));
        run(tx -> tx.scan(key("a"), key("x"), 5), 2);
        gap.once(() -> put(engine, "x", "1"));
        run(tx -> tx.scan(key("a"), key("x"), 5), 1);
    }

    @Test
    void blindWritesAddsAndHoldsDoNotConflict() throws Exception {
        put(engine, "dir", "1");
        gap.once(() -> {
            put(engine, "blind", "theirs");
            add(engine, "n", 10);
            put(engine, "dir", "2");
        });
        run(tx -> done(() -> {
            tx.put(key("blind"), value("ours"));
            tx.add(key("n"), Delta.of(1));
            tx.hold(key("dir"));
        }), 1);
        assertThat(read(engine, "blind")).isEqualTo("ours");
        assertThat(count(engine, "n")).isEqualTo(11);
    }

    @Test
    void anAddThatWasLookedAtDoesConflict() throws Exception {
        gap.once(() -> add(engine, "n", 10));
        run(tx -> {
            tx.add(key("n"), Delta.of(1));
            tx.put(key("seen"), Delta.of(sum(tx.get(key("n")))).row());
            return null;
        }, 2);
        assertThat(count(engine, "n")).isEqualTo(11);
        assertThat(count(engine, "seen")).isEqualTo(11);
    }

    @Test
    void aHeldKeyDeletedInTheGapIsMissing() throws Exception {
        put(engine, "dir", "1");
        gap.once(() -> delete(engine, "dir"));
        assertThatThrownBy(() -> run(tx -> done(() -> {
            tx.hold(key("dir"));
            tx.put(key("dir/a"), value("1"));
        }), 1)).isInstanceOf(HeldKeyMissingException.class);
        assertThat(read(engine, "dir/a")).isNull();
    }

    @Test
    void aStaleRefusalIsNotHeard() throws Exception {
        gap.once(() -> put(engine, "a", "1"));
        run(tx -> {
            if (tx.get(key("a")) == null) {
                throw new IOException("not there");
            }
            return null;
        }, 2);
    }

    @Test
    void aTornReadWithinTheWorkIsNotHeard() throws Exception {
        put(engine, "left", "token");
        run(tx -> {
            boolean right = tx.get(key("right")) != null;
            if (runs.get() == 1) {
                engine.transact(other -> {
                    other.delete(key("left"));
                    other.put(key("right"), value("token"));
                    return null;
                });
            }
            boolean left = tx.get(key("left")) != null;
            if (left == right) {
                throw new IOException("no token");
            }
            return null;
        }, 2);
    }

    @Test
    void aDisturbedWorkRunsAgainThoughNothingChanged() throws Exception {
        gap.disturb(5);
        run(tx -> done(() -> tx.add(key("n"), Delta.of(1))), 6);
        assertThat(count(engine, "n")).isEqualTo(1);
    }

    @Test
    void givingWayHasAnEnd() throws Exception {
        gap.disturb(Integer.MAX_VALUE);
        assertThatThrownBy(() -> put(engine, "a", "1")).isInstanceOf(MetaUnavailableException.class);
        gap.disturb(0);
        assertThat(read(engine, "a")).isNull();
    }

    private <R> void run(Work<R> work, int expectedRuns) throws IOException {
        runs.set(0);
        try {
            engine.transact(tx -> {
                runs.incrementAndGet();
                return work.run(tx);
            });
        } finally {
            assertThat(runs.get()).as("runs of the work").isEqualTo(expectedRuns);
            assertThat(gap.isUsed()).as("the gap was used").isTrue();
        }
    }

    /** Runs a step in the gap of the next transaction, or disturbs a number of attempts. */
    private static final class Gap implements Interleaving {
        private Step step;
        private int disturbances;

        void once(Step next) {
            step = next;
        }

        void disturb(int attempts) {
            disturbances = attempts;
        }

        boolean isUsed() {
            return step == null && disturbances == 0;
        }

        @Override
        public boolean intrude(int attempt) throws IOException {
            var now = step;
            step = null;
            if (now != null) {
                now.run();
            }
            return disturbances > 0 && disturbances-- > 0;
        }
    }
}
