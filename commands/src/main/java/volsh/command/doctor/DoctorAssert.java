package volsh.command.doctor;

import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.Span;

@Command(name = "assert", description = {
        "Exit 0 if a mount now meets all expectations, else 11: for job prologues and CI.",
        "An expectation is a metric, a comparison and a limit, such as 'hitRatio > 0.95'. Metrics are hitRatio,"
                + " readMillis, getMillis, metadataMillis, underWay, readBytesPerSecond and stagedBytes, measured"
                + " over --for; with --for 0s, since the volume was mounted."})
@Examples({"volsh doctor assert /mnt/data 'hitRatio > 0.95'",
        "volsh doctor assert /mnt/data 'hitRatio > 0.95' 'getMillis < 50' --for 10s -o json"})
final class DoctorAssert implements Action<Outcome<Rows<DoctorAssert.Row>>>, Tabular {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("expectation", Row::expectation)
            .number("value", Row::value)
            .text("holds", Row::holds);

    @Parameters(index = "0", paramLabel = "MOUNT", description = "Mount point, or a directory below it.")
    private Path directory;

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "EXPECTATION", description = "Expectation to meet.")
    private List<String> expectations;

    @Option(names = "--for", paramLabel = "TIME", defaultValue = "3s",
            description = "Watch for this long (default: ${DEFAULT-VALUE}).")
    private Span time;

    /** An expectation and the measured value. */
    record Row(String expectation, double value, boolean holds) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Outcome<Rows<Row>> run(Session session) throws Exception {
        if (expectations == null || expectations.isEmpty()) {
            throw CommandFailure.usage("missing expectation, such as 'hitRatio > 0.95'")
                    .hint("volsh doctor assert --help");
        }
        var wanted = expectations.stream().map(Expectation::of).toList();
        var point = Watched.mount(session, directory).mountPoint();
        var sample = time.duration().isZero() ? Watched.sinceMounted(session, point)
                : Watched.sample(session, point, time.duration());
        var rows = wanted.stream().map(each -> new Row(each.toString(), each.value(sample), each.holds(sample)))
                .toList();
        return new Outcome<>(Rows.of(COLUMNS, rows),
                rows.stream().allMatch(Row::holds) ? ExitCode.OK : ExitCode.EXPECTATION);
    }
}
