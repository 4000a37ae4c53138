package volsh.command.shard;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
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
import volsh.dataset.shards.DatasetPacking;
import volsh.dataset.shards.DatasetPacking.PackedShard;
import volsh.dataset.shards.PackSettings;
import volsh.shard.ShardFormat;
import volsh.unit.ByteSize;
import volsh.unit.Count;
import volsh.unit.Rate;
import volsh.unit.Span;

@Command(name = "pack", description = {"Pack many small files into few shards.",
        "The source is a directory, here, in a volume or in a bucket, - for a list of files on standard input, or a"
                + " manifest (.csv, .tsv or .jsonl with columns path, label, key; others go into the field json of a"
                + " sample). Files in class directories (ImageFolder) get a field cls with the number of the class, and"
                + " classes.json says which is which; elsewhere files with the same name up to the first dot are one"
                + " sample.",
        "Shards have the same bytes for the same source, options and seed. A shard appears when it is complete, with"
                + " its index (.idx) beside it; after an interruption, the same command continues. dataset.json, the"
                + " last file, lists all shards with their samples and checksums.",
        "Samples that cannot be packed (empty, unreadable, with a key that exists already) are reported and left out,"
                + " and the exit code is 10."})
@Examples({"volsh shard pack dataset shards --samples 1000 --shuffle --seed 42",
        "volsh shard pack dataset training-data:/shards --split train=0.9,val=0.1 --shuffle --dry-run",
        "volsh shard pack training-data:/dataset large-shards --size 500MiB --workers 8 --world 4",
        "volsh shard pack dataset s3://bucket/shards --dry-run"})
final class ShardPack implements Mutation<Outcome<Rows<PackedShard>>> {
    private static final Columns<PackedShard> COLUMNS = Columns.of(PackedShard.class)
            .text("shard", PackedShard::name)
            .text("split", PackedShard::split)
            .number("samples", PackedShard::samples)
            .bytes("size", shard -> new ByteSize(shard.bytes()));
    private static final double TOLERANCE = 1e-6;
    private static final long DEFAULT_SIZE = 256 * ByteSize.MIB;

    @Parameters(index = "0", paramLabel = "SOURCE",
            description = "Directory (here, VOL:/PATH or s3://bucket/prefix), manifest, or - for a list.")
    private String source;

    @Parameters(index = "1", paramLabel = "TARGET",
            description = "Directory for the shards: here, VOL:/PATH or s3://bucket/prefix.")
    private String target;

    @Option(names = "--format", paramLabel = "FORMAT", defaultValue = "webdataset",
            description = "Write webdataset, tfrecord, mds, records, tokens or mmap (default: ${DEFAULT-VALUE}).")
    private ShardFormat format;

    @Option(names = "--samples", paramLabel = "N", description = "Put at most this many samples into a shard.")
    private @Nullable Long samples;

    @Option(names = "--size", paramLabel = "SIZE",
            description = "Limit the size of a shard (default: 256MiB, unless --samples is given).")
    private @Nullable ByteSize size;

    @Option(names = "--split", paramLabel = "NAME=SHARE", split = ",",
            description = "Draw splits of these shares, such as train=0.9,val=0.1 (default: one, named shard).")
    private Map<String, Double> splits = new LinkedHashMap<>();

