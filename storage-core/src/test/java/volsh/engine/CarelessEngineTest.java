package volsh.engine;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import volsh.engine.BufferedTransaction.State;
import volsh.engine.MetaEngine.Entry;

/** The races see what they are there for: an engine that checks nothing at commit loses every one of them. */
final class CarelessEngineTest {
    @TestFactory
    List<DynamicTest> everyRaceIsLost() {
        MetaEngineRaces races = new Races();
        return List.of(
                lost("a lost update", races::noUpdateIsLost),
                lost("an add that is lost", races::concurrentAddsAreExact),
                lost("write skew", races::writeSkewIsImpossible),
                lost("a phantom", races::phantomsAreImpossible),
                lost("a torn read", races::aTornReadNeverLeaves),
                lost("an entry without its directory", races::aHeldKeyIsNotDeletedUnderItsHolders),
                lost("money", races::moneyIsNeitherMadeNorLost));
    }

    private static DynamicTest lost(String what, ThrowingCallable race) {
        return DynamicTest.dynamicTest(what, () -> MetaEngineRaces.requireLost(race));
    }

    private static final class Races implements MetaEngineRaces {
        @Override
        public MetaEngine open() {
            return new CarelessEngine();
        }

        @Override
        public int rounds() {
            return 200;
        }
    }

    /** Reads slowly and writes one row after the other, as if it were alone. */
    private static final class CarelessEngine implements MetaEngine, State {
        private final ConcurrentSkipListMap<MetaKey, byte[]> map = new ConcurrentSkipListMap<>();

        @Override
        public <R> R transact(Work<R> work) throws IOException {
            var transaction = BufferedTransaction.writing(this);
            R result = transaction.run(work).result();
            for (var row : transaction.rows(this)) {
                LockSupport.parkNanos(20_000);
                if (row.value() == null) {
                    map.remove(row.key());
                } else {
                    map.put(row.key(), row.value());
                }
            }
            return result;
        }

        @Override
        public <R> R read(Work<R> work) throws IOException {
            return BufferedTransaction.reading(this).run(work).result();
        }

        @Override
        public byte[] get(MetaKey key) {
            byte[] value = map.get(key);
            LockSupport.parkNanos(20_000);
            return value;
        }

        @Override
        public List<Entry> scan(MetaKey from, MetaKey to, int limit) {
            var found = map.subMap(from, to).entrySet().stream().limit(limit)
                    .map(row -> new Entry(row.getKey(), row.getValue())).toList();
            LockSupport.parkNanos(20_000);
            return found;
        }

        @Override
        public void sync() {}

        @Override
        public void close() {}
    }
}
