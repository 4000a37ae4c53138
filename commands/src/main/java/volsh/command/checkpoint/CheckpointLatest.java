package volsh.command.checkpoint;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.checkpoint.Checkpoint;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.render.Rows;

@Command(name = "latest", description = "Show the checkpoint to resume from: the last saved that is valid.")
@Examples({"volsh checkpoint latest training-data --run r1",
        "volsh checkpoint latest training-data --run r1 -o value:step"})
final class CheckpointLatest implements Action<Rows<Checkpoint>> {
    @Parameters(paramLabel = "VOLUME", description = "Volume of the run.")
    private String volume;

    @Option(names = "--run", paramLabel = "RUN", required = true, description = "Select the training run.")
    private String run;

    @Override
    public Rows<Checkpoint> run(Session session) throws Exception {
        try (var open = OpenCheckpoints.reading(session, volume, "latest")) {
            return Rows.one(CheckpointViews.COLUMNS, open.find(run, null));
        }
    }
}
