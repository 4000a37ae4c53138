package volsh.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.stream.IntStream;
import volsh.engine.MetaEngine.Transaction;

/** Random steps of a transaction, done in parallel to a sorted map that says what must come out. */
final class RandomSteps {
    private static final int KEYS = 40;

    private RandomSteps() {}

    static void run(Transaction tx, NavigableMap<MetaKey, byte[]> model, Random random) throws IOException {
        for (int steps = random.nextInt(12); steps >= 0; steps--) {
            step(tx, model, random);
        }
    }

    private static void step(Transaction tx, NavigableMap<MetaKey, byte[]> model, Random random) throws IOException {
        var key = key(random);
        switch (random.nextInt(4)) {
            case 0 -> {
                byte[] value = Delta.of(random.nextLong()).row();
                tx.put(key, value);
                model.put(key, value);
            }
            case 1 -> {
                tx.delete(key);
                model.remove(key);
            }
            case 2 -> {
                var delta = Delta.of(random.nextInt(100));
                tx.add(key, delta);
                model.put(key, delta.applyTo(model.get(key)));
            }
            default -> compare(tx, model, random);
        }
    }

    /** Asks one of each kind of question. */
    static void compare(Transaction tx, NavigableMap<MetaKey, byte[]> model, Random random) throws IOException {
        var key = key(random);
        assertThat(tx.get(key)).isEqualTo(model.get(key));
        var keys = IntStream.range(0, random.nextInt(6)).mapToObj(i -> key(random)).distinct().toList();
        var found = tx.getAll(keys);
        assertThat(found.keySet()).isSubsetOf(keys);
        keys.forEach(one -> assertThat(found.get(one)).isEqualTo(model.get(one)));
        var from = key(random);
        var to = key(random);
        int limit = random.nextInt(10);
        var range = from.compareTo(to) >= 0 ? model.subMap(from, from) : model.subMap(from, to);
        var expected = range.entrySet().stream().limit(limit)
                .map(row -> row.getKey() + "=" + Delta.parse(row.getValue()).sums()[0]).toList();
        assertThat(tx.scan(from, to, limit)).extracting(row -> row.key() + "=" + Delta.parse(row.value()).sums()[0])
                .isEqualTo(expected);
    }

    private static MetaKey key(Random random) {
        int number = random.nextInt(KEYS);
        byte last = (byte) (number * 13);
        return number % 3 == 0 ? MetaKey.of(last) : MetaKey.of((byte) (number % 5 * 60), last);
    }
}
