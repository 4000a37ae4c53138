package volsh.command.pipe;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import volsh.command.pipe.Pipes.Verb;

/** Sorts items by columns or by what a block computes, each computed once per item; nothing comes last. */
final class Sorting {
    private static final Set<String> REVERSE = Set.of("-r", "--reverse");

    private Sorting() {}

    /** A key of the order: {@code used} or {@code -used}. */
    private record Key(String column, boolean descending) {
        int compare(Object a, Object b) {
            int order = Quantities.compare(a, b);
            return descending && a != null && b != null ? -order : order;
        }
    }

    /** An item with the values by which it is sorted. */
    private record Keyed(Object item, List<Object> values) {}

    static List<Object> sort(Verb verb, List<Object> items) {
        List<Key> keys = keys(verb);
        var keyed = new ArrayList<Keyed>(items.size());
        for (Object item : items) {
            var values = new ArrayList<Object>(keys.size());
            keys.forEach(key -> values.add(key.column().isEmpty() ? verb.block().map(block -> block.apply(item))
                    .orElse(item) : Pipes.field(item, key.column())));
            keyed.add(new Keyed(item, values));
        }
        keyed.sort(order(keys));
        var sorted = new ArrayList<Object>(items.size());
        keyed.forEach(one -> sorted.add(one.item()));
        return sorted;
    }

    private static Comparator<Keyed> order(List<Key> keys) {
        return (a, b) -> {
            for (int i = 0; i < keys.size(); i++) {
                int order = keys.get(i).compare(a.values().get(i), b.values().get(i));
                if (order != 0) {
                    return order;
                }
            }
            return 0;
        };
    }

    /** Columns with {@code -} before or {@code desc} behind them; without any, the item itself or its block. */
    private static List<Key> keys(Verb verb) {
        boolean reverse = verb.words().stream().anyMatch(REVERSE::contains);
        var keys = new ArrayList<Key>();
        for (String word : verb.columns()) {
            boolean direction = !keys.isEmpty() && (word.equalsIgnoreCase("desc") || word.equalsIgnoreCase("asc"));
            if (direction) {
                keys.add(new Key(keys.removeLast().column(), word.equalsIgnoreCase("desc")));
            } else if (!REVERSE.contains(word)) {
                boolean descending = word.startsWith("-") && word.length() > 1;
                keys.add(new Key(descending ? word.substring(1) : word, descending));
            }
        }
        if (keys.isEmpty() || verb.block().isPresent()) {
            keys.addFirst(new Key("", false));
        }
        return reverse ? keys.stream().map(key -> new Key(key.column(), !key.descending())).toList() : keys;
    }
}
