package volsh.command.bench;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.bench.Run;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "save", description = "Name a run as a baseline; an existing name moves to this run.")
@Examples("volsh bench baseline save nightly last")
final class BaselineSave implements Mutation<Rows<Run>> {
    private static final Columns<Run> COLUMNS = Columns.of(Run.class).text("id", Run::id).time("when", Run::when);

    @Parameters(index = "0", paramLabel = "BASELINE", description = "Baseline name.")
    private String name;

    @Parameters(index = "1", arity = "0..1", paramLabel = "RUN", defaultValue = "last",
            description = "Run to name (default: ${DEFAULT-VALUE}).")
    private String id;

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        return Plan.of("name", "run '%s'".formatted(Kept.find(session, id).id()), "baseline '%s'".formatted(name));
    }

    @Override
    public Rows<Run> run(Session session) throws Exception {
        var run = Kept.find(session, id);
        Kept.runs(session).baseline(name, run);
        session.say("baseline '%s' is run %s".formatted(name, run.id()));
        return Rows.one(COLUMNS, run);
    }
}