    @Option(names = "--shuffle", description = "Shuffle the samples (default: the order of their keys).")
    private boolean shuffle;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "0",
            description = "Draw splits and the order of samples with this seed (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--workers", paramLabel = "N", defaultValue = "1",
            description = "Make a number of shards that this many loader workers of each rank can share evenly"
                    + " (default: ${DEFAULT-VALUE}).")
    private int workers;

    @Option(names = "--world", paramLabel = "N", defaultValue = "1",
            description = "The number of ranks, for --workers (default: ${DEFAULT-VALUE}).")
    private int world;

    @Option(names = "--bad", paramLabel = "skip|fail", defaultValue = "skip",
            description = "Leave out bad samples, or fail (default: ${DEFAULT-VALUE}).")
    private BadPolicy bad;

    @Option(names = "--force", description = "Replace a dataset, or an unfinished one, in the target.")
    private boolean force;

    @Mixin
    private SourceOptions sourceOptions;

    @Mixin
    private FormatChoice formatChoice;

    @Mixin
    private Threads threads;

    @Mixin
    private PlaceFlags bucket = new PlaceFlags();

    /** What happens to samples that cannot be packed. */
    enum BadPolicy { SKIP, FAIL }

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    private PackSettings settings() {
        if (workers < 1 || world < 1 || (long) workers * world > 1_000_000) {
            throw CommandFailure.usage("--workers and --world must be at least 1, and their product at most 1000000");
        }
        if (samples != null && samples < 1 || size != null && size.bytes() < 1) {
            throw CommandFailure.usage("a shard holds at least 1 sample and 1 byte");
        }
        double sum = splits.values().stream().mapToDouble(Double::doubleValue).sum();
        if (sum > 1 + TOLERANCE) {
            throw CommandFailure.usage("the shares of --split add up to %s, which is more than 1".formatted(sum));
        }
        for (var split : splits.keySet()) {
            if (!split.matches("[A-Za-z0-9][A-Za-z0-9_.-]*")) {
                throw CommandFailure.usage("'%s' is not a name for a split".formatted(split));
            }
        }
        var bytes = size != null ? OptionalLong.of(size.bytes())
                : samples == null ? OptionalLong.of(DEFAULT_SIZE) : OptionalLong.empty();
        return new PackSettings(format, formatChoice.options(),
                samples == null ? OptionalLong.empty() : OptionalLong.of(samples), bytes, splits, shuffle, seed,
                workers * world, threads.count(), bad == BadPolicy.FAIL, force);
    }

    @Override
    public Plan plan(Session session) throws Exception {
        DatasetPlaces.requireApart(source, target);
        sourceOptions.forFormat(format, formatChoice.raw());
        var found = new BadSamples();
        try (var places = new DatasetPlaces(session, "pack", bucket);
                var scanned = Source.scan(session, places, source, sourceOptions, found)) {
            var packing = new DatasetPacking(scanned.table(), settings(), places.target(target), found);
            refuse(scanned, found);
            var plan = Plan.NOTHING;
            for (var split : packing.plan().splits()) {
                var shards = packing.plan().of(split);
                plan = plan.then("write", "%s to %s".formatted(Count.of(shards.size(), "shard"),
                        places.target(target).shown("")), "%s, %s to %s".formatted(
                        Count.of(shards.stream().mapToLong(shard -> shard.samples()).sum(), "sample"),
                        shards.getFirst().name(), shards.getLast().name()));
            }
            return plan;
        }
    }

    @Override
    public Outcome<Rows<PackedShard>> run(Session session) throws Exception {
        var settings = settings();
        DatasetPlaces.requireApart(source, target);
        sourceOptions.forFormat(format, formatChoice.raw());
        var began = session.clock().instant();
        var found = new BadSamples();
        try (var places = new DatasetPlaces(session, "pack", bucket, target);
                var scanned = Source.scan(session, places, source, sourceOptions, found)) {
            var into = places.target(target);
            var table = scanned.table();
            session.say("%s: %s in %s, %s".formatted(source, Count.of(table.count(), "sample"),
                    Count.of(table.files(), "file"), table.layout().meaning()));
            if (!found.ignored().isEmpty()) {
                session.say("not in a class directory, and left out: " + String.join(", ", found.ignored()));
            }
            refuse(scanned, found);
            var packing = new DatasetPacking(table, settings, into, found);
            tellReaders(session, packing);
            try (var follow = new Follow(session, "pack", packing.bytes())) {
                var packed = packing.run(follow);
                tell(session, packed, packing, found, Duration.between(began, session.clock().instant()));
                return new Outcome<>(Rows.of(COLUMNS, packed.shards()).told(),
                        found.count() > 0 ? ExitCode.PARTIAL : ExitCode.OK);
            }
        }
    }

    /** Fails if there is nothing to pack, or a bad sample where none may be. */
    private void refuse(Source scanned, BadSamples found) {
        if (bad == BadPolicy.FAIL && found.count() > 0) {
            var first = found.first().getFirst();
            throw CommandFailure.of(ExitCode.FAILED, "SHARD-0010", "%s in %s cannot be packed: %s".formatted(
                    Count.of(found.count(), "file"), source, found.summary()))
                    .detail("%s: %s".formatted(first.name(), first.reason()));
        }
        if (scanned.table().count() == 0) {
            var failure = CommandFailure.of(ExitCode.NOT_FOUND, "SHARD-0004", source + ": no samples");
            throw found.count() == 0 ? failure : failure.detail("left out: " + found.summary());
        }
    }

    private void tellReaders(Session session, DatasetPacking packing) {
        int readers = workers * world;
        for (var split : readers > 1 ? packing.plan().splits() : java.util.List.<String>of()) {
            int shards = packing.plan().of(split).size();
            session.say(shards % readers == 0
                    ? "%s: %d shards for %d readers, %d each".formatted(split, shards, readers, shards / readers)
                    : "%s: %d shards for %d readers: %d of them read one shard more than the others".formatted(
                            split, shards, readers, shards % readers));
        }
    }

    private static void tell(Session session, DatasetPacking.Packed packed, DatasetPacking packing, BadSamples found,
            Duration took) {
        for (var one : found.first()) {
            session.warn("%s: %s; left out".formatted(one.name(), one.reason()));
        }
        if (found.count() > found.first().size()) {
            session.warn("left out in all: " + found.summary());
        }
        if (packing.plan().left() > 0) {
            session.say("%s in no split".formatted(Count.of(packing.plan().left(), "sample")));
        }
        if (packed.resumed() > 0) {
            session.say("%s of %d complete already".formatted(Count.of(packed.resumed(), "shard"),
                    packed.shards().size()));
        }
        long nanos = Math.max(1, took.toNanos());
        if (packed.resumed() == packed.shards().size()) {
            return;
        }
        session.say("packed %s into %s, %s in %s (%s)".formatted(Count.of(packed.samples(), "sample"),
                Count.of(packed.shards().size(), "shard"), new ByteSize(packed.bytes()),
                new Span(took.truncatedTo(ChronoUnit.MILLIS)),
                new Rate(Math.max(1, (long) (packed.bytes() * 1e9 / nanos)))));
    }
}
