package volsh.command.checkpoint;

import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
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
import volsh.unit.ByteSize;

@Command(name = "prune", description = {
        "Delete the checkpoints that no rule keeps, of one run or of each run separately.",
        "last=3 keeps the newest three; hourly=24, daily=7, weekly=4, monthly=12 the newest of each of that many"
                + " hours, days, weeks and months that have one; every=10000 those whose step is a multiple;"
                + " best=loss:min:2 the two with the least loss. A checkpoint stays if any rule keeps it. The newest"
                + " valid, latest, pinned and damaged checkpoints always stay.",
        "With -n it only shows what would be deleted, and why the others stay."})
@Examples({"volsh checkpoint prune training-data --run r1 --keep last=3,daily=7 -y",
        "volsh checkpoint prune training-data --keep last=1,best=loss:min:2 --dry-run"})
final class CheckpointPrune implements Mutation<Rows<Checkpoint>> {
    @Parameters(paramLabel = "VOLUME", description = "Volume of the runs.")
    private String volume;

    @Option(names = "--run", paramLabel = "RUN", description = "Prune only this run (default: all, each separately).")
    private @Nullable String run;

    @Option(names = "--keep", paramLabel = "RULES", required = true,
            description = "Keep these, such as last=3,daily=7.")
    private Retention keep;

    @Override
    public Columns<?> columns() {
        return CheckpointViews.COLUMNS;
    }

    private Collection<String> runs(OpenCheckpoints open) throws Exception {
        return run == null ? open.all().runs() : List.of(run);
    }

    private List<Checkpoint> spare(OpenCheckpoints open) throws Exception {
        var spare = new ArrayList<Checkpoint>();
        for (String one : runs(open)) {
            spare.addAll(open.all().spare(one, keep));
        }
        return spare;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        try (var open = OpenCheckpoints.reading(session, volume, "prune")) {
            for (String one : runs(open)) {
                explain(session, open, one);
            }
            var plan = Plan.NOTHING;
            for (Checkpoint one : spare(open)) {
                var manifest = one.manifest().orElseThrow();
                plan = plan.then("remove", volume + ":" + one.path(),
                        "%s, saved %s".formatted(new ByteSize(manifest.bytes()),
                                manifest.saved().truncatedTo(ChronoUnit.SECONDS)));
            }
            return plan;
        }
    }

    private void explain(Session session, OpenCheckpoints open, String one) throws Exception {
        var stays = open.all().reasons(one, keep);
        session.say("run '%s': %s".formatted(one,
                stays.isEmpty() ? "keeps nothing" : "keeps " + stays.entrySet().stream()
                .map(kept -> "%d (%s)".formatted(kept.getKey().step(), String.join(", ", kept.getValue())))
                .collect(Collectors.joining(", "))));
        for (String metric : open.all().unknownMetrics(one, keep)) {
            session.warn("no checkpoint of run '%s' has a metric '%s'; best=%s keeps none"
                    .formatted(one, metric, metric));
        }
    }

    @Override
    public Guard guard(Session session) throws Exception {
        try (var open = OpenCheckpoints.reading(session, volume, "prune")) {
            int count = spare(open).size();
            return count == 0 ? Guard.NONE : new Guard.Ask("remove %d %s of %s?".formatted(count,
                    count == 1 ? "checkpoint" : "checkpoints", run == null ? "all runs" : "run '%s'".formatted(run)));
        }
    }

    @Override
    public Rows<Checkpoint> run(Session session) throws Exception {
        try (var open = OpenCheckpoints.writing(session, volume, "prune")) {
            var spare = spare(open);
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
