package volsh.command.volume;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.bench.CompressBench;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.console.Progress;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.dataset.DatasetDirectory;
import volsh.dataset.LocalDirectory;
import volsh.dataset.VolumeDirectory;
import volsh.fs.Owner;
import volsh.fs.ShellWord;
import volsh.plan.DatasetAdvice;
import volsh.plan.DatasetAdvice.Line;
import volsh.plan.SampleSizes;
import volsh.unit.ByteSize;
import volsh.unit.Count;
import volsh.unit.Rate;
import volsh.volume.OpeningRequest;
import volsh.volume.Volumes;

@Command(name = "advise", description = {"Look at a dataset and say which settings and shards suit it, and why.",
        "Counts the files by size, compresses some of them with every codec, and recommends block size, inline limit,"
                + " compression and shards. Changes nothing. Names that begin with a dot are left out."})
@Examples({"volsh volume advise dataset --batch 256", "volsh volume advise training-data:/dataset -o json"})
final class VolumeAdvise implements Action<Rows<Line>>, Tabular {
    private static final Columns<Line> COLUMNS = Columns.of(Line.class)
            .text("topic", Line::topic)
            .text("advice", Line::advice)
            .text("reason", Line::reason);
    private static final int SAMPLED_FILES = 200;
    private static final int SAMPLED_EACH = 1 << 20;
    private static final int SAMPLED_BYTES = 32 << 20;

    @Parameters(paramLabel = "DIRECTORY|VOL:/PATH", description = "Directory with the dataset.")
    private String place;

    @Option(names = "--batch", paramLabel = "N", defaultValue = "256",
            description = "Assume batches of this many samples (default: ${DEFAULT-VALUE}).")
    private int batch;

    @Option(names = "--rate", paramLabel = "RATE", defaultValue = "200MB/s",
            description = "Demand this rate of a compression on one core (default: ${DEFAULT-VALUE}).")
    private Rate rate;

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Line> run(Session session) throws Exception {
        if (batch < 1) {
            throw CommandFailure.usage("--batch must be at least 1");
        }
        if (!VolumePath.isOne(place)) {
            if (!Files.isDirectory(Path.of(place))) {
                throw CommandFailure.of(ExitCode.NOT_FOUND, "FS-0002", place + ": no such directory");
            }
            return advise(session, new LocalDirectory(Path.of(place)));
        }
        var path = VolumePath.of(place);
        var volumes = session.service(Volumes.class);
        try (var volume = path.moment().isPresent()
                ? volumes.open(OpeningRequest.past(path.volume(), path.moment().get(), "advise"))
                : volumes.open(path.volume(), Access.READ, "advise")) {
            return advise(session, new VolumeDirectory(volume.vfs(), path.source(), path.path(), Owner.ROOT));
        }
    }

    /** A file to try compressions on. */
    private record Chosen(String name, long handle) {}

    private Rows<Line> advise(Session session, DatasetDirectory directory) throws Exception {
        var sizes = new SampleSizes();
        var chosen = new ArrayList<Chosen>();
        try (var progress = session.progressOfItems("files", -1)) {
            directory.walk(new Scan(session, sizes, chosen, progress));
        }
        if (sizes.files() == 0) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "VOL-0030", place + ": no files");
        }
        var best = compression(session, directory, chosen);
        var advice = new DatasetAdvice(sizes, batch, best.compression(), best.ratio());
        var lines = new ArrayList<Line>();
        for (var bin : sizes.bins()) {
            lines.add(new Line("files %s to %s".formatted(bin.from(), bin.to()), Count.of(bin.files(), "file"),
                    String.format(Locale.ROOT, "%.1f%% of the files, %s", 100.0 * bin.files() / sizes.files(),
                            bin.bytes())));
        }
        lines.addAll(advice.lines());
        session.say("%s: %s, %s, %s on average, %s at most".formatted(place, Count.of(sizes.files(), "file"),
                new ByteSize(sizes.bytes()), new ByteSize(sizes.mean()), new ByteSize(sizes.largest())));
        tellCommands(session, advice);
        return Rows.of(COLUMNS, lines);
    }

    private void tellCommands(Session session, DatasetAdvice advice) {
        boolean stored = VolumePath.isOne(place);
        if (!stored) {
            session.say("volsh volume create data --block-size %s --inline %s --compression %s".formatted(
                    new ByteSize(advice.blockBytes()).exact(), new ByteSize(advice.inlineBytes()).exact(),
                    advice.compression()));
        }
        session.say(stored ? "volsh shard view create %s --samples %d --as %s:/.views/train".formatted(
                ShellWord.of(place), advice.samplesPerShard(), VolumePath.of(place).volume())
                : "volsh shard pack %s data:/shards --samples %d".formatted(ShellWord.of(place),
                        advice.samplesPerShard()));
    }

    /** Counts all files, and chooses some at random to look into: the same ones each time. */
    private static final class Scan implements DatasetDirectory.Visitor {
        private final Session session;
        private final SampleSizes sizes;
        private final List<Chosen> chosen;
        private final Progress progress;
        private final Random random = new Random(1);

        Scan(Session session, SampleSizes sizes, List<Chosen> chosen, Progress progress) {
            this.session = session;
            this.sizes = sizes;
            this.chosen = chosen;
            this.progress = progress;
        }

        @Override
        public void file(String name, long size, long stamp, long handle) {
            session.cancellation().check();
            sizes.add(size);
            progress.add(1);
            if (size == 0) {
                return;
            }
            if (chosen.size() < SAMPLED_FILES) {
                chosen.add(new Chosen(name, handle));
            } else {
                long other = random.nextLong(sizes.files());
                if (other < SAMPLED_FILES) {
                    chosen.set((int) other, new Chosen(name, handle));
                }
            }
        }

        @Override
        public void unusable(String name, String reason) {
            // no sample
        }
    }

    private CompressBench.Row compression(Session session, DatasetDirectory directory, List<Chosen> chosen)
            throws IOException {
        var blocks = new ArrayList<ByteBuffer>();
        long left = SAMPLED_BYTES;
        for (var file : chosen) {
            session.cancellation().check();
            try (InputStream in = directory.read(file.name(), file.handle())) {
                var bytes = in.readNBytes((int) Math.min(left, SAMPLED_EACH));
                if (bytes.length > 0) {
                    blocks.add(ByteBuffer.allocateDirect(bytes.length).put(bytes).flip());
                    left -= bytes.length;
                }
            } catch (IOException unreadable) {
                session.warn("%s cannot be read: %s".formatted(directory.shown(file.name()), unreadable.getMessage()));
            }
        }
        if (blocks.isEmpty()) {
            return new CompressBench.Row("none", new ByteSize(1), new ByteSize(1), 1, 1);
        }
        var rows = CompressBench.run(blocks, session.cancellation()::requested, _ -> { });
        session.cancellation().check();
        return CompressBench.recommended(rows, (double) rate.bytesPerSecond());
    }
}
