package volsh.command.bench;

import picocli.CommandLine.Command;
import volsh.bench.Run;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "list", description = "List the benchmarks run in this home, oldest first.")
@Examples({"volsh bench list", "volsh bench list -o name"})
final class BenchList implements Action<Rows<Run>>, Listing {
    private static final Columns<Run> COLUMNS = Columns.of(Run.class)
            .text("id", Run::id)
            .time("when", Run::when)
            .text("profile", Run::profile)
            .text("target", Run::target)
            .text("io", run -> run.facts().get("io"))
            .text("threads", run -> run.facts().get("threads"))
            .text("facts", Run::facts).wide();

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Run> run(Session session) throws Exception {
        return Rows.of(COLUMNS, Kept.runs(session).all());
    }
}
