package volsh.engine.memory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import volsh.engine.BufferedTransaction.State;
import volsh.engine.MetaEngine.Entry;
import volsh.engine.MetaKey;

/**
 * Everything one run of a work has read, with the answers. If the same reads give the same answers at commit, the work
 * is equivalent to one run at that moment: nothing it read was changed, and nothing appeared in the ranges it scanned.
 */
final class MemoryReads implements State {
    private final Rows rows;
    private final Map<MetaKey, byte[]> values = new HashMap<>();
    private final List<Scan> scans = new ArrayList<>();

    MemoryReads(Rows rows) {
        this.rows = rows;
    }

    @Override
    public byte @Nullable [] get(MetaKey key) {
        if (!values.containsKey(key)) {
            values.put(key, rows.get(key));
        }
        return values.get(key);
    }

    @Override
    public List<Entry> scan(MetaKey from, MetaKey to, int limit) {
        var found = rows.scan(from, to, limit);
        scans.add(new Scan(from, to, limit, found));
        return found;
    }

    /** Whether all of it is unchanged. Values are compared by identity: what was put since is a different array. */
    boolean unchanged() {
        return values.entrySet().stream().allMatch(read -> rows.get(read.getKey()) == read.getValue())
                && scans.stream().allMatch(scan -> scan.unchanged(rows));
    }

    private record Scan(MetaKey from, MetaKey to, int limit, List<Entry> found) {
        boolean unchanged(Rows rows) {
            var now = rows.scan(from, to, limit);
            boolean same = now.size() == found.size();
            for (int i = 0; same && i < now.size(); i++) {
                same = now.get(i).value() == found.get(i).value() && now.get(i).key().equals(found.get(i).key());
            }
            return same;
        }
    }
}
