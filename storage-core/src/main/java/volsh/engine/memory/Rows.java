package volsh.engine.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import volsh.engine.BufferedTransaction.Row;
import volsh.engine.BufferedTransaction.State;
import volsh.engine.MetaEngine.Entry;
import volsh.engine.MetaKey;

/** The current rows. One call is safe at any time; several are one consistent state only under the engine's lock. */
final class Rows implements State {
    private final ConcurrentSkipListMap<MetaKey, byte[]> map = new ConcurrentSkipListMap<>();

    @Override
    public byte @Nullable [] get(MetaKey key) {
        return map.get(key);
    }

    @Override
    public List<Entry> scan(MetaKey from, MetaKey to, int limit) {
        var found = new ArrayList<Entry>();
        for (var row : map.subMap(from, to).entrySet()) {
            found.add(new Entry(row.getKey(), row.getValue()));
            if (found.size() == limit) {
                break;
            }
        }
        return found;
    }

    void write(List<Row> rows) {
        for (var row : rows) {
            if (row.value() == null) {
                map.remove(row.key());
            } else {
                map.put(row.key(), row.value());
            }
        }
    }
}
