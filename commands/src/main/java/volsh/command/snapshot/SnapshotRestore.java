package volsh.command.snapshot;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import volsh.catalog.VolumePath;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.file.AtOption;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "restore", description = {"Restore a path, or a whole volume, from a snapshot or a time.",
        "Replaces the current state in one step, without copying data. A whole volume whose root has more than 40"
                + " names is restored name by name. The replaced state stays readable with --at if the volume keeps"
                + " history; else create a snapshot first."})
@Examples({"volsh snapshot restore training-data@v1:/dataset -y", "volsh snapshot restore training-data@v1 --dry-run",
        "volsh snapshot restore training-data:/dataset/labels.csv --at -2h -y"})
final class SnapshotRestore implements Mutation<Rows<Copy.Done>> {
    @Parameters(paramLabel = "VOL:/PATH",
            description = "State to restore: VOLUME@SNAPSHOT, VOLUME@SNAPSHOT:/path, or VOLUME:/path with --at.")
    private String place;

    @Mixin
    private AtOption at;

    @Override
    public Columns<?> columns() {
        return Copy.Done.COLUMNS;
    }

    private Copy copy(Session session) {
        var from = at.in(session, place.contains(":") ? VolumePath.of(place) : VolumePath.whole(place));
        if (from.moment().isEmpty()) {
            throw CommandFailure.usage("missing snapshot or time (try %s@SNAPSHOT:%s, or --at -2h)"
                    .formatted(from.volume(), from.path()))
                    .hint("volsh snapshot list " + from.volume());
        }
        return new Copy(from, new VolumePath(from.volume(), from.path()), true);
    }

    @Override
    public Plan plan(Session session) throws Exception {
        return copy(session).plan(session, "restore");
    }

    @Override
    public Guard guard(Session session) throws Exception {
        var copy = copy(session);
        copy.plan(session, "restore");   // a snapshot that does not exist is reported before anything is asked
        return new Guard.Ask("replace the current %s with %s?".formatted(copy.to(), copy.from()));
    }

    @Override
    public Rows<Copy.Done> run(Session session) throws Exception {
        var done = copy(session).run(session, "restore");
        session.say(Copy.told("restored", done));
        return Rows.one(Copy.Done.COLUMNS, done).told();
    }
}
