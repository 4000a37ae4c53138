package volsh.command.checkpoint;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.checkpoint.Checkpoint;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.event.Happening;

@Command(name = "destroy", description = {"Delete a checkpoint.",
        "If latest pointed to it, latest then points to the newest valid checkpoint left."})
@Examples("volsh checkpoint destroy training-data --run r1 --step 1000 -y")
final class CheckpointDestroy implements Mutation<Rows<Checkpoint>> {
    @Parameters(paramLabel = "VOLUME", description = "Volume of the run.")
    private String volume;

    @Option(names = "--run", paramLabel = "RUN", required = true, description = "Select the training run.")
    private String run;

    @Option(names = "--step", paramLabel = "N", required = true, description = "Select the step.")
    private long step;

    @Override
    public Columns<?> columns() {
        return CheckpointViews.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        try (var open = OpenCheckpoints.reading(session, volume, "destroy")) {
            return Plan.of("remove", "%s:%s".formatted(volume, open.find(run, step).path()), "");
        }
    }

    @Override
    public Guard guard(Session session) {
        return new Guard.Ask("remove step %d of run '%s'?".formatted(step, run));
    }

    @Override
    public Rows<Checkpoint> run(Session session) throws Exception {
        try (var open = OpenCheckpoints.writing(session, volume, "destroy")) {
            var found = open.find(run, step);
            open.all().destroy(found);
            open.tell(Happening.Level.INFO, found.path(), "removed");
            session.say("removed %s:%s".formatted(volume, found.path()));
            return Rows.one(CheckpointViews.COLUMNS, found).told();
        }
    }
}
