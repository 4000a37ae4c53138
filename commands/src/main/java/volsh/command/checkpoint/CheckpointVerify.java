package volsh.command.checkpoint;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
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
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.event.Happening;

@Command(name = "verify", description = {"Read every byte of checkpoints and compare it with what was saved.",
        "Safetensors and torch files are also checked for validity: a truncated archive or a bad header is found even"
                + " if it was saved that way. NAN and INF count NaN and infinite numbers, where a file declares its"
                + " number type, and WRONG names their tensors: a job that resumes from them continues with them.",
        "RESULT is ok, damaged (a file differs, cannot be read or is broken), nan, or inf; exit 7 unless all are ok."
                + " With --allow-nan such numbers are counted, and nan and inf are ok."})
@Examples({"volsh checkpoint verify training-data --run r1",
        "volsh checkpoint verify training-data --run r1 --step 1000", "volsh checkpoint verify training-data"})
final class CheckpointVerify implements Action<Outcome<Rows<CheckpointVerify.Row>>> {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("path", row -> row.checkpoint().path())
            .text("result", Row::result)
            .number("files", row -> row.checkpoint().manifest().map(manifest -> manifest.files().size()).orElse(null))
            .number("tensors", row -> row.found().tensors())
            .number("nan", row -> row.found().nans())
            .number("inf", row -> row.found().infinities())
            .text("wrong", Row::wrong);

    @Parameters(paramLabel = "VOLUME", description = "Volume of the runs.")
    private String volume;

    @Option(names = "--run", paramLabel = "RUN", description = "Verify only this run.")
    private @Nullable String run;

    @Option(names = "--step", paramLabel = "N", description = "Verify only this step.")
    private @Nullable Long step;

    @Option(names = "--allow-nan", description = "Accept NaN and infinite numbers, such as masks of -inf.")
    private boolean allowed;

    @Mixin
    private Parallel parallel;

    /** @param allowed numbers need not be finite */
    record Row(Checkpoint checkpoint, Verification found, boolean allowed) {
        private String result() {
            return !found.good() ? "damaged" : allowed || found.finite() ? "ok" : found.nans() > 0 ? "nan" : "inf";
        }

        private List<String> wrong() {
            return result().equals("ok") ? List.of() : found.good() ? found.unsound() : found.wrong();
        }

        private boolean good() {
            return result().equals("ok");
        }
    }

    @Override
    public Outcome<Rows<Row>> run(Session session) throws Exception {
        parallel.count();
        var rows = new ArrayList<Row>();
        try (var open = OpenCheckpoints.reading(session, volume, "verify", parallel)) {
            var chosen = step != null ? List.of(open.find(Checkpoints.checkRun(run == null ? "" : run), step))
                    : open.all().list(Optional.ofNullable(run).map(Checkpoints::checkRun));
            if (chosen.isEmpty()) {
                throw nothing();
            }
            for (Checkpoint one : chosen) {
                var found = open.all().inspect(one);
                var row = new Row(one, found, allowed);
                rows.add(row);
                if (!row.good()) {
                    open.tell(found.good() ? Happening.Level.WARNING : Happening.Level.ERROR, one.path(),
                            row.result() + ": " + String.join(", ", row.wrong()));
                }
            }
        }
        remember(session, rows.stream().filter(row -> Checkpoints.isNews(row.checkpoint(), row.found())).toList());
        boolean good = rows.stream().allMatch(Row::good);
        return new Outcome<>(Rows.of(COLUMNS, rows), good ? ExitCode.OK : ExitCode.INTEGRITY);
    }

    /** A job that saves and then verifies must not take nothing for success. */
    private CommandFailure nothing() {
        var message = run == null ? "volume '%s' has no checkpoints".formatted(volume)
                : "no checkpoint of run '%s' in volume '%s'".formatted(run, volume);
        return CommandFailure.of(ExitCode.NOT_FOUND, "CKP-0013", message).hint("volsh checkpoint list " + volume);
    }

    /**
     * Records the results for {@code list}, {@code latest} and {@code restore}. A read-only volume only gives a
     * warning.
     */
    private void remember(Session session, List<Row> news) throws Exception {
        if (news.isEmpty()) {
            return;
        }
        try (var open = OpenCheckpoints.writing(session, volume, "verify")) {
            for (var row : news) {
                open.all().remember(row.checkpoint(), row.found());
            }
        } catch (IOException unwritable) {
            session.warn("cannot record the result for 'volsh checkpoint list' and 'latest': "
                    + Diagnosis.of(unwritable).message());
        }
    }
}
