package volsh.command.checkpoint;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.checkpoint.Checkpoint;
import volsh.checkpoint.Retention;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.event.Happening;

@Command(name = "prune", description = {"Remove the checkpoints of a run that no rule keeps.",
        "last=3 keeps the newest three; hourly=24, daily=7, weekly=4, monthly=12 the newest of each of that many hours, days, weeks and months"
                + " that have one; every=10000 those whose step is a multiple; best=loss:min:2 the two with the least loss. What any rule keeps stays."
                + " The newest valid one, latest, pinned and damaged ones always stay.",
        "With -n it only says what would go."})
@Examples({"volsh checkpoint prune training-data --run r1 --keep last=3,daily=7 -y", "volsh checkpoint prune training-data --run r1 --keep last=1,best=loss:min:2 --dry-run"})
final class CheckpointPrune implements Mutation<Rows<Checkpoint>> {
    @Parameters(paramLabel = "VOLUME", description = "The volume.")
    private String volume;

    @Option(names = "--run", paramLabel = "RUN", required = true, description = "The training run.")
    private String run;

    @Option(names = "--keep", paramLabel = "RULES", required = true, description = "What to keep, such as last=3,daily=7.")
    private Retention keep;

    @Override
    public Columns<?> columns() {
        return CheckpointViews.COLUMNS;
    }

    private List<Checkpoint> spare(Session session) throws Exception {
        try (var open = OpenCheckpoints.reading(session, volume, "prune")) {
            return open.all().spare(run, keep);
        }
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var plan = Plan.NOTHING;
        for (Checkpoint one : spare(session)) {
            plan = plan.then("remove", volume + ":" + one.path(), "");
        }
        return plan;
    }

    @Override
    public Guard guard(Session session) throws Exception {
        int count = spare(session).size();
        return count == 0 ? Guard.NONE : new Guard.Ask("remove %d checkpoints of run '%s'?".formatted(count, run));
    }

    @Override
    public Rows<Checkpoint> run(Session session) throws Exception {
        try (var open = OpenCheckpoints.writing(session, volume, "prune")) {
            var spare = open.all().spare(run, keep);
            for (Checkpoint one : spare) {
                session.cancellation().check();
                open.all().destroy(one);
                open.tell(Happening.Level.INFO, one.path(), "removed");
                session.say("removed %s:%s".formatted(volume, one.path()));
            }
            return Rows.of(CheckpointViews.COLUMNS, spare).told();
        }
    }
}
