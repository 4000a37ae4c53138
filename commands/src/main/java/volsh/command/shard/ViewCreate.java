package volsh.command.shard;

import java.io.IOException;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.VolumePath;
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
import volsh.dataset.shards.PackPlan;
import volsh.dataset.shards.PackSettings;
import volsh.fs.Owner;
import volsh.fs.ShellWord;
import volsh.shard.FormatOptions;
import volsh.shard.ShardFormat;
import volsh.unit.ByteSize;
import volsh.unit.Count;
import volsh.upkeep.Watcher;
import volsh.vfs.Composition;
import volsh.vfs.PackingRules;
import volsh.view.ShardView;
import volsh.view.ViewDirectory;
import volsh.view.ViewMaking;

@Command(name = "create", description = {"Show a directory of small files as tar shards, without copying them.",
        "The shards are WebDataset archives, byte for byte what 'shard pack' writes. They are files of the volume like"
                + " any other, on mounts and for 'get' and 'cat', but their samples are blocks that they share with the"
                + " files: only headers and labels are stored. They stay as they are when the files change or are"
                + " removed. With a snapshot as the source, they show its state.",
        "Small files that were written one by one are stored together first, as 'volume compact' does; files of a"
                + " snapshot stay as they are. The logical size of the shards counts for quotas."})
@Examples({"volsh shard view create training-data:/dataset --samples 1000 --as training-data:/.views/train",
        "volsh shard view create training-data@v1:/dataset --size 256MiB --as training-data:/.views/v1"})
final class ViewCreate implements Mutation<Outcome<Rows<ViewCreate.Created>>> {
    private static final long SAMPLES = 1000;

    static final Columns<Created> COLUMNS = Columns.of(Created.class)
            .text("view", Created::view)
            .text("source", row -> row.made().source())
            .number("samples", row -> row.made().samples())
            .number("shards", row -> row.made().shards().size())
            .bytes("size", row -> new ByteSize(row.made().bytes()))
            .bytes("stored", row -> new ByteSize(row.made().stored()))
            .text("created", row -> row.made().created());

    @Parameters(paramLabel = "VOL:/PATH", description = "Directory with the samples, in a volume or a snapshot of it.")
    private String source;

    @Option(names = "--as", paramLabel = "VOL:/PATH", required = true,
            description = "Directory for the shards, in the same volume.")
    private String target;

    @Option(names = "--samples", paramLabel = "N",
            description = "Limit a shard to this many samples (default: 1000, unless --size is given).")
    private @Nullable Long samples;

    @Option(names = "--size", paramLabel = "SIZE", description = "Limit a shard to this size, such as 256MiB.")
    private @Nullable ByteSize size;

    @Mixin
    private SourceOptions sourceOptions;

    record Created(String view, ShardView made) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    private VolumePath into() {
        if (samples != null && samples < 1 || size != null && size.bytes() < 1) {
            throw CommandFailure.usage("a shard holds at least 1 sample and 1 byte");
        }
        var path = VolumePath.of(target).present();
        var from = VolumePath.of(source);
        if (!path.volume().equals(from.volume())) {
            throw CommandFailure.usage("a view shares the blocks of its files, so it must be in the same volume: %s is"
                    .formatted(target) + " in another one")
                    .hint("volsh shard pack %s %s".formatted(ShellWord.of(source), ShellWord.of(target)));
        }
        var root = from.path().endsWith("/") ? from.path() : from.path() + "/";
        if (path.path().equals("/") || (path.path() + "/").startsWith(root)
                && !path.path().substring(root.length() - 1).contains("/.")) {
            throw CommandFailure.usage("%s is the source or within it: a view would show itself".formatted(target))
                    .hint("volsh shard view create %s --as %s".formatted(ShellWord.of(source),
                            ShellWord.of(path.at("/.views/"
                                    + path.path().substring(path.path().lastIndexOf('/') + 1)))));
        }
        return path;
    }

