package volsh.command.bench;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.bench.Measurement;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Listing;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "show", description = {"Show the numbers of an earlier benchmark.",
        "At a terminal a chart precedes the table; --chart always draws it."})
@Examples({"volsh bench show last", "volsh bench show last --chart", "volsh bench show last -o json"})
final class BenchShow implements Action<Rows<Measurement>>, Listing {
    @Parameters(paramLabel = "RUN",
            description = "Run, by identifier or its beginning, last, or the name of a baseline.")
    private String id;

    @Option(names = "--chart", description = "Draw the speeds as bars.")
    private boolean chart;

    @Override
    public Columns<?> columns() {
        return Kept.ROWS;
    }

    @Override
    public Rows<Measurement> run(Session session) throws Exception {
        var run = Kept.find(session, id);
        session.say("%s on %s, %s".formatted(run.profile(), run.target(), run.when()));
        Kept.chart(session, run.rows(), chart);
        return Rows.of(Kept.ROWS, run.rows());
    }
}
