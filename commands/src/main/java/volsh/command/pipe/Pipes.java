package volsh.command.pipe;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Row;
import volsh.unit.ByteSize;

/** The commands between pipes: each computes a value from the value before it. */
public final class Pipes {
    public static final Set<String> VERBS = Set.of("where", "select", "sort", "first", "last", "count", "sum", "group",
            "uniq", "each", "to", "from", "tee", "grep");

    private Pipes() {}

    /**
     * A stage of a pipe as it is called: its verb, its words, its block, and what shows a value in a format.
     */
    public record Verb(String name, List<String> words,
            Optional<Function<@Nullable Object, @Nullable Object>> block, Shows shows) {
        String word() {
            if (words.size() != 1) {
                throw CommandFailure.usage(name + " needs one word, such as: " + example());
            }
            return words.getFirst();
        }

        private String example() {
            return switch (name) {
                case "to" -> "to json";
                case "from" -> "from json";
                case "tee" -> "tee rows.json";
                case "grep" -> "grep 'train.*'";
                default -> name + " name";
            };
        }

        /** What to look at of an item: what the block says, or the column that is named. */
        Function<@Nullable Object, @Nullable Object> of(String column) {
            return block.orElse(item -> field(item, column));
        }
    }

    /** Writes a value in a format, to a text or to a file. */
    public interface Shows {
        String text(@Nullable Object value, String format) throws Exception;

        void file(@Nullable Object value, String file) throws Exception;
    }

    public static @Nullable Object apply(Verb verb, @Nullable Object input) throws Exception {
        List<Object> items = items(input);
        return switch (verb.name()) {
            case "where" -> items.stream().filter(condition(verb)).toList();
            case "each" -> items.stream().map(needed(verb)).toList();
            case "select" -> select(verb, items);
            case "sort" -> sort(verb, items);
            case "first" -> end(verb, items, false);
            case "last" -> end(verb, items, true);
            case "count" -> items.size();
            case "sum" -> sum(items.stream().map(verb.words().isEmpty() ? verb.block().orElse(item -> item)
                    : verb.of(verb.word())).toList());
            case "group" -> group(verb, items);
            case "uniq" -> uniq(verb, items);
            case "grep" -> grep(verb, items);
            case "to" -> verb.shows().text(input, verb.word());
            case "from" -> Parsed.from(verb.word(), text(input));
            case "tee" -> {
                verb.shows().file(input, verb.word());
                yield input;
            }
            default -> throw new IllegalArgumentException("no such pipe command: " + verb.name());
        };
    }

    private static Predicate<Object> condition(Verb verb) {
        if (verb.words().isEmpty()) {
            var block = verb.block().orElseThrow(() -> CommandFailure.usage(
                    "where takes a condition, such as: where used > 1GiB and name like 'train%'"));
            return item -> Quantities.truth(block.apply(item));
        }
        if (verb.block().isPresent()) {
            throw CommandFailure.usage("where takes a condition in words or a block, not both");
        }
        return RowCondition.of(verb.words(), Pipes::field);
    }

    private static Function<@Nullable Object, @Nullable Object> needed(Verb verb) {
        return verb.block().orElseThrow(() -> CommandFailure.usage(
                verb.name() + " needs a block, such as: " + verb.name() + " { it.name }"));
    }

    /** A list is its items, text its lines, nothing is none; anything else is one item. */
    public static List<Object> items(@Nullable Object value) {
        return switch (value) {
            case null -> List.of();
            case Collection<?> many -> Collections.unmodifiableList(new ArrayList<Object>(many));
            case String text -> List.copyOf(text.lines().toList());
            default -> List.of(value);
        };
    }

    private static String text(@Nullable Object value) {
        return value instanceof String text ? text
                : String.join("\n", items(value).stream().map(String::valueOf).toList());
    }

    private static @Nullable Object field(@Nullable Object item, String name) {
        if (item instanceof Map<?, ?> row) {
            return row.get(name);
        }
        if (name.equals("value")) {
            return item;
        }
        throw new IllegalArgumentException("no column '%s': '%s' is not a row".formatted(name, item));
    }

    private static List<String> columns(Verb verb) {
        return verb.words().stream().flatMap(word -> Pattern.compile(",").splitAsStream(word))
                .filter(name -> !name.isEmpty()).toList();
    }

