package volsh.command.shard;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Listing;
import volsh.command.Session;
import volsh.command.object.PlaceFlags;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.dataset.shards.DatasetListing;
import volsh.unit.ByteSize;

@Command(name = "list", description = {"List shards with the number of their samples.",
        "Shards are named by file, by a pattern such as 'train-*.tar' or 'train-{000000..000127}.tar', or by their"
                + " directory. The number of samples comes from dataset.json or the index where there is one; otherwise"
                + " the shard is read."})
@Examples({"volsh shard list shards", "volsh shard list 'training-data:/shards/train-*.tar' -o json"})
final class ShardList implements Action<Rows<ShardList.Row>>, Listing {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("shard", Row::shard)
            .text("format", Row::format)
            .number("samples", Row::samples)
            .bytes("size", Row::size)
            .text("index", Row::index);

    @Parameters(arity = "1..*", paramLabel = "SHARDS",
            description = "Files, patterns or directories: here, VOL:/PATH or s3://bucket/prefix.")
    private List<String> words;

    @Mixin
    private FormatChoice format;

    @Mixin
    private PlaceFlags bucket = new PlaceFlags();

    record Row(String shard, String format, long samples, ByteSize size, boolean index) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        try (var places = new DatasetPlaces(session, "list", bucket)) {
            var rows = new ArrayList<Row>();
            var listing = new DatasetListing(format.options());
            for (var shard : places.shards(words)) {
                session.cancellation().check();
                try {
                    var found = listing.of(shard);
                    rows.add(new Row(shard.shown(), found.format().name().toLowerCase(Locale.ROOT), found.samples(),
                            new ByteSize(found.bytes()), found.indexed()));
                } catch (java.io.IOException failed) {
                    throw ShardProblem.in(shard, failed);
                }
            }
            return Rows.of(COLUMNS, rows);
        }
    }
}
