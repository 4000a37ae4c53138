package volsh.command.shard;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.catalog.VolumePath;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.object.PlaceFlags;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.dataset.DatasetDirectory;
import volsh.unit.ByteSize;
import volsh.view.ShardView;

@Command(name = "show", description = {"Show a view: its source, and each of its shards."})
@Examples({"volsh shard view show training-data:/.views/train"})
final class ViewShow implements Action<Rows<ViewShow.Row>>, Tabular {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("shard", row -> row.shard().name())
            .number("samples", row -> row.shard().samples())
            .bytes("size", row -> new ByteSize(row.shard().bytes()))
            .text("state", Row::state);

    @Parameters(paramLabel = "VOL:/PATH", description = "Directory of the view.")
    private String place;

    record Row(ShardView.Shard shard, String state) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    /** The view in this directory. */
    static ShardView find(DatasetDirectory directory, String place) throws Exception {
        return ShardView.in(directory).orElseThrow(() -> CommandFailure.of(ExitCode.NOT_FOUND, "SHARD-0023",
                place + ": no view").hint("volsh shard view list " + VolumePath.of(place).volume()));
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        try (var places = new DatasetPlaces(session, "view", new PlaceFlags())) {
            var directory = places.directory(VolumePath.of(place).toString());
            var view = find(directory, place);
            session.say("%s shows %s as of %s: %d samples, %s".formatted(place, view.source(), view.created(),
                    view.samples(), view.layout()));
            session.say("%s, of which %s are stored, the rest is shared with the files".formatted(
                    new ByteSize(view.bytes()), new ByteSize(view.stored())));
            var rows = new java.util.ArrayList<Row>();
            for (var shard : view.shards()) {
                var size = directory.size(shard.name());
                rows.add(new Row(shard, size.isEmpty() ? "missing"
                        : size.getAsLong() == shard.bytes() ? "ok" : "changed"));
            }
            return Rows.of(COLUMNS, rows);
        }
    }
}
