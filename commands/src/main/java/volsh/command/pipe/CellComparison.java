package volsh.command.pipe;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import volsh.command.failure.CommandFailure;

/**
 * A sign and values in words, to which the cells of a column are compared: {@code > 1GiB}, {@code like 'train%'}. A
 * column without a value fits {@code !=} only, and {@code = -}, as tables show it.
 */
final class CellComparison {
    private static final Map<String, IntPredicate> ORDERS = Map.of(">", order -> order > 0,
            ">=", order -> order >= 0, "<", order -> order < 0, "<=", order -> order <= 0, "==", order -> order == 0,
            "=", order -> order == 0, "!=", order -> order != 0, "<>", order -> order != 0);
    private static final Set<String> EQUALITIES = Set.of("==", "=", "!=", "<>", "in");
    private static final Set<String> YES = Set.of("yes", "true", "1");
    private static final Set<String> NO = Set.of("no", "false", "0");

    private final String column;
    private final String sign;
    private final boolean dash;
    private final List<Predicate<Object>> tests;

    /** @throws CommandFailure USAGE if a value is to be a regular expression and is none */
    CellComparison(String column, String sign, List<String> values) {
        this.column = column;
        this.sign = sign.toLowerCase(Locale.ROOT);
        this.dash = EQUALITIES.contains(this.sign) && values.stream().anyMatch(Set.of("-", "null")::contains);
        this.tests = values.stream().map(this::test).toList();
    }

    String column() {
        return column;
    }

    static boolean isNothing(Object cell) {
        return cell == null || "".equals(cell) || Quantities.isUndefined(cell)
                || cell instanceof java.util.Collection<?> many && many.isEmpty()
                || cell instanceof Map<?, ?> map && map.isEmpty();
    }

    boolean holds(Object cell) {
        if (isNothing(cell) && (cell == null || dash || Quantities.isUndefined(cell))) {
            boolean unequal = sign.equals("!=") || sign.equals("<>");
            return dash ? !unequal : unequal || sign.equals("!~");
        }
        return tests.stream().anyMatch(test -> test.test(cell));
    }

    private Predicate<Object> test(String value) {
        return switch (sign) {
            case "like" -> matching(like(value), true);
            case "matches", "=~" -> matching(regex(value), false);
            case "!~" -> matching(regex(value), false).negate();
            case "contains" -> cell -> contains(cell, value);
            case "starts-with" -> cell -> text(cell).startsWith(value);
            case "ends-with" -> cell -> text(cell).endsWith(value);
            case "in" -> cell -> order(cell, value) == 0;
            default -> cell -> ORDERS.get(sign).test(order(cell, value));
        };
    }

    private static Predicate<Object> matching(Pattern pattern, boolean whole) {
        return cell -> whole ? pattern.matcher(text(cell)).matches() : pattern.matcher(text(cell)).find();
    }

    private static boolean contains(Object cell, String value) {
        return cell instanceof java.util.Collection<?> many && many.stream().anyMatch(item -> text(item).equals(value))
                || text(cell).contains(value);
    }

    private static String text(Object cell) {
        return cell instanceof Boolean flag ? flag ? "yes" : "no" : cell.toString();
    }

    private int order(Object cell, String value) {
        try {
            if (cell instanceof Boolean flag) {
                return Boolean.compare(flag, flag(value));
            }
            boolean amount = cell instanceof Number || Quantities.isQuantity(cell);
            return amount ? Quantities.amount(cell).compareTo(UnitText.amount(cell, value))
                    : text(cell).compareTo(value);
        } catch (IllegalArgumentException wrong) {
            throw CommandFailure.usage(column + ": " + wrong.getMessage()).hint("volsh help pipes");
        }
    }

    private static boolean flag(String value) {
        String word = value.toLowerCase(Locale.ROOT);
        if (!YES.contains(word) && !NO.contains(word)) {
            throw new IllegalArgumentException("neither yes nor no: '" + value + "'");
        }
        return YES.contains(word);
    }

    /** As in SQL: {@code %} is any text, {@code _} any letter; {@code *} is any text, too. */
    private static Pattern like(String value) {
        var regex = new StringBuilder();
        for (char c : value.toCharArray()) {
            regex.append(c == '%' || c == '*' ? ".*" : c == '_' ? "." : Pattern.quote(String.valueOf(c)));
        }
        return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }

    private static Pattern regex(String value) {
        try {
            return Pattern.compile(value);
        } catch (PatternSyntaxException wrong) {
            throw CommandFailure.usage("not a regular expression: '" + value + "'");
        }
    }
}
