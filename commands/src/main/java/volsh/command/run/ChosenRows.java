package volsh.command.run;

import java.util.function.UnaryOperator;
import picocli.CommandLine.Model.CommandSpec;
import volsh.command.Listing;
import volsh.command.Outcome;
import volsh.command.RowChoice;
import volsh.command.render.Columns;
import volsh.command.render.Row;
import volsh.command.render.Rows;

/**
 * Those rows of a listing that its options choose. As in a pipe, a column that the listing lacks is read from
 * {@code show} of the same noun.
 */
final class ChosenRows {
    private final Caller caller;
    private final CommandSpec spec;

    ChosenRows(Caller caller, CommandSpec spec) {
        this.caller = caller;
        this.spec = spec;
    }

    /** @throws IllegalArgumentException if a condition names a column that there is not, also when there are no rows */
    void requireColumns(Listing listing, RowChoice choice) {
        Columns<?> own = listing.columns();
        Columns<?> shown = caller.columnsOfShow(spec).orElse(own);
        for (String name : choice.columns()) {
            String column = name.contains(".") ? name.substring(0, name.indexOf('.')) : name;
            if (!own.titles().isEmpty() && !own.has(column) && !own.has(name)) {
                (shown.titles().isEmpty() ? own : shown).require(column);
            }
        }
    }

    Outcome<?> of(Outcome<?> outcome, RowChoice choice) {
        UnaryOperator<Row> closer = row -> caller.closer(row, spec);
        return outcome.value() instanceof Rows<?> rows ? new Outcome<>(choice.of(rows, closer), outcome.exit(),
                outcome.status()) : outcome;
    }
}
