package volsh.command.checkpoint;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.checkpoint.Checkpoint;
import volsh.checkpoint.Checkpoints;
import volsh.checkpoint.Verification;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.event.Happening;

@Command(name = "verify", description = {"Read every byte of checkpoints and compare it with what was saved.",
        "Safetensors and torch files are also checked for what they are: a truncated archive or a bad header is found although it was saved so."
                + " NAN and INF count numbers that are none or infinite, where a file says what its numbers are.",
        "Exit 7 when a file differs, cannot be read or is broken."})
@Examples({"volsh checkpoint verify training-data --run r1", "volsh checkpoint verify training-data --run r1 --step 1000", "volsh checkpoint verify training-data"})
final class CheckpointVerify implements Action<Outcome<Rows<CheckpointVerify.Row>>> {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("path", row -> row.checkpoint().path())
            .text("result", row -> row.found().good() ? "ok" : "damaged")
            .number("files", row -> row.checkpoint().manifest().map(manifest -> manifest.files().size()).orElse(null))
            .number("tensors", row -> row.found().tensors())
            .number("nan", row -> row.found().nans())
            .number("inf", row -> row.found().infinities())
            .text("wrong", row -> row.found().wrong());

    @Parameters(paramLabel = "VOLUME", description = "The volume.")
    private String volume;

    @Option(names = "--run", paramLabel = "RUN", description = "Only those of this run.")
    private String run;

    @Option(names = "--step", paramLabel = "N", description = "Only this step.")
    private Long step;

    @Mixin
    private Parallel parallel;

    record Row(Checkpoint checkpoint, Verification found) {}

    @Override
    public Outcome<Rows<Row>> run(Session session) throws Exception {
        parallel.count();
        var rows = new ArrayList<Row>();
        try (var open = OpenCheckpoints.reading(session, volume, "verify", parallel)) {
            var chosen = step != null ? List.of(open.find(Checkpoints.checkRun(run == null ? "" : run), step))
                    : open.all().list(Optional.ofNullable(run).map(Checkpoints::checkRun));
            for (Checkpoint one : chosen) {
                var found = open.all().inspect(one);
                rows.add(new Row(one, found));
                if (!found.good()) {
                    open.tell(Happening.Level.ERROR, one.path(), "damaged: " + String.join(", ", found.wrong()));
                }
            }
        }
        boolean good = rows.stream().allMatch(row -> row.found().good());
        return new Outcome<>(Rows.of(COLUMNS, rows), good ? ExitCode.OK : ExitCode.INTEGRITY);
    }
}
