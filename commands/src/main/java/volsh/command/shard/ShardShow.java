package volsh.command.shard;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.object.PlaceFlags;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.shard.Field;
import volsh.shard.UnfitSampleException;
import volsh.unit.ByteSize;

@Command(name = "show", description = {"Show the samples of a shard.",
        "OFFSET and LENGTH are the range of bytes to read for one sample."})
@Examples({"volsh shard show shards/shard-000000.tar",
        "volsh shard show training-data:/shards/train-000000.tar --limit 10 -o jsonl"})
final class ShardShow implements Action<Rows<ShardShow.Row>>, Tabular {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("key", Row::key)
            .text("fields", Row::fields)
            .bytes("size", Row::size)
            .number("offset", Row::offset)
            .number("length", Row::length);

    @Parameters(paramLabel = "SHARD", description = "Shard: here, VOL:/PATH or s3://bucket/key.")
    private String word;

    @Option(names = "--limit", paramLabel = "N", description = "Show at most this many samples (default: all).")
    private @Nullable Long limit;

    @Mixin
    private FormatChoice format;

    @Mixin
    private PlaceFlags bucket = new PlaceFlags();

    record Row(String key, List<String> fields, ByteSize size, long offset, long length) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        try (var places = new DatasetPlaces(session, "show", bucket)) {
            var shard = places.one(word);
            try (var open = shard.open(format.options())) {
                var rows = new ArrayList<Row>();
                long most = limit == null ? Long.MAX_VALUE : limit;
                while (rows.size() < most) {
                    session.cancellation().check();
                    try {
                        var sample = open.reader().next();
                        if (sample == null) {
                            break;
                        }
                        var position = open.reader().position();
                        rows.add(new Row(sample.key(), sample.fields().stream().map(Field::name).toList(),
                                new ByteSize(sample.size()), position.offset(), position.length()));
                    } catch (UnfitSampleException odd) {
                        session.warn("%s: %s".formatted(shard.shown(), odd.getMessage()));
                    }
                }
                return Rows.of(COLUMNS, rows);
            } catch (IOException failed) {
                throw ShardProblem.in(shard, failed);
            }
        }
    }
}
