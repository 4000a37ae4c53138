package volsh.command.pipe;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import volsh.command.failure.CommandFailure;

/**
 * Cuts a condition into columns, signs, values and brackets. Signs may stand close to words ({@code used>1GiB}); words
 * in quotes are values as they are.
 */
final class ConditionWords {
    /** A word; one that was {@code quoted} is never a sign or a word of the language. */
    record Term(String text, boolean quoted) {
        boolean is(String word) {
            return !quoted && text.equalsIgnoreCase(word);
        }

        boolean isAmong(Set<String> words) {
            return !quoted && words.contains(text.toLowerCase(Locale.ROOT));
        }
    }

    static final Set<String> ORDERS = Set.of(">", ">=", "<", "<=", "==", "=", "!=", "<>");
    static final Set<String> TEXTS = Set.of("like", "matches", "=~", "!~", "contains", "in", "starts-with",
            "ends-with");
    private static final String SIGN = "(>=|<=|!=|<>|==|=~|!~|>|<|=)";
    private static final Pattern JOINED = Pattern.compile("([A-Za-z$][\\w.$-]*?)" + SIGN + "(.*)", Pattern.DOTALL);
    private static final Pattern LEADING = Pattern.compile(SIGN + "(.+)", Pattern.DOTALL);
    private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|((?:[^\\s'\"]|(?<=\\w)')+)");

    private final List<Term> terms = new ArrayList<>();
    private int depth;
    private boolean brackets;

    private ConditionWords() {}

    /** Words whose quotes a command line has taken away. */
    static List<Term> of(List<String> words) {
        var reader = new ConditionWords();
        words.forEach(word -> reader.add(word, word.isEmpty() || word.contains(" ")));
        return reader.terms;
    }

    /** A text with quotes. */
    static List<Term> of(String text) {
        var reader = new ConditionWords();
        Matcher word = WORD.matcher(text);
        int end = 0;
        while (word.find()) {
            end = word.start() == end || text.substring(end, word.start()).isBlank() ? word.end() : text.length();
            String quoted = word.group(1) != null ? word.group(1) : word.group(2);
            reader.add(quoted == null ? word.group(3) : quoted, quoted != null);
        }
        if (text.chars().filter(c -> c == '"').count() % 2 == 1 || text.matches("(?s)(.*\\s)?'[^']*")) {
            throw CommandFailure.usage("a quote is not closed: " + text);
        }
        return reader.terms;
    }

    private void add(String word, boolean quoted) {
        boolean value = !terms.isEmpty() && isSign(terms.getLast());
        Matcher joined = JOINED.matcher(word);
        Matcher leading = LEADING.matcher(word);
        boolean list = !terms.isEmpty() && terms.getLast().is("in") && word.startsWith("[");
        if (quoted) {
            terms.add(new Term(word, true));
        } else if (list) {   // as other shells write lists
            brackets = true;
            add("(" + word.substring(1), false);
        } else if (brackets && word.endsWith("]")) {
            brackets = false;
            add(word.substring(0, word.length() - 1) + ")", false);
        } else if (word.startsWith("(") && word.length() > 1) {
            open();
            add(word.substring(1), false);
        } else if (word.endsWith(")") && depth > 0 && word.length() > 1) {
            add(word.substring(0, word.length() - 1), false);
            close();
        } else if (word.equals("(")) {
            open();
        } else if (word.equals(")") && depth > 0) {
            close();
        } else if (!value && !isSign(new Term(word, false)) && joined.matches()) {
            terms.add(new Term(joined.group(1), false));
            terms.add(new Term(joined.group(2), false));
            if (!joined.group(3).isEmpty()) {
                add(joined.group(3), false);
            }
        } else if (!value && !isSign(new Term(word, false)) && leading.matches()) {
            terms.add(new Term(leading.group(1), false));
            add(leading.group(2), false);
        } else {
            terms.add(new Term(word, false));
        }
    }

    private void open() {
        depth++;
        terms.add(new Term("(", false));
    }

    private void close() {
        depth--;
        terms.add(new Term(")", false));
    }

    static boolean isSign(Term term) {
        return term.isAmong(ORDERS) || term.isAmong(TEXTS);
    }
}
