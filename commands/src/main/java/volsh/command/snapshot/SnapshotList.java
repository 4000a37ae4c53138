package volsh.command.snapshot;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.command.volume.EachVolume;
import volsh.volume.Volumes;

@Command(name = "list", description = {"List the snapshots of volumes, oldest first.",
        "A volume that cannot be read gives a warning and exit 10; the others are listed."})
@Examples({"volsh snapshot list training-data", "volsh snapshot list -o json"})
final class SnapshotList implements Action<Outcome<Rows<SnapshotView>>>, Listing {
    @Parameters(paramLabel = "VOLUME", arity = "0..*", description = "Volumes (default: all).")
    private List<String> names = List.of();

    @Override
    public Columns<?> columns() {
        return SnapshotView.COLUMNS;
    }

    @Override
    public Outcome<Rows<SnapshotView>> run(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        var rows = new ArrayList<SnapshotView>();
        var code = EachVolume.ask(session, names,
                name -> volumes.snapshots().list(name).forEach(snapshot -> rows.add(new SnapshotView(name, snapshot))));
        return new Outcome<>(Rows.of(SnapshotView.COLUMNS, rows), code);
    }
}