    private static Object select(Verb verb, List<Object> items) {
        if (verb.block().isPresent()) {
            return items.stream().map(verb.block().get()).toList();
        }
        List<String> columns = columns(verb);
        if (columns.isEmpty()) {
            throw CommandFailure.usage("select needs columns, such as: select name,used");
        }
        return items.stream().map(item -> row(item).select(columns)).toList();
    }

    @SuppressWarnings("unchecked") // the keys of a row are names
    private static Row row(Object item) {
        return item instanceof Row row ? row
                : item instanceof Map<?, ?> map ? Row.of((Map<String, ?>) map) : Row.of(Map.of("value", item));
    }

    private static Object sort(Verb verb, List<Object> items) {
        Comparator<Object> order = verb.block().isPresent()
                ? (a, b) -> Quantities.compare(verb.block().get().apply(a), verb.block().get().apply(b)) : null;
        for (String column : columns(verb)) {
            boolean descending = column.startsWith("-");
            String name = descending ? column.substring(1) : column;
            Comparator<Object> next = (a, b) -> compare(field(a, name), field(b, name), descending);
            order = order == null ? next : order.thenComparing(next);
        }
        var sorted = new ArrayList<>(items);
        sorted.sort(order == null ? Quantities::compare : order);
        return sorted;
    }

    private static int compare(@Nullable Object a, @Nullable Object b, boolean descending) {
        int order = Quantities.compare(a, b);
        return descending && a != null && b != null ? -order : order;
    }

    /** The item itself without a number, else a list of that many. */
    private static @Nullable Object end(Verb verb, List<Object> items, boolean last) {
        if (verb.words().isEmpty()) {
            return items.isEmpty() ? null : last ? items.getLast() : items.getFirst();
        }
        int count = Math.min(number(verb), items.size());
        return last ? items.subList(items.size() - count, items.size()) : items.subList(0, count);
    }

    private static int number(Verb verb) {
        try {
            return Math.max(0, Integer.parseInt(verb.word()));
        } catch (NumberFormatException wrong) {
            throw CommandFailure.usage(verb.name() + " needs a number, not '" + verb.word() + "'");
        }
    }

    private static Object sum(List<? extends @Nullable Object> values) {
        Object sum = null;
        for (Object value : values) {
            sum = Quantities.plus(sum, value);
        }
        return sum == null ? 0 : sum;
    }

    /** A row per distinct value: the count, and the sum of the sizes. */
    private static Object group(Verb verb, List<Object> items) {
        String name = verb.words().isEmpty() ? "value" : verb.word();
        var groups = new LinkedHashMap<Object, List<Object>>();
        for (Object item : items) {
            groups.computeIfAbsent(verb.of(name).apply(item), _ -> new ArrayList<>()).add(item);
        }
        var rows = new ArrayList<Row>();
        groups.forEach((key, members) -> {
            var row = new LinkedHashMap<String, Object>();
            row.put(name, key);
            row.put("count", members.size());
            sizes(members)
                    .forEach(size -> row.put(size, sum(members.stream().map(item -> field(item, size)).toList())));
            rows.add(Row.of(row));
        });
        return rows;
    }

    private static List<String> sizes(List<Object> members) {
        return members.getFirst() instanceof Row row
                ? row.entrySet().stream().filter(cell -> cell.getValue() instanceof ByteSize).map(Map.Entry::getKey)
                .toList()
                : List.of();
    }

    private static Object uniq(Verb verb, List<Object> items) {
        var seen = new LinkedHashMap<Object, Object>();
        Function<@Nullable Object, @Nullable Object> key = verb.words().isEmpty() ? verb.block().orElse(item -> item)
                : verb.of(verb.word());
        items.forEach(item -> seen.putIfAbsent(key.apply(item), item));
        return new ArrayList<>(seen.values());
    }

    private static Object grep(Verb verb, List<Object> items) {
        try {
            Pattern pattern = Pattern.compile(verb.word());
            return items.stream().filter(item -> pattern.matcher(shown(item)).find()).toList();
        } catch (PatternSyntaxException wrong) {
            throw CommandFailure.usage("'" + verb.word() + "' is not a regular expression");
        }
    }

    private static String shown(Object item) {
        return item instanceof Map<?, ?> row ? String.join("\t", row.values().stream().map(String::valueOf).toList())
                : String.valueOf(item);
    }
}
