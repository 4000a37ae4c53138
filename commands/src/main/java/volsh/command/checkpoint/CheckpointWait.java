package volsh.command.checkpoint;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Mounts;
import volsh.mount.SaverStatus;
import volsh.unit.Span;

@Command(name = "wait", description = {"Wait until mounts have saved what they were asked to save in the background.",
        "What went wrong since somebody was told last fails this command. Exit 6 if the time is over before they are done."})
@Examples({"volsh checkpoint wait", "volsh checkpoint wait --timeout 30s -o json"})
final class CheckpointWait implements Action<Outcome<Rows<SaverStatus>>>, Tabular {
    private static final Duration EACH = Duration.ofMillis(500);

    @Parameters(arity = "0..1", paramLabel = "MOUNT", description = "Only this mount.")
    private Path mount;

    @Option(names = "--timeout", paramLabel = "TIME", description = "How long at most (default: as long as it takes).")
    private Span timeout;

    @Override
    public Columns<?> columns() {
        return CheckpointStatus.COLUMNS;
    }

    @Override
    public Outcome<Rows<SaverStatus>> run(Session session) throws Exception {
        var mounts = session.service(Mounts.class);
        long started = System.nanoTime();
        var places = CheckpointStatus.places(mounts, mount);
        while (true) {
            var rows = new ArrayList<SaverStatus>();
            for (Path place : places) {
                rows.addAll(mounts.awaitCheckpoints(place, EACH));
                session.cancellation().check();
            }
            boolean done = rows.stream().allMatch(SaverStatus::idle);
            if (done || timeout != null && System.nanoTime() - started > timeout.duration().toNanos()) {
                return new Outcome<>(Rows.of(CheckpointStatus.COLUMNS, List.copyOf(rows)), done ? ExitCode.OK : ExitCode.UNAVAILABLE);
            }
        }
    }
}
