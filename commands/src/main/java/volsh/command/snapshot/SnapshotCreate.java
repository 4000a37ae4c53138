package volsh.command.snapshot;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Mounts;
import volsh.volume.Volumes;

@Command(name = "create", description = {"Create a snapshot of a volume.",
        "Takes an instant, however much the volume holds, and no space except for data changed or deleted later."
                + " Mounts of this machine first write out what they hold; a file open elsewhere is included as far"
                + " as it was written out.",
        "Every command that reads, and mount, accept VOLUME@NAME:/path."})
@Examples({"volsh snapshot create training-data@before-cleanup",
        "volsh snapshot create training-data@epoch-3 --label 'learning rate 1e-4'"})
final class SnapshotCreate implements Mutation<Rows<SnapshotView>> {
    @Parameters(paramLabel = "VOLUME@NAME",
            description = "Volume, and a name of letters, digits, dots, dashes and underscores.")
    private String word;

    @Option(names = "--label", paramLabel = "TEXT", defaultValue = "", description = "Set a free-text description.")
    private String label;

    @Override
    public Columns<?> columns() {
        return SnapshotView.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var wanted = SnapshotName.of(word);
        session.service(Volumes.class).snapshots().checkCreate(wanted.volume(), wanted.name());
        return Plan.of("create", "snapshot " + wanted, label);
    }

    @Override
    public Rows<SnapshotView> run(Session session) throws Exception {
        var wanted = SnapshotName.of(word);
        var volumes = session.service(Volumes.class);
        volumes.snapshots().checkCreate(wanted.volume(), wanted.name());
        session.service(Mounts.class).flush(wanted.volume());
        var made = new SnapshotView(wanted.volume(), volumes.snapshots().create(wanted.volume(), wanted.name(), label));
        session.say("created snapshot " + made);
        return Rows.one(SnapshotView.COLUMNS, made).told();
    }
}
