package volsh.command.pipe;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.failure.Similar;
import volsh.command.render.Row;

/** The commands between pipes: each computes a value from the value before it. */
public final class Pipes {
    public static final Set<String> VERBS = Set.of("where", "select", "sort", "first", "last", "count", "sum", "group",
            "uniq", "each", "to", "from", "tee", "grep", "get", "skip", "reverse", "reject", "rename", "add", "columns",
            "min", "max", "avg");
    /** Those that work with code in a block. */
    private static final Set<String> WITH_BLOCK = Set.of("where", "select", "sort", "sum", "group", "uniq", "each",
            "add", "min", "max", "avg");
    /** Those that stand alone. */
    private static final Set<String> WITHOUT_WORDS = Set.of("count", "reverse", "columns", "each");

    private Pipes() {}

    /**
     * A stage of a pipe as it is called: its verb, its words, its block, and what shows a value in a format.
     */
    public record Verb(String name, List<String> words, Optional<Function<Object, Object>> block, Shows shows) {
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
                case "skip" -> "skip 10";
                default -> name + " name";
            };
        }

        /** The columns that are named, with commas or blanks between them. */
        List<String> columns() {
            return words.stream().flatMap(word -> Pattern.compile(",").splitAsStream(word))
                    .filter(column -> !column.isEmpty()).toList();
        }

        /** What to look at of an item: what the block says, or the column that is named. */
        Function<Object, Object> of(String column) {
            return block.orElse(item -> field(item, column));
        }
    }

    /** Writes a value in a format, to a text or to a file. */
    public interface Shows {
        String text(Object value, String format) throws Exception;

        void file(Object value, String file) throws Exception;
    }

    public static Object apply(Verb verb, Object input) throws Exception {
        refuseUnused(verb);
        List<Object> items = items(input);
        return switch (verb.name()) {
            case "where" -> items.stream().filter(condition(verb)).toList();
            case "each" -> items.stream().map(needed(verb)).toList();
            case "select" -> Shaping.select(verb, items);
            case "reject" -> Shaping.reject(verb, items);
            case "rename" -> Shaping.rename(verb, items);
            case "add" -> Shaping.add(verb, needed(verb), items);
            case "get" -> Shaping.get(verb, items);
            case "columns" -> Shaping.columns(items);
            case "sort" -> Sorting.sort(verb, items);
            case "reverse" -> items.reversed();
            case "first" -> end(verb, items, false);
            case "last" -> end(verb, items, true);
            case "skip" -> items.subList(Math.min(items.size(), verb.words().isEmpty() ? 1 : number(verb)),
                    items.size());
            case "count" -> items.size();
            case "sum", "min", "max", "avg" -> Summary.of(verb, items);
            case "group" -> Summary.group(verb, items);
            case "uniq" -> uniq(verb, items);
            case "grep" -> grep(verb, items);
            case "to" -> verb.shows().text(input instanceof Collection<?> ? items : input, verb.word());
            case "from" -> Parsed.from(verb.word(), text(input));
            case "tee" -> {
                verb.shows().file(input instanceof Collection<?> ? items : input, verb.word());
                yield input;
            }
            default -> throw unknown(verb.name());
        };
    }

    /** What is not used is not meant so. */
    private static void refuseUnused(Verb verb) {
        if (verb.block().isPresent() && !WITH_BLOCK.contains(verb.name())) {
            throw CommandFailure.usage(verb.name() + " takes no block; to choose rows: where { ... } | " + verb.name());
        }
        if (!verb.words().isEmpty() && WITHOUT_WORDS.contains(verb.name())) {
            throw CommandFailure.usage("%s takes no words, and '%s' is one".formatted(verb.name(),
                    verb.words().getFirst())).hint("volsh help pipes");
        }
    }

    /** The failure for a word behind a bar that is no pipe command. */
    public static CommandFailure unknown(String word) {
        var failure = CommandFailure.of(ExitCode.UNKNOWN_COMMAND, "CLI-0127", "unknown pipe command '" + word + "'");
        Optional<String> elsewhere = ForeignVerbs.meant(word);
        if (elsewhere.isPresent()) {
            return failure.hint("in volsh: | " + elsewhere.get());
        }
        failure = failure.detail("pipe commands: " + String.join(" ", VERBS.stream().sorted().toList()));
        for (String similar : Similar.to(word, VERBS)) {
            failure = failure.hint("did you mean: " + similar);
        }
        return failure.hint("for the system's command: | !" + word);
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
        return RowCondition.of(verb.words()).test();
    }

    private static Function<Object, Object> needed(Verb verb) {
        return verb.block().orElseThrow(() -> CommandFailure.usage(
                verb.name() + " needs a block, such as: " + verb.name() + " { it.name }"));
    }

    /** A list is its items, text its lines, nothing is none; anything else is one item. Maps are rows. */
    public static List<Object> items(Object value) {
        return switch (value) {
            case null -> List.of();
            case Collection<?> many -> AlikeRows.of(many);
            case Object[] many -> AlikeRows.of(Arrays.asList(many));
            case CharSequence text -> List.copyOf(text.toString().lines().toList());
            default -> AlikeRows.of(Collections.singletonList(value));
        };
    }

    private static String text(Object value) {
        return value instanceof String text ? text
                : String.join("\n", items(value).stream().map(String::valueOf).toList());
    }

    /** What an item has in a column; {@code labels.tier} is what is inside of another. */
    static Object field(Object item, String name) {
        if (item instanceof Row row && !row.has(name) && name.indexOf('.') > 0) {
            Object outer = field(item, name.substring(0, name.indexOf('.')));
            String inner = name.substring(name.indexOf('.') + 1);
            return outer == null ? null : outer instanceof Row || outer instanceof Map<?, ?> ? field(outer, inner)
                    : refused(inner, outer);
        }
        if (item instanceof Map<?, ?> row) {
            return row.get(name);
        }
        return name.equals("value") ? item : refused(name, item);
    }

    private static Object refused(String name, Object item) {
        throw new IllegalArgumentException("no column '%s': '%s' is not a row".formatted(name, item));
    }

    /** The item itself without a number, else a list of that many. */
    private static Object end(Verb verb, List<Object> items, boolean last) {
        if (verb.words().isEmpty()) {
            return items.isEmpty() ? null : last ? items.getLast() : items.getFirst();
        }
        int count = Math.min(number(verb), items.size());
        return last ? items.subList(items.size() - count, items.size()) : items.subList(0, count);
    }

    private static int number(Verb verb) {
        String word = verb.word();
        try {
            int number = Integer.parseInt(word);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException wrong) {
            // said below
        }
        throw CommandFailure.usage("%s needs a number of rows, not '%s'".formatted(verb.name(), word));
    }

    private static Object uniq(Verb verb, List<Object> items) {
        var seen = new LinkedHashMap<Object, Object>();
        Function<Object, Object> key = verb.words().isEmpty() ? verb.block().orElse(item -> item)
                : verb.of(verb.word());
        items.forEach(item -> seen.putIfAbsent(key.apply(item), item));
        return new ArrayList<>(seen.values());
    }

    /** As the system's: {@code -i} ignores case, {@code -v} keeps what does not match. */
    private static Object grep(Verb verb, List<Object> items) {
        List<String> flags = verb.words().stream().filter(Set.of("-i", "-v", "-iv", "-vi")::contains).toList();
        var plain = new Verb("grep", verb.words().stream().filter(word -> !flags.contains(word)).toList(),
                verb.block(), verb.shows());
        String all = String.join("", flags);
        try {
            Pattern pattern = Pattern.compile(plain.word(), all.contains("i") ? Pattern.CASE_INSENSITIVE : 0);
            boolean wanted = !all.contains("v");
            return items.stream().filter(item -> pattern.matcher(shown(item)).find() == wanted).toList();
        } catch (PatternSyntaxException wrong) {
            throw CommandFailure.usage("'" + plain.word() + "' is not a regular expression");
        }
    }

    private static String shown(Object item) {
        return item instanceof Map<?, ?> row ? String.join("\t", row.values().stream().map(String::valueOf).toList())
                : String.valueOf(item);
    }
}
