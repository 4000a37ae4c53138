package volsh.command.shard;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.object.PlaceFlags;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.dataset.shards.Indexing;

@Command(name = "index", description = {"Write an index beside WebDataset shards that have none.",
        "The index, SHARD.idx, says where each sample and field lies, so that one ranged read gets it, with a checksum"
                + " for verify. NVIDIA DALI reads it, too. volsh shard pack writes it by itself; an existing index is"
                + " replaced."})
@Examples({"volsh shard index shards --dry-run", "volsh shard index 'training-data:/shards/*.tar'"})
final class ShardIndexCommand implements Mutation<Rows<ShardIndexCommand.Row>> {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("shard", Row::shard)
            .number("samples", Row::samples);

    @Parameters(arity = "1..*", paramLabel = "SHARDS",
            description = "Files, patterns or directories: here, VOL:/PATH or s3://bucket/prefix.")
    private List<String> words;

    @Mixin
    private FormatChoice format;

    @Mixin
    private PlaceFlags bucket = new PlaceFlags();

    record Row(String shard, long samples) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        try (var places = new DatasetPlaces(session, "index", bucket)) {
            var plan = Plan.NOTHING;
            for (var shard : places.shards(words)) {
                plan = plan.then("index", shard.shown(), shard.shown() + ".idx");
            }
            return plan;
        }
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        var rows = new ArrayList<Row>();
        try (var places = new DatasetPlaces(session, "index", bucket, words.getFirst())) {
            for (var word : words) {
                requireSameVolume(word);
            }
            var shards = places.shards(words);
            long total = 0;
            for (var shard : shards) {
                total += shard.size();
            }
            try (var follow = new Follow(session, "index", total)) {
                for (var shard : shards) {
                    try {
                        rows.add(new Row(shard.shown(), new Indexing(format.options(), follow).index(shard)));
                    } catch (IOException failed) {
                        throw ShardProblem.in(shard, failed);
                    }
                }
            }
        }
        return Rows.of(COLUMNS, rows);
    }

    private void requireSameVolume(String word) {
        if (!DatasetPlaces.volumeOf(word).equals(DatasetPlaces.volumeOf(words.getFirst()))) {
            throw CommandFailure.usage("%s and %s are in different volumes: index them one by one".formatted(
                    words.getFirst(), word));
        }
    }
}
