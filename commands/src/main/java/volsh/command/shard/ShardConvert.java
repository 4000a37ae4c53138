package volsh.command.shard;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.object.PlaceFlags;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.dataset.BadSamples;
import volsh.dataset.shards.DatasetPacking.PackedShard;
import volsh.dataset.shards.PackObserver;
import volsh.dataset.shards.ShardConversion;
import volsh.shard.ShardFormat;
import volsh.unit.ByteSize;
import volsh.unit.Count;

@Command(name = "convert", description = {"Convert shards to another format.",
        "Each shard becomes one shard with the same samples in the same order. Samples that the format cannot hold are"
                + " reported and left out, and the exit code is 10."})
@Examples({"volsh shard convert shards records --to records",
        "volsh shard convert 'training-data:/shards/train-*.tar' training-data:/tfrecords --to tfrecord --dry-run"})
final class ShardConvert implements Mutation<Outcome<Rows<PackedShard>>> {
    private static final Columns<PackedShard> COLUMNS = Columns.of(PackedShard.class)
            .text("shard", PackedShard::name)
            .number("samples", PackedShard::samples)
            .bytes("size", shard -> new ByteSize(shard.bytes()));

    @Parameters(arity = "2..*", paramLabel = "SHARDS|DIRECTORY",
            description = "Shards (files, patterns, directories), then the new directory; each here, VOL:/PATH or"
                    + " s3://bucket/prefix.")
    private List<String> words;

    @Option(names = "--to", paramLabel = "FORMAT", required = true,
            description = "Write webdataset, tfrecord, mds, records, tokens or mmap.")
    private ShardFormat format;

    @Option(names = "--force", description = "Replace existing shards.")
    private boolean force;

    @Mixin
    private FormatChoice choice;

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
            throw CommandFailure.usage("missing directory: give the shards, then the directory for the new ones");
        }
        return words.subList(0, words.size() - 1);
    }

    private ShardConversion conversion(DatasetPlaces places, PackObserver observer, BadSamples bad) throws Exception {
        return new ShardConversion(places.target(words.getLast()), format, choice.options(), choice.options(),
                observer, bad);
    }

    @Override
    public Plan plan(Session session) throws Exception {
        try (var places = new DatasetPlaces(session, "convert", bucket);
                var follow = new Follow(session, "convert", -1)) {
            var plan = Plan.NOTHING;
            var shards = places.shards(sources());
            var names = conversion(places, follow, new BadSamples()).names(shards);
            for (int i = 0; i < names.size(); i++) {
                plan = plan.then("convert", "%s to %s".formatted(shards.get(i).shown(),
                        places.target(words.getLast()).shown(names.get(i))), "");
            }
            return plan;
        }
    }

    @Override
    public Outcome<Rows<PackedShard>> run(Session session) throws Exception {
        try (var places = new DatasetPlaces(session, "convert", bucket, words.getLast())) {
            var shards = places.shards(sources());
            long total = 0;
            for (var shard : shards) {
                total += shard.size();
            }
            var bad = new BadSamples();
            try (var follow = new Follow(session, "convert", total)) {
                var done = conversion(places, follow, bad).run(shards, threads.count(), force);
                for (var one : bad.first()) {
                    session.warn(one.name().isEmpty() ? one.reason() + "; left out"
                            : "%s: %s; left out".formatted(one.name(), one.reason()));
                }
                session.say("converted %s in %s, %s".formatted(Count.of(done.samples(), "sample"),
                        Count.of(done.shards().size(), "shard"), new ByteSize(done.bytes())));
                return new Outcome<>(Rows.of(COLUMNS, done.shards()).told(),
                        bad.count() > 0 ? ExitCode.PARTIAL : ExitCode.OK);
            }
        }
    }
}
