package volsh.command.snapshot;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.catalog.Moment;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.transfer.Survey;
import volsh.vfs.Vfs;
import volsh.volume.OpeningRequest;
import volsh.volume.Volumes;

@Command(name = "show", description = {"Show a snapshot: when it was created, and what it holds.",
        "Counts its files, so a large snapshot takes a moment."})
@Examples({"volsh snapshot show training-data@v1", "volsh snapshot show training-data@v1 -o json"})
final class SnapshotShow implements Action<Rows<SnapshotShow.Shown>>, Tabular {
    @Parameters(paramLabel = "VOLUME@NAME", description = "Snapshot to show.")
    private String word;

    /** A snapshot with what it holds. */
    record Shown(SnapshotView view, long files, long bytes) {}

    private static final Columns<Shown> COLUMNS = Columns.of(Shown.class)
            .text("snapshot", shown -> shown.view().toString())
            .time("created", shown -> shown.view().snapshot().created())
            .text("label", shown -> shown.view().snapshot().label())
            .number("files", Shown::files)
            .bytes("used", Shown::bytes)
            .text("volume", shown -> shown.view().volume())
            .text("name", shown -> shown.view().snapshot().name())
            .number("tick", shown -> shown.view().snapshot().tick());

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Shown> run(Session session) throws Exception {
        var wanted = SnapshotName.of(word);
        var volumes = session.service(Volumes.class);
        var found = volumes.snapshots().find(wanted.volume(), wanted.name());
        var survey = new Survey(() -> session.cancellation().requested());
        try (var volume = volumes.open(OpeningRequest.past(wanted.volume(), new Moment.Named(wanted.name()),
                "snapshot show"))) {
            survey.add(volume.vfs(), volume.vfs().attributes(Vfs.ROOT));
        }
        session.cancellation().check();
        return Rows.one(COLUMNS, new Shown(new SnapshotView(wanted.volume(), found), survey.files(), survey.bytes()));
    }
}
