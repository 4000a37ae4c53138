package volsh.command.pipe;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import volsh.command.failure.CommandFailure;
import volsh.command.pipe.ConditionWords.Term;

/**
 * A condition on rows in plain words: {@code used > 1GiB and name like 'train%'}. {@code and} binds closer than
 * {@code or}, brackets closer still; a column alone is true unless it is empty or 0. Values are read as what the column
 * holds: a size, a time, a number, text.
 */
public final class RowCondition {
    private static final Set<String> JOINING = Set.of("and", "or", "not", "&&", "||", ")");

    private final Set<String> columns;
    private final Test test;

    private RowCondition(Set<String> columns, Test test) {
        this.columns = columns;
        this.test = test;
    }

    /** Whether a row fits, whose cells the function gives. */
    private interface Test {
        boolean holds(Object row, BiFunction<Object, String, Object> cells);
    }

    /** @throws CommandFailure USAGE if the text is no condition */
    public static RowCondition of(String text) {
        return new Reader(ConditionWords.of(text)).condition();
    }

    /** Words of a line, without their quotes. @throws CommandFailure USAGE if they are no condition */
    static RowCondition of(List<String> words) {
        return new Reader(ConditionWords.of(words)).condition();
    }

    /** The columns that it names, in their order. */
    public Set<String> columns() {
        return columns;
    }

    /** Whether it holds for a row. */
    public Predicate<Object> test() {
        return row -> test.holds(row, Pipes::field);
    }

    private static final class Reader {
        private final List<Term> terms;
        private final Set<String> columns = new LinkedHashSet<>();
        private int at;

        Reader(List<Term> terms) {
            this.terms = terms;
        }

        RowCondition condition() {
            Test test = either();
            if (at < terms.size()) {
                throw terms.get(at).is(">") ? wrong("to write the rows to a file: | tee FILE")
                        : wrong("'" + terms.get(at).text() + "' is one word too many; a text with blanks needs quotes");
            }
            return new RowCondition(columns, test);
        }

        private Test either() {
            Test left = both();
            while (next("or") || next("||")) {
                Test before = left;
                Test after = both();
                left = (row, cells) -> before.holds(row, cells) || after.holds(row, cells);
            }
            return left;
        }

        private Test both() {
            Test left = one();
            while (next("and") || next("&&")) {
                Test before = left;
                Test after = one();
                left = (row, cells) -> before.holds(row, cells) && after.holds(row, cells);
            }
            return left;
        }

        private boolean next(String word) {
            boolean here = at < terms.size() && terms.get(at).is(word);
            at += here ? 1 : 0;
            return here;
        }

        private Test one() {
            if (next("not") || next("!")) {
                return not(one());
            }
            if (next("(")) {
                Test inner = either();
                if (!next(")")) {
                    throw wrong("a ) is missing");
                }
                return inner;
            }
            String column = word("a column").replaceFirst("^\\$?it\\.", "");
            columns.add(column);
            if (next("is")) {
                boolean negated = next("not");
                if (!next("null") && !next("empty")) {
                    throw wrong("behind 'is' stands null or empty");
                }
                return negated ? not(empty(column)) : empty(column);
            }
            boolean negated = at + 1 < terms.size() && terms.get(at).is("not")
                    && ConditionWords.isSign(terms.get(at + 1)) && next("not");
            if (at == terms.size() || !ConditionWords.isSign(terms.get(at))) {
                return (row, cells) -> Quantities.truth(cells.apply(row, column));
            }
            var comparison = new CellComparison(column, terms.get(at++).text(), values());
            return negated ? not(holds(comparison)) : holds(comparison);
        }

        private static Test not(Test test) {
            return (row, cells) -> !test.holds(row, cells);
        }

        private static Test empty(String column) {
            return (row, cells) -> CellComparison.isNothing(cells.apply(row, column));
        }

        private static Test holds(CellComparison comparison) {
            return (row, cells) -> comparison.holds(cells.apply(row, comparison.column()));
        }

        /** One value; behind {@code in} several, in brackets or with commas. */
        private List<String> values() {
            if (!terms.get(at - 1).is("in")) {
                return List.of(word("a value"));
            }
            var values = new ArrayList<String>();
            if (next("(")) {
                while (!next(")")) {
                    values.addAll(List.of(word("a value or )").split(",")));
                }
            } else {
                values.addAll(List.of(word("a value").split(",")));
            }
            values.removeIf(String::isEmpty);
            return values;
        }

        private String word(String what) {
            if (at == terms.size() || terms.get(at).isAmong(JOINING)) {
                throw wrong(what + " is missing" + (at == 0 ? "" : " behind '" + terms.get(at - 1).text() + "'"));
            }
            return terms.get(at++).text();
        }

        private CommandFailure wrong(String what) {
            String said = String.join(" ", terms.stream().map(Term::text).toList());
            return CommandFailure.usage("where " + said + ": " + what).hint("volsh help pipes");
        }
    }
}
