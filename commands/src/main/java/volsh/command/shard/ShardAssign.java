package volsh.command.shard;

import java.util.ArrayList;
import java.util.List;
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
import volsh.dataset.shards.ShardAssignment;
import volsh.dataset.shards.ShardFile;

@Command(name = "assign", description = {"List the shards that one reader of a training job gets, in its order.",
        "A reader is a worker of a rank. All readers together get every shard once, and their numbers differ by at most"
                + " one. --paths prints paths within the volume, which volsh prefetch --order takes. With -v, shows the"
                + " line of Python that computes the same from the sorted list shards."})
@Examples({"volsh shard assign shards --rank 1 --world 2",
        "volsh shard assign training-data:/shards --rank 3 --world 4 --worker 2 --workers 8 --shuffle --seed 7",
        "volsh shard assign training-data:/shards --shuffle --seed 7 --paths -o name"})
final class ShardAssign implements Action<Rows<ShardAssign.Row>>, Tabular {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("shard", Row::shard)
            .number("number", Row::number);

    @Parameters(arity = "1..*", paramLabel = "SHARDS",
            description = "Files, patterns or directories: here, VOL:/PATH or s3://bucket/prefix.")
    private List<String> words;

    @Option(names = "--rank", paramLabel = "N", defaultValue = "0",
            description = "The rank, from 0 (default: ${DEFAULT-VALUE}).")
    private int rank;

    @Option(names = "--worker", paramLabel = "N", defaultValue = "0",
            description = "The worker of the rank, from 0 (default: ${DEFAULT-VALUE}).")
    private int worker;

    @Option(names = "--shuffle", description = "Shuffle the shards before they are shared out.")
    private boolean shuffle;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "0",
            description = "Shuffle with this seed (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--epoch", paramLabel = "N", defaultValue = "0",
            description = "The epoch; each has an order of its own (default: ${DEFAULT-VALUE}).")
    private long epoch;

    @Option(names = "--paths", description = "Print paths within the volume, without its name.")
    private boolean paths;

    @Mixin
    private ReaderOptions readers;

    @Mixin
    private PlaceFlags bucket = new PlaceFlags();

    record Row(String shard, int number) {}

    private record Numbered(ShardFile shard, int number) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        var assignment = readers.assignment();
        readers.require(rank, worker);
        try (var places = new DatasetPlaces(session, "assign", bucket)) {
            var found = places.shards(words);
            var numbered = new ArrayList<Numbered>();
            for (int i = 0; i < found.size(); i++) {
                numbered.add(new Numbered(found.get(i), i));
            }
            var order = shuffle ? ShardAssignment.epoch(numbered, seed, epoch) : numbered;
            session.detail("python: " + assignment.python(rank, worker, shuffle, seed, epoch));
            return Rows.of(COLUMNS, assignment.of(order, rank, worker).stream()
                    .map(one -> new Row(shown(one.shard().shown()), one.number())).toList());
        }
    }

    private String shown(String name) {
        return paths && DatasetPlaces.isStored(name) ? name.substring(name.indexOf(':') + 1) : name;
    }
}
