package volsh.ship;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import volsh.engine.KeyFacts;
import volsh.engine.KeyFacts.Reach;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;

/** All rows of an engine that matter elsewhere, in one moment. */
record Rows(Map<MetaKey, byte[]> rows) {
    static Rows of(MetaEngine engine) throws IOException {
        var all = new TreeMap<MetaKey, byte[]>();
        var from = MetaKey.of((byte) 0);
        while (true) {
            var begin = from;
            var page = engine.read(tx -> tx.scan(begin, MetaKey.of((byte) 0xff), 1000));
            page.stream().filter(row -> KeyFacts.reach(row.key()) != Reach.HERE)
                    .forEach(row -> all.put(row.key(), row.value()));
            if (page.size() < 1000) {
                return new Rows(all);
            }
            from = page.getLast().key().next();
        }
    }

    /** The same; but the clock, and the number of sessions, may be ahead. */
    void assertSame(Rows expected, String when) {
        var keys = new TreeSet<>(rows.keySet());
        keys.removeIf(key -> KeyFacts.reach(key) == Reach.LATER && !expected.rows.containsKey(key));
        assertThat(keys).as(when).isEqualTo(expected.rows.keySet());
        for (var row : rows.entrySet()) {
            byte[] right = expected.rows.get(row.getKey());
            if (KeyFacts.reach(row.getKey()) == Reach.LATER) {
                assertThat(number(row.getValue())).as(when).isGreaterThanOrEqualTo(right == null ? 0 : number(right));
            } else if (!Arrays.equals(row.getValue(), right)) {
                assertThat(row.getValue()).as("%s: row %s", when, row.getKey()).isEqualTo(right);
            }
        }
    }

    private static long number(byte[] bytes) {
        return ByteBuffer.wrap(bytes).getLong();
    }
}
