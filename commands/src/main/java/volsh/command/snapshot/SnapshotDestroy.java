package volsh.command.snapshot;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.volume.Volumes;

@Command(name = "destroy", description = {"Delete snapshots.",
        "Readers of a snapshot continue. 'volsh volume gc' reclaims what only it kept."})
@Examples({"volsh snapshot destroy training-data@v1 training-data@v2 --dry-run",
        "volsh snapshot destroy training-data@v1 -y"})
final class SnapshotDestroy implements Mutation<Rows<SnapshotView>> {
    @Parameters(paramLabel = "VOLUME@NAME", arity = "1..*", description = "Snapshots to delete.")
    private List<String> words;

    @Override
    public Columns<?> columns() {
        return SnapshotView.COLUMNS;
    }

    private List<SnapshotView> found(Session session) throws Exception {
        var found = new ArrayList<SnapshotView>();
        for (String word : words) {
            var name = SnapshotName.of(word);
            found.add(new SnapshotView(name.volume(),
                    session.service(Volumes.class).snapshots().find(name.volume(), name.name())));
        }
        return found;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var plan = Plan.NOTHING;
        for (var one : found(session)) {
            plan = plan.then("destroy", "snapshot " + one, one.snapshot().label());
        }
        return plan;
    }

    @Override
    public Guard guard(Session session) throws Exception {
        var found = found(session);
        return new Guard.Ask(found.size() == 1 ? "destroy snapshot %s?".formatted(found.getFirst())
                : "destroy %d snapshots?".formatted(found.size()));
    }

    @Override
    public Rows<SnapshotView> run(Session session) throws Exception {
        var found = found(session);
        destroy(session, found);
        return Rows.of(SnapshotView.COLUMNS, found).told();
    }

    /** Destroys one after the other, and reports each. */
    static void destroy(Session session, List<SnapshotView> snapshots) throws Exception {
        for (var one : snapshots) {
            session.cancellation().check();
            session.service(Volumes.class).snapshots().destroy(one.volume(), one.snapshot().name());
            session.say("destroyed snapshot " + one);
        }
    }
}
