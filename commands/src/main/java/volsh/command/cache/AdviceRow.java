package volsh.command.cache;

import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.command.consistency.RuledPath;
import volsh.command.render.Columns;
import volsh.fs.Advice;
import volsh.meta.PathRules.Rule;

/** A path, the advice in force there, and the directory or file that has it. */
record AdviceRow(String path, String advice, @Nullable String from) {
    static final Columns<AdviceRow> COLUMNS = Columns.of(AdviceRow.class)
            .text("path", AdviceRow::path)
            .text("advice", AdviceRow::advice)
            .text("from", AdviceRow::from);

    static AdviceRow of(RuledPath<Advice> place) throws IOException {
        Optional<Rule<Advice>> rule = place.inForce();
        return new AdviceRow(place.path().toString(), rule.map(Rule::policy).orElse(Advice.NORMAL).toString(),
                place.from(rule));
    }
}
