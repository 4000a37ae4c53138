package volsh.command.shard;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.object.PlaceFlags;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.dataset.shards.Unpacking;
import volsh.dataset.shards.Unpacking.Unpacked;
import volsh.unit.ByteSize;
import volsh.unit.Count;
import volsh.unit.Rate;
import volsh.unit.Span;

@Command(name = "unpack", description = {"Unpack shards into files KEY.FIELD.",
        "The last argument is the directory, which may be missing. Names that lead out of it, links and devices are"
                + " refused. A file appears when it is complete; existing files are refused unless --force is given."})
@Examples({"volsh shard unpack shards files", "volsh shard unpack 'training-data:/shards/*.tar' pictures --fields jpg",
        "volsh shard unpack shards/shard-000000.tar training-data:/files --dry-run"})
final class ShardUnpack implements Mutation<Rows<Unpacked>> {
    private static final Columns<Unpacked> COLUMNS = Columns.of(Unpacked.class)
            .number("samples", Unpacked::samples)
            .number("files", Unpacked::files)
            .bytes("size", done -> new ByteSize(done.bytes()));

    @Parameters(arity = "2..*", paramLabel = "SHARDS|DIRECTORY",
            description = "Shards (files, patterns, directories), then the directory to unpack to; each here, VOL:/PATH"
                    + " or s3://bucket/prefix.")
    private List<String> words;

    @Option(names = "--fields", paramLabel = "FIELD", split = ",",
            description = "Unpack only these fields (default: all).")
    private Set<String> fields = Set.of();

    @Option(names = "--force", description = "Overwrite existing files.")
    private boolean force;

    @Mixin
    private FormatChoice format;

    @Mixin
    private Threads threads;

    @Mixin
    private PlaceFlags bucket = new PlaceFlags();

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    private List<String> sources() {
        if (words.size() < 2) {
            throw CommandFailure.usage("missing directory: give the shards, then the directory to unpack to");
        }
        return words.subList(0, words.size() - 1);
    }

    @Override
    public Plan plan(Session session) throws Exception {
        try (var places = new DatasetPlaces(session, "unpack", bucket)) {
            var plan = Plan.NOTHING;
            var target = places.target(words.getLast()).shown("");
            for (var shard : places.shards(sources())) {
                plan = plan.then("unpack", "%s to %s".formatted(shard.shown(), target),
                        new ByteSize(shard.size()).toString());
            }
            return plan;
        }
    }

    @Override
    public Rows<Unpacked> run(Session session) throws Exception {
        var began = session.clock().instant();
        try (var places = new DatasetPlaces(session, "unpack", bucket, words.getLast())) {
            var shards = places.shards(sources());
            long total = 0;
            for (var shard : shards) {
                total += shard.size();
            }
            try (var follow = new Follow(session, "unpack", total)) {
                var done = new Unpacking(places.target(words.getLast()), fields, force, format.options(), follow)
                        .run(shards, threads.count());
                var took = Duration.between(began, session.clock().instant());
                session.say("unpacked %s into %s, %s in %s (%s)".formatted(Count.of(done.samples(), "sample"),
                        Count.of(done.files(), "file"), new ByteSize(done.bytes()),
                        new Span(took.truncatedTo(ChronoUnit.MILLIS)),
                        new Rate(Math.max(1, (long) (done.bytes() * 1e9 / Math.max(1, took.toNanos()))))));
                return Rows.one(COLUMNS, done).told();
            }
        }
    }
}
