package volsh.command.pipe;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import volsh.command.failure.CommandFailure;
import volsh.command.pipe.Pipes.Verb;
import volsh.command.render.Row;

/** The pipe commands that change which columns rows have. */
final class Shaping {
    private Shaping() {}

    static List<Object> select(Verb verb, List<Object> items) {
        if (verb.block().isPresent()) {
            return items.stream().map(verb.block().get()).toList();
        }
        List<String> columns = needed(verb, "select name,used");
        return items.stream().<Object>map(item -> row(item).select(columns, name -> Pipes.field(item, name))).toList();
    }

    static List<Object> reject(Verb verb, List<Object> items) {
        List<String> columns = needed(verb, "reject created,path");
        return items.stream().<Object>map(item -> row(item).without(columns)).toList();
    }

    /** {@code rename used=bytes,name=volume}. */
    static List<Object> rename(Verb verb, List<Object> items) {
        var names = new LinkedHashMap<String, String>();
        for (String pair : needed(verb, "rename used=bytes")) {
            int equals = pair.indexOf('=');
            if (equals < 1 || equals == pair.length() - 1) {
                throw CommandFailure.usage("rename needs OLD=NEW, such as: rename used=bytes, not '" + pair + "'");
            }
            names.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return items.stream().<Object>map(item -> row(item).renamed(names)).toList();
    }

    /** {@code add free { quota - used }}: a further column, or another value for one. */
    static List<Object> add(Verb verb, Function<Object, Object> block, List<Object> items) {
        String name = verb.words().size() == 1 ? verb.words().getFirst() : "";
        if (name.isEmpty()) {
            throw CommandFailure.usage("add needs a name and a block, such as: add free { quota - used }");
        }
        return items.stream().<Object>map(item -> row(item).with(name, block.apply(item))).toList();
    }

    /** The values of a column, or the item with this number. */
    static Object get(Verb verb, List<Object> items) {
        String word = verb.word();
        if (word.matches("\\d{1,9}(\\..+)?")) {
            int dot = word.indexOf('.');
            int index = Integer.parseInt(dot < 0 ? word : word.substring(0, dot));
            if (index >= items.size()) {
                throw CommandFailure.usage("get %s: there are %d rows, the first is 0".formatted(word, items.size()));
            }
            return dot < 0 ? items.get(index) : Pipes.field(items.get(index), word.substring(dot + 1));
        }
        var values = new ArrayList<Object>(items.size());
        items.forEach(item -> values.add(Pipes.field(item, word)));
        return values;
    }

    static List<Object> columns(List<Object> items) {
        return items.isEmpty() ? List.of() : List.copyOf(row(items.getFirst()).keySet());
    }

    private static List<String> needed(Verb verb, String example) {
        List<String> columns = verb.columns();
        if (columns.isEmpty()) {
            throw CommandFailure.usage(verb.name() + " needs columns, such as: " + example);
        }
        return columns;
    }

    static Row row(Object item) {
        return item instanceof Row row ? row : item instanceof Map<?, ?> map ? AlikeRows.row(map)
                : Row.of(value(item));
    }

    private static Map<String, Object> value(Object item) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("value", item);
        return fields;
    }
}