    private PackSettings settings(VolumePath path) {
        var most = size != null && samples == null ? OptionalLong.empty()
                : OptionalLong.of(samples == null ? SAMPLES : samples);
        var bytes = size == null ? OptionalLong.empty() : OptionalLong.of(size.bytes());
        var name = path.path().substring(path.path().lastIndexOf('/') + 1);
        return new PackSettings(ShardFormat.WEBDATASET, FormatOptions.DEFAULT, most, bytes, Map.of(name, 1.0), false, 0,
                1, 1, false, false);
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var path = into();
        var found = new BadSamples();
        try (var places = new DatasetPlaces(session, "view", new PlaceFlags());
                var scanned = Source.scan(session, places, source, sourceOptions, found)) {
            requireFree(places, path);
            var plan = PackPlan.of(scanned.table(), settings(path));
            return plan.shards().isEmpty() ? Plan.NOTHING : Plan.of("create", "view " + path, "%s in %s".formatted(
                    Count.of(scanned.table().count(), "sample"), Count.of(plan.shards().size(), "shard")));
        }
    }

    /** What a killed 'view create' left is replaced; a view, or anything else, is not. */
    private void requireFree(DatasetPlaces places, VolumePath path) throws IOException {
        var directory = places.target(target);
        if (ShardView.in(directory).isPresent()) {
            throw CommandFailure.of(ExitCode.CONFLICT, "SHARD-0020", path + " is a view already")
                    .hint("volsh shard view remove " + ShellWord.of(path));
        }
        var strangers = new ViewDirectory(directory).strangers();
        if (!strangers.isEmpty()) {
            throw CommandFailure.of(ExitCode.CONFLICT, "SHARD-0021", "%s is not empty: it holds '%s'".formatted(path,
                    strangers.getFirst())).hint("volsh ls " + ShellWord.of(path));
        }
    }

    @Override
    public Outcome<Rows<Created>> run(Session session) throws Exception {
        var path = into();
        var found = new BadSamples();
        try (var places = new DatasetPlaces(session, "view", new PlaceFlags(), target)) {
            requireFree(places, path);
            packFirst(session, places);
            try (var scanned = Source.scan(session, places, source, sourceOptions, found)) {
                var table = scanned.table();
                if (table.count() == 0) {
                    throw CommandFailure.of(ExitCode.NOT_FOUND, "SHARD-0004", source + ": no samples")
                            .detail("left out: " + found.summary());
                }
                session.say("%s: %s in %s, %s".formatted(source, Count.of(table.count(), "sample"),
                        Count.of(table.files(), "file"), table.layout().meaning()));
                var made = make(session, places, path, scanned, found);
                for (var one : found.first()) {
                    session.warn("%s: %s; left out".formatted(one.name(), one.reason()));
                }
                session.say("created view %s: %s of %s, of which %s are stored".formatted(path,
                        Count.of(made.shards().size(), "shard"), new ByteSize(made.bytes()),
                        new ByteSize(made.stored())));
                return new Outcome<>(Rows.one(COLUMNS, new Created(path.toString(), made)).told(),
                        found.count() > 0 ? ExitCode.PARTIAL : ExitCode.OK);
            }
        }
    }

    private void packFirst(Session session, DatasetPlaces places) throws IOException {
        var from = VolumePath.of(source);
        if (from.moment().isPresent() || !places.isDirectory(source)) {
            return;
        }
        var volume = places.volume(from);
        var packed = volume.pack(volume.paths().resolve(from.path()).ino(), PackingRules.NOW, bytes -> {},
                new Watcher() {
                    @Override
                    public boolean cancelled() {
                        return session.cancellation().requested();
                    }
                });
        session.cancellation().check();
        if (packed.packed() > 0) {
            session.say("stored %s together first".formatted(Count.of(packed.packed(), "small file")));
        }
    }

    private ShardView make(Session session, DatasetPlaces places, VolumePath path, Source scanned, BadSamples found)
            throws Exception {
        var plan = PackPlan.of(scanned.table(), settings(path));
        long total = 0;
        for (int i = 0; i < scanned.table().count(); i++) {
            total += scanned.table().size(i);
        }
        try (var follow = new Follow(session, "view", total)) {
            return new ViewMaking(places.volume(VolumePath.of(source)).vfs(), places.directory(source), scanned.table(),
                    plan, follow, found).run(places.volume(path).vfs(), places.target(target), path.path(),
                            session.service(Owner.class), VolumePath.of(source).toString(), session.clock().instant());
        } catch (IOException failed) {
            if (failed.getCause() instanceof Composition.ChangedFileException) {
                throw CommandFailure.of(ExitCode.CONFLICT, "SHARD-0022", failed.getMessage())
                        .hint("volsh snapshot create %s@before-view".formatted(path.volume()));
            }
            throw failed;
        }
    }
}
