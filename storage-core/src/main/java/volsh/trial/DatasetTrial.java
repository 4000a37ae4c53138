package volsh.trial;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import volsh.assembly.CacheSettings;
import volsh.bench.Crew;
import volsh.bench.Measurement;
import volsh.bench.Task;
import volsh.bench.Terms;
import volsh.catalog.Access;
import volsh.dataset.BadSamples;
import volsh.dataset.DatasetDirectory;
import volsh.dataset.LocalDirectory;
import volsh.dataset.shards.PackObserver;
import volsh.dataset.shards.PackPlan;
import volsh.dataset.shards.PackSettings;
import volsh.dataset.shards.DatasetPacking;
import volsh.dataset.SampleTable;
import volsh.dataset.SourceLayout;
import volsh.dataset.SourceScan;
import volsh.dataset.VolumeDirectory;
import volsh.fs.FileKind;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.shard.FormatOptions;
import volsh.shard.ShardFormat;
import volsh.unit.ByteSize;
import volsh.upkeep.Watcher;
import volsh.vfs.PackingRules;
import volsh.vfs.Paths;
import volsh.vfs.Vfs;
import volsh.view.ViewMaking;
import volsh.volume.Volume;

/**
 * Reads one dataset in four layouts of the same volume: single files, tar shards, indexed records, and a view. An epoch
 * is cold, from an empty cache, and then warm. Files and records are read in random order; tar shards and views shard
 * by shard in random order and from front to back within, as WebDataset does.
 */
public final class DatasetTrial {
    private static final ByteSize CACHE = new ByteSize(256 * ByteSize.MIB);
    private static final String FILES = "/files";

    private final Terms terms;
    private final String manners;
    private final Path source;
    private final long samples;
    private List<RecordReads.Found> indexed = List.of();

    /** {@code terms.size()} limits what is taken of the source; {@code samples} are in a shard. */
    public DatasetTrial(Terms terms, String manners, Path source, long samples) {
        this.terms = terms;
        this.manners = manners;
        this.source = source;
        this.samples = samples;
    }

    /**
     * A measured epoch.
     *
     * @param gets  requests to the store
     * @param ratio how many times as fast as the same epoch over files
     */
    public record Epoch(Measurement measured, long gets, double ratio) {}

    private static final PackObserver SILENT = new PackObserver() {
        @Override
        public void packed(long bytes) {}

        @Override
        public void check() {}
    };

    public List<Epoch> run() throws IOException {
        try (var trial = new TrialVolumes(terms)) {
            trial.addStore("store", manners);
            trial.create(trial.draft("data").withStore("store").withBlockSize(new ByteSize(4 * ByteSize.MIB)));
            try (var volume = trial.open("data", Access.WRITE, CacheSettings.NONE)) {
                prepare(volume);
            }
            var epochs = new ArrayList<Epoch>();
            for (String layout : List.of("files", "tar", "indexed", "view")) {
                measure(trial, layout, epochs);
            }
            return epochs;
        }
    }

    private VolumeDirectory directory(Volume volume, String path) {
        return new VolumeDirectory(volume.vfs(), "bench", path, Owner.ROOT);
    }

    private void prepare(Volume volume) throws IOException {
        copy(volume);
        volume.pack(Vfs.ROOT, PackingRules.NOW, _ -> { }, Watcher.NONE);
        var bad = new BadSamples();
        var from = directory(volume, FILES);
        try (var files = new SourceScan(Optional.empty(), Optional.empty(), terms.stop()).scan(from, bad)) {
            var table = new SampleTable(files, from, SourceLayout.of(files), bad);
            new DatasetPacking(table, settings(ShardFormat.WEBDATASET), directory(volume, "/tar"), bad).run(SILENT);
            new DatasetPacking(table, settings(ShardFormat.RECORDS), directory(volume, "/indexed"), bad).run(SILENT);
            new ViewMaking(volume.vfs(), from, table, PackPlan.of(table, settings(ShardFormat.WEBDATASET)), SILENT, bad)
                    .run(volume.vfs(), directory(volume, "/view"), "/view", Owner.ROOT, "bench:/files", Instant.EPOCH);
        }
        indexed = RecordReads.all(directory(volume, "/indexed"));
        volume.sync();
    }

