package volsh.command.checkpoint;

import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.checkpoint.Checkpoint;
import volsh.checkpoint.Checkpoints;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "list", description = {"List checkpoints.",
        "STATE is valid if every file of the manifest exists with its size, and the last volsh checkpoint verify, which"
                + " reads them all, found no damage."})
@Examples({"volsh checkpoint list training-data", "volsh checkpoint list training-data --run r1 -o json"})
final class CheckpointList implements Action<Rows<Checkpoint>>, Listing {
    @Parameters(paramLabel = "VOLUME", description = "Volume of the runs.")
    private String volume;

    @Option(names = "--run", paramLabel = "RUN", description = "List only this run.")
    private String run;

    @Override
    public boolean labelled() {
        return true;
    }

    @Override
    public Columns<?> columns() {
        return CheckpointViews.COLUMNS;
    }

    @Override
    public Rows<Checkpoint> run(Session session) throws Exception {
        try (var open = OpenCheckpoints.reading(session, volume, "list")) {
            return Rows.of(CheckpointViews.COLUMNS,
                    open.all().list(Optional.ofNullable(run).map(Checkpoints::checkRun)));
        }
    }
}
