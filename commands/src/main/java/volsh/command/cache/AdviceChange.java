package volsh.command.cache;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.consistency.RuledPath;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.Advice;

/** Sets the advice of files and directories, which stays in the volume until it is changed. */
abstract class AdviceChange implements Mutation<Rows<AdviceRow>> {
    @Parameters(arity = "1..*", paramLabel = "VOL:/PATH|DIR",
            description = "Files or directories in a volume, or on a mount.")
    private List<String> words;

    private final Advice advice;

    AdviceChange(Advice advice) {
        this.advice = advice;
    }

    @Override
    public Columns<?> columns() {
        return AdviceRow.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var targets = new Targets(session, new CacheChoice());
        var plan = Plan.NOTHING;
        for (var word : words) {
            try (var place = RuledPath.advice(session, targets.inVolume(word), Access.NAMES)) {
                plan = isDone(place) ? plan : plan.then("advise", place.path().toString(), advice.toString());
            }
        }
        return plan;
    }

    /** A directory or file without advice of its own has that of the directories above. */
    private boolean isDone(RuledPath<Advice> place) throws Exception {
        return advice == Advice.NORMAL ? place.own().isEmpty() && place.inForce().isEmpty() : place.isSet(advice);
    }

    @Override
    public Rows<AdviceRow> run(Session session) throws Exception {
        var targets = new Targets(session, new CacheChoice());
        var rows = new ArrayList<AdviceRow>();
        for (var word : words) {
            try (var place = RuledPath.advice(session, targets.inVolume(word), Access.WRITE)) {
                change(place);
                var row = AdviceRow.of(place);
                session.say("%s is advised %s".formatted(row.path(), row.advice()));
                rows.add(row);
            }
        }
        return Rows.of(AdviceRow.COLUMNS, rows);
    }

    /** Normal is what is in force where nothing is set: it is set only below a directory with other advice. */
    private void change(RuledPath<Advice> place) throws Exception {
        if (advice == Advice.NORMAL) {
            place.unset();
        }
        if (advice != Advice.NORMAL || place.inForce().filter(rule -> rule.policy() != Advice.NORMAL).isPresent()) {
            place.set(advice);
        }
    }
}
