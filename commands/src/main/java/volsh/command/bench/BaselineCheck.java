package volsh.command.bench;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.bench.Comparison;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.render.Rows;
import volsh.unit.Percent;

@Command(name = "check", description = {"Compare a run with a baseline.",
        "Exit 11 when a phase is slower by more than --tolerance."})
@Examples("volsh bench baseline check nightly last --tolerance 10%")
final class BaselineCheck implements Action<Outcome<Rows<Comparison>>> {
    @Parameters(index = "0", paramLabel = "BASELINE", description = "Baseline to compare with.")
    private String name;

    @Parameters(index = "1", arity = "0..1", paramLabel = "RUN", defaultValue = "last",
            description = "Run to check (default: ${DEFAULT-VALUE}).")
    private String id;

    @Option(names = {"--tolerance", "--fail-if"}, paramLabel = "PERCENT", converter = Loss.class, defaultValue = "5%",
            description = "Allow a phase to lose this much of its speed (default: ${DEFAULT-VALUE}).")
    private Percent tolerance;

    @Override
    public Outcome<Rows<Comparison>> run(Session session) throws Exception {
        return Kept.compare(session, Kept.find(session, name), Kept.find(session, id), tolerance);
    }
}
