package volsh.chunk;

import java.util.Map;
import java.util.TreeMap;

/** A set of bytes as ranges {@code [from, to)} in order, never touching one another. */
final class ByteRanges {
    private final TreeMap<Integer, Integer> ends = new TreeMap<>();

    interface Visitor {
        void visit(int from, int to);
    }

    ByteRanges() {}

    ByteRanges(ByteRanges other) {
        ends.putAll(other.ends);
    }

    boolean isEmpty() {
        return ends.isEmpty();
    }

    int count() {
        return ends.size();
    }

    int first() {
        return ends.firstKey();
    }

    /** First byte behind the last range; 0 when empty. */
    int end() {
        return ends.isEmpty() ? 0 : ends.lastEntry().getValue();
    }

    int bytes() {
        int sum = 0;
        for (Map.Entry<Integer, Integer> range : ends.entrySet()) {
            sum += range.getValue() - range.getKey();
        }
        return sum;
    }

    void add(int from, int to) {
        var before = ends.floorEntry(from);
        if (before != null && before.getValue() >= from) {
            from = before.getKey();
            to = Math.max(to, before.getValue());
        }
        var inside = ends.ceilingEntry(from);
        while (inside != null && inside.getKey() <= to) {
            to = Math.max(to, inside.getValue());
            ends.remove(inside.getKey());
            inside = ends.ceilingEntry(from);
        }
        ends.put(from, to);
    }

    void remove(int from, int to) {
        if (from >= to) {
            return;
        }
        var before = ends.lowerEntry(from);
        if (before != null && before.getValue() > from) {
            ends.put(before.getKey(), from);
            if (before.getValue() > to) {
                ends.put(to, before.getValue());
                return;
            }
        }
        var inside = ends.ceilingEntry(from);
        while (inside != null && inside.getKey() < to) {
            ends.remove(inside.getKey());
            if (inside.getValue() > to) {
                ends.put(to, inside.getValue());
                return;
            }
            inside = ends.ceilingEntry(from);
        }
    }

    /** Visits what lies within {@code [from, to)}, in order. */
    void within(int from, int to, Visitor visitor) {
        var start = ends.floorKey(from);
        for (var range : ends.tailMap(start == null ? from : start, true).entrySet()) {
            if (range.getKey() >= to) {
                return;
            }
            int first = Math.max(from, range.getKey());
            int last = Math.min(to, range.getValue());
            if (first < last) {
                visitor.visit(first, last);
            }
        }
    }

    void each(Visitor visitor) {
        ends.forEach(visitor::visit);
    }

    boolean covers(int from, int to) {
        var range = ends.floorEntry(from);
        return range != null && range.getValue() >= to;
    }

    @Override
    public String toString() {
        return ends.toString();
    }
}
