package volsh.command.snapshot;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.checkpoint.Retention;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.volume.Volumes;

@Command(name = "prune", description = {"Delete the snapshots of a volume that no rule keeps.",
        "last=3 keeps the newest three; hourly=24, daily=14, weekly=8, monthly=12 the newest of each of that many"
                + " hours, days, weeks and months that have one (in UTC). A snapshot stays if any rule keeps it. With"
                + " -n it only shows what would be deleted."})
@Examples({"volsh snapshot prune training-data --keep daily=14,weekly=8 -y",
        "volsh snapshot prune training-data --keep last=3 --prefix auto- --dry-run"})
final class SnapshotPrune implements Mutation<Rows<SnapshotView>> {
    @Parameters(paramLabel = "VOLUME", description = "Volume to prune.")
    private String volume;

    @Option(names = "--keep", paramLabel = "RULES", required = true,
            description = "Keep these, such as daily=14,weekly=8.")
    private Retention keep;

    @Option(names = "--prefix", paramLabel = "TEXT", defaultValue = "",
            description = "Prune only snapshots whose names begin with this.")
    private String prefix;

    @Override
    public Columns<?> columns() {
        return SnapshotView.COLUMNS;
    }

    private List<SnapshotView> spare(Session session) throws Exception {
        var newestFirst = session.service(Volumes.class).snapshots().list(volume).stream()
                .filter(snapshot -> snapshot.name().startsWith(prefix))
                .map(snapshot -> new SnapshotView(volume, snapshot)).toList().reversed();
        return keep.spare(newestFirst, view -> view.snapshot().created());
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var plan = Plan.NOTHING;
        for (var one : spare(session)) {
            plan = plan.then("destroy", "snapshot " + one, one.snapshot().label());
        }
        return plan;
    }

    @Override
    public Guard guard(Session session) throws Exception {
        int count = spare(session).size();
        return count == 0 ? Guard.NONE : new Guard.Ask("destroy %d snapshots of volume '%s'?".formatted(count, volume));
    }

    @Override
    public Rows<SnapshotView> run(Session session) throws Exception {
        var spare = spare(session);
        if (spare.isEmpty()) {
            session.say("nothing to destroy: the rules keep every snapshot of volume '%s'".formatted(volume));
        }
        SnapshotDestroy.destroy(session, spare);
        return Rows.of(SnapshotView.COLUMNS, spare).told();
    }
}
