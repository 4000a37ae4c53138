package volsh.command.bench;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.bench.Comparison;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Listing;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.Percent;

@Command(name = "compare", description = {"Compare two runs phase by phase; CHANGE is in percent, negative if slower.",
        "With --fail-if -10%, exit 11 when a phase is slower by more than that (10% means the same)."})
@Examples({"volsh bench compare last last", "volsh bench compare last last --fail-if -10%"})
final class BenchCompare implements Action<Outcome<Rows<Comparison>>>, Listing {
    @Parameters(index = "0", paramLabel = "BEFORE", description = "First run.")
    private String before;

    @Parameters(index = "1", paramLabel = "AFTER", description = "Second run.")
    private String after;

    @Option(names = "--fail-if", paramLabel = "PERCENT", converter = Loss.class,
            description = "Exit 11 when a phase loses more than this much of its speed.")
    private @Nullable Percent tolerated;

    @Override
    public Columns<?> columns() {
        return Kept.compared();
    }

    @Override
    public Outcome<Rows<Comparison>> run(Session session) throws Exception {
        return Kept.compare(session, Kept.find(session, before), Kept.find(session, after), tolerated);
    }
}
