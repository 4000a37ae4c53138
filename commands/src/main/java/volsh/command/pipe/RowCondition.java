package volsh.command.pipe;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import volsh.command.failure.CommandFailure;
import volsh.unit.ByteSize;
import volsh.unit.Rate;
import volsh.unit.Span;

/**
 * A condition on rows in plain words: {@code used > 1GiB and name like 'train%'}. {@code and} binds closer than
 * {@code or}; a column alone is true unless it is empty or 0. Values are read as what the column holds: a size, a time,
 * a number, text.
 */
final class RowCondition {
    private static final Map<String, Predicate<Integer>> ORDERS = Map.of(">", order -> order > 0,
            ">=", order -> order >= 0, "<", order -> order < 0, "<=", order -> order <= 0, "==", order -> order == 0,
            "=", order -> order == 0, "!=", order -> order != 0, "<>", order -> order != 0);
    private static final Set<String> TEXTS = Set.of("like", "matches", "=~", "contains");
    private static final Set<String> JOINING = Set.of("and", "or", "not");
    private static final Pattern JOINED = Pattern.compile(
            "([A-Za-z][\\w.-]*?)(>=|<=|!=|<>|==|=~|>|<|=)(.*)", Pattern.DOTALL);
    private static final Pattern LEADING = Pattern.compile("(>=|<=|!=|<>|==|=~|>|<|=)(.+)", Pattern.DOTALL);

    private final List<String> words;
    private final BiFunction<Object, String, Object> cells;
    private int at;

    private RowCondition(List<String> words, BiFunction<Object, String, Object> cells) {
        this.words = words;
        this.cells = cells;
    }

    /** {@code cells} gives what a row has in a column. @throws CommandFailure USAGE if the words are no condition */
    static Predicate<Object> of(List<String> words, BiFunction<Object, String, Object> cells) {
        var reader = new RowCondition(apart(words), cells);
        Predicate<Object> condition = reader.either();
        if (reader.at < reader.words.size()) {
            throw reader.wrong("'" + reader.words.get(reader.at) + "' is one word too many");
        }
        return condition;
    }

    /** Signs may stand close to words: {@code used>1GiB}. */
    private static List<String> apart(List<String> words) {
        var apart = new ArrayList<String>();
        for (String word : words) {
            Matcher joined = JOINED.matcher(word);
            Matcher leading = LEADING.matcher(word);
            boolean value = !apart.isEmpty() && isSign(apart.getLast());
            if (!value && !isSign(word) && joined.matches()) {
                apart.add(joined.group(1));
                apart.add(joined.group(2));
                if (!joined.group(3).isEmpty()) {
                    apart.add(joined.group(3));
                }
            } else if (!value && !isSign(word) && leading.matches()) {
                apart.add(leading.group(1));
                apart.add(leading.group(2));
            } else {
                apart.add(word);
            }
        }
        return apart;
    }

    private static boolean isSign(String word) {
        return ORDERS.containsKey(word) || TEXTS.contains(word);
    }

    private Predicate<Object> either() {
        Predicate<Object> condition = both();
        while (next("or")) {
            condition = condition.or(both());
        }
        return condition;
    }

    private Predicate<Object> both() {
        Predicate<Object> condition = one();
        while (next("and")) {
            condition = condition.and(one());
        }
        return condition;
    }

    private boolean next(String word) {
        boolean here = at < words.size() && words.get(at).equals(word);
        at += here ? 1 : 0;
        return here;
    }

    private Predicate<Object> one() {
        if (next("not")) {
            return one().negate();
        }
        String column = word("a column");
        if (at == words.size() || !isSign(words.get(at))) {
            return row -> Quantities.truth(cell(row, column));
        }
        String sign = words.get(at++);
        String value = word("a value");
        return row -> holds(cell(row, column), sign, value, column);
    }

    private String word(String what) {
        if (at == words.size() || JOINING.contains(words.get(at))) {
            throw wrong(what + " is missing" + (at == 0 ? "" : " behind '" + words.get(at - 1) + "'"));
        }
        return words.get(at++);
    }

    private Object cell(Object row, String column) {
        return cells.apply(row, column);
    }

    private static boolean holds(Object cell, String sign, String value, String column) {
        if (cell == null) {
            return Set.of("!=", "<>").contains(sign);
        }
        return switch (sign) {
            case "like" -> like(value).matcher(cell.toString()).matches();
            case "contains" -> cell.toString().contains(value);
            case "matches", "=~" -> regex(value).matcher(cell.toString()).find();
            default -> Objects.requireNonNull(ORDERS.get(sign)).test(order(cell, value, column));
        };
    }

    private static int order(Object cell, String value, String column) {
        try {
            return switch (cell) {
                case ByteSize size -> size.compareTo(ByteSize.of(value));
                case Span span -> span.duration().compareTo(Span.of(value).duration());
                case Rate rate -> Long.compare(rate.bytesPerSecond(), Rate.of(value).bytesPerSecond());
                case Number number -> Quantities.compare(number, new java.math.BigDecimal(value));
                case Instant time -> time.compareTo(Instant.parse(value.length() == 10 ? value + "T00:00:00Z" : value));
                default -> cell.toString().compareTo(value);
            };
        } catch (NumberFormatException notOne) {
            throw CommandFailure.usage("%s is a number, and '%s' is none".formatted(column, value));
        } catch (java.time.format.DateTimeParseException notOne) {
            throw CommandFailure.usage("%s is a time, and '%s' is none (try 2026-11-18 or 2026-11-18T08:00:00Z)"
                    .formatted(column, value));
        }
    }

    /** As in SQL: {@code %} is any text, {@code _} any letter. */
    private static Pattern like(String value) {
        var regex = new StringBuilder();
        for (char c : value.toCharArray()) {
            regex.append(c == '%' ? ".*" : c == '_' ? "." : Pattern.quote(String.valueOf(c)));
        }
        return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }

    private static Pattern regex(String value) {
        try {
            return Pattern.compile(value);
        } catch (java.util.regex.PatternSyntaxException wrong) {
            throw CommandFailure.usage("not a regular expression: '" + value + "'");
        }
    }

    private CommandFailure wrong(String what) {
        return CommandFailure.usage("where " + String.join(" ", words) + ": " + what).hint("volsh help pipes");
    }
}