    private PackSettings settings(ShardFormat format) {
        return new PackSettings(format, FormatOptions.DEFAULT, OptionalLong.of(samples), OptionalLong.empty(),
                Map.of("shard", 1.0), false, terms.seed(), 1, 1, false, false);
    }

    /** Writes the user's samples one by one, as programs on a mount do. */
    private void copy(Volume volume) throws IOException {
        var from = new LocalDirectory(source);
        var to = directory(volume, FILES);
        long[] left = {terms.size().bytes()};
        from.walk(new DatasetDirectory.Visitor() {
            @Override
            public void file(String name, long size, long stamp, long handle) throws IOException {
                if (size > left[0] || terms.stop().getAsBoolean()) {
                    return;
                }
                left[0] -= size;
                try (var in = from.read(name, handle); var file = to.create(name)) {
                    in.transferTo(file.stream());
                    file.commit();
                }
                terms.progress().accept(size);
            }

            @Override
            public void unusable(String name, String reason) {
                // no sample
            }
        });
    }

    private void measure(TrialVolumes trial, String layout, List<Epoch> epochs) throws IOException {
        try (var volume = trial.open("data", Access.READ, CacheSettings.ofMemory(CACHE))) {
            for (String state : List.of("cold", "warm")) {
                if (terms.stop().getAsBoolean()) {
                    return;
                }
                long before = volume.traffic().gets();
                var phase = "%s %s".formatted(layout, state);
                var measured = new Crew(terms.threads(), terms).run(phase, 0, member -> part(volume, layout, member));
                double files = epochs.stream().filter(epoch -> epoch.measured().phase().equals("files " + state))
                        .mapToDouble(epoch -> epoch.measured().perSecond()).findFirst().orElse(measured.perSecond());
                epochs.add(new Epoch(measured, volume.traffic().gets() - before, measured.perSecond() / files));
            }
        }
    }

    private Task.Part part(Volume volume, String layout, int member) throws IOException {
        return switch (layout) {
            case "files" -> new FileReads(volume.vfs(), mine(files(volume), member));
            case "indexed" -> new RecordReads(directory(volume, "/indexed"), mine(new ArrayList<>(indexed), member));
            default -> new ShardReads(directory(volume, "/" + layout), mine(shards(volume, "/" + layout), member));
        };
    }

    /** The part of these, in random order, that a member reads. */
    private <T> List<T> mine(List<T> all, int member) {
        Collections.shuffle(all, new Random(terms.seed()));
        var mine = new ArrayList<T>();
        for (int i = member; i < all.size(); i += terms.threads()) {
            mine.add(all.get(i));
        }
        return mine;
    }

    private static List<String> shards(Volume volume, String path) throws IOException {
        var names = new ArrayList<String>();
        for (var entry : volume.vfs().list(new Paths(volume.vfs()).resolve(path).ino(), null, Integer.MAX_VALUE)) {
            if (entry.name().toString().endsWith(".tar")) {
                names.add(entry.name().toString());
            }
        }
        return names;
    }

    private static List<Long> files(Volume volume) throws IOException {
        var inos = new ArrayList<Long>();
        var directories = new ArrayList<>(List.of(new Paths(volume.vfs()).resolve(FILES).ino()));
        while (!directories.isEmpty()) {
            for (var entry : volume.vfs().list(directories.removeLast(), (Name) null, Integer.MAX_VALUE)) {
                (entry.kind() == FileKind.DIRECTORY ? directories : inos).add(entry.ino());
            }
        }
        return inos;
    }

    /** Reads whole files. */
    private static final class FileReads implements Task.Part {
        private final Vfs vfs;
        private final List<Long> inos;
        private int next;

        FileReads(Vfs vfs, List<Long> inos) {
            this.vfs = vfs;
            this.inos = inos;
        }

        @Override
        public long once() throws IOException {
            if (next == inos.size()) {
                return END;
            }
            try (var file = vfs.open(inos.get(next++))) {
                var bytes = ByteBuffer.allocate(Math.toIntExact(file.attributes().size()));
                while (bytes.hasRemaining() && file.read(bytes.position(), bytes) > 0) {
                    // until it is whole
                }
                return bytes.position();
            }
        }
    }
}
