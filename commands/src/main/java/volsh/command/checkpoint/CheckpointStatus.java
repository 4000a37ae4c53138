package volsh.command.checkpoint;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Mounts;
import volsh.mount.SaverStatus;

@Command(name = "status", description = {"Show what mounts save in the background, run by run.",
        "SKIPPED counts steps that came while too many waited, FAILED what could not be saved."})
@Examples({"volsh checkpoint status", "volsh checkpoint status -o json"})
final class CheckpointStatus implements Action<Rows<SaverStatus>>, Tabular {
    static final Columns<SaverStatus> COLUMNS = Columns.of(SaverStatus.class)
            .text("run", SaverStatus::run)
            .text("mount", SaverStatus::mount)
            .number("running", SaverStatus::running)
            .number("waiting", SaverStatus::waiting)
            .number("last", SaverStatus::last)
            .number("saved", SaverStatus::saved)
            .number("skipped", SaverStatus::skipped)
            .number("failed", SaverStatus::failed)
            .text("error", SaverStatus::error);

    @Parameters(arity = "0..1", paramLabel = "MOUNT", description = "Only this mount.")
    private Path mount;

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<SaverStatus> run(Session session) throws Exception {
        var mounts = session.service(Mounts.class);
        var rows = new ArrayList<SaverStatus>();
        for (Path place : places(mounts, mount)) {
            rows.addAll(mounts.checkpoints(place));
        }
        return Rows.of(COLUMNS, rows);
    }

    static List<Path> places(Mounts mounts, Path one) throws Exception {
        return one != null ? List.of(one.toAbsolutePath().normalize())
                : mounts.list().stream().filter(status -> status.state() == Mounts.State.OK).map(status -> status.record().mountPoint()).toList();
    }
}
