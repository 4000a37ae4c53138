package volsh.command.shard;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.object.PlaceFlags;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.dataset.shards.DatasetListing;
import volsh.dataset.shards.DatasetListing.Listed;
import volsh.unit.ByteSize;
import volsh.unit.Count;

@Command(name = "plan", description = {"Show how shards divide among the ranks and workers of a training job.",
        "Each row is a reader. All together get every shard once; --pad and --drop make their numbers even, for equal"
                + " numbers of steps. Prints the line of Python that computes the same from the sorted list shards."})
@Examples({"volsh shard plan shards --workers 2 --world 2", "volsh shard plan training-data:/shards --world 4 --drop"})
final class ShardPlanCommand implements Action<Rows<ShardPlanCommand.Row>>, Tabular {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .number("rank", Row::rank)
            .number("worker", Row::worker)
            .number("shards", Row::shards)
            .number("samples", Row::samples)
            .bytes("size", Row::size);

    @Parameters(arity = "1..*", paramLabel = "SHARDS",
            description = "Files, patterns or directories: here, VOL:/PATH or s3://bucket/prefix.")
    private List<String> words;

    @Mixin
    private ReaderOptions readers;

    @Mixin
    private FormatChoice format;

    @Mixin
    private PlaceFlags bucket = new PlaceFlags();

    record Row(int rank, int worker, int shards, long samples, ByteSize size) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        var assignment = readers.assignment();
        var listed = new ArrayList<Listed>();
        try (var places = new DatasetPlaces(session, "plan", bucket)) {
            var listing = new DatasetListing(format.options());
            for (var shard : places.shards(words)) {
                session.cancellation().check();
                try {
                    listed.add(listing.of(shard));
                } catch (java.io.IOException failed) {
                    throw ShardProblem.in(shard, failed);
                }
            }
        }
        var rows = new ArrayList<Row>();
        for (int rank = 0; rank < assignment.world(); rank++) {
            for (int worker = 0; worker < assignment.workers(); worker++) {
                var own = assignment.of(listed, rank, worker);
                rows.add(new Row(rank, worker, own.size(), own.stream().mapToLong(Listed::samples).sum(),
                        new ByteSize(own.stream().mapToLong(Listed::bytes).sum())));
            }
        }
        tell(session, listed.size(), assignment.dealt(listed).size(), assignment.readers());
        session.say("python: shards = sorted(shards); " + assignment.python(0, 0, false, 0, 0)
                .replace("[0::", "[rank::").replace("][0::", "][worker::").replace("][rank::", "][worker::"));
        return Rows.of(COLUMNS, rows);
    }

    private static void tell(Session session, int shards, int dealt, int readers) {
        int rest = dealt % readers;
        var all = Count.of(shards, "shard");
        session.say(shards != dealt ? "%s for %d readers: %d %s".formatted(all, readers,
                Math.abs(dealt - shards), dealt > shards ? "given out twice" : "left out")
                : rest == 0 ? "%s for %d readers, %d each".formatted(all, readers, shards / readers)
                : "%s for %d readers: %d of them get %d, the others %d".formatted(all, readers, rest,
                        shards / readers + 1, shards / readers));
    }
}
