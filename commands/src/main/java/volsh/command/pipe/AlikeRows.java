package volsh.command.pipe;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import volsh.command.render.Row;

/** Items of a pipe of which all rows have the same columns: what a row lacks and another has, is empty. */
final class AlikeRows {
    private AlikeRows() {}

    static List<Object> of(Collection<?> many) {
        var items = new ArrayList<Object>(many.size());
        Set<String> names = new LinkedHashSet<>();
        boolean alike = true;
        for (Object item : many) {
            Object next = item instanceof Map<?, ?> map && !(item instanceof Row) ? row(map) : item;
            items.add(next);
            if (next instanceof Row row && !names.equals(row.keySet())) {
                alike &= names.isEmpty();
                names.addAll(row.keySet());
            }
        }
        if (!alike) {
            items.replaceAll(item -> item instanceof Row row && row.size() < names.size() ? row.padded(names) : item);
        }
        return Collections.unmodifiableList(items);
    }

    static Row row(Map<?, ?> map) {
        var fields = new LinkedHashMap<String, Object>();
        map.forEach((name, value) -> fields.put(String.valueOf(name), value));
        return Row.of(fields);
    }
}
