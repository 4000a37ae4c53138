package volsh.command.shard;

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
import volsh.command.failure.CommandFailure;
import volsh.command.object.PlaceFlags;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.dataset.shards.SampleStream;

@Command(name = "read", description = {"Show the samples that a reader of a training job gets, in its order.",
        "Shuffles shards and samples as a loader with a shuffle buffer does; the same seed gives the same order. The"
                + " position of a row, given to --from, continues behind it. --resample goes on with the next epoch at"
                + " the end of one: set a --limit, or stop it with Ctrl-C. Contents are read with --contents only, and"
                + " shown as text where they are short, such as labels."})
@Examples({"volsh shard read shards --shuffle 100 --seed 7 --batch 8 -o jsonl",
        "volsh shard read 'training-data:/shards/train-{000000..000001}.tar' --rank 0 --world 2 --limit 10",
        "volsh shard read shards --shuffle 100 --seed 7 --from 5 --limit 5"})
final class ShardRead implements Action<Rows<SampleRow>>, Tabular {
    @Parameters(arity = "1..*", paramLabel = "SHARDS",
            description = "Files, patterns or directories: here, VOL:/PATH or s3://bucket/prefix.")
    private List<String> words;

    @Option(names = "--shuffle", paramLabel = "N",
            description = "Shuffle the shards, and draw samples from a buffer of this many (default: no shuffling).")
    private @Nullable Integer shuffle;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "0",
            description = "Shuffle with this seed (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--epoch", paramLabel = "N", defaultValue = "0",
            description = "Begin with this epoch; each has an order of its own (default: ${DEFAULT-VALUE}).")
    private long epoch;

    @Option(names = "--batch", paramLabel = "N", description = "Number the batches of this many samples.")
    private @Nullable Integer batch;

    @Option(names = "--resample", description = "Go on with the next epoch at the end of one, without an end.")
    private boolean resample;

    @Option(names = "--from", paramLabel = "POSITION", defaultValue = "0",
            description = "Leave out the samples before this position (default: ${DEFAULT-VALUE}).")
    private long from;

    @Option(names = "--limit", paramLabel = "N", description = "Show at most this many samples.")
    private @Nullable Long limit;

    @Option(names = "--contents", description = "Read every byte, and show short texts.")
    private boolean contents;

    @Option(names = "--rank", paramLabel = "N", defaultValue = "0",
            description = "Read as this rank, from 0 (default: ${DEFAULT-VALUE}).")
    private int rank;

    @Option(names = "--worker", paramLabel = "N", defaultValue = "0",
            description = "Read as this worker of the rank, from 0 (default: ${DEFAULT-VALUE}).")
    private int worker;

    @Mixin
    private ReaderOptions readers;

    @Mixin
    private FormatChoice format;

    @Mixin
    private PlaceFlags bucket = new PlaceFlags();

    @Override
    public Columns<?> columns() {
        return SampleRow.COLUMNS;
    }

    @Override
    public Rows<SampleRow> run(Session session) throws Exception {
        if (batch != null && batch < 1) {
            throw CommandFailure.usage("--batch must be at least 1");
        }
        readers.require(rank, worker);
        var settings = new SampleStream.Settings(shuffle == null ? 0 : shuffle, shuffle != null, seed, epoch, resample,
                readers.assignment(), rank, worker, format.options());
        var samples = OpenSamples.open(session, words, bucket, settings, from);
        var rows = new SampleRows(session, samples, batch == null ? 0 : batch, contents);
        return Rows.lazy(SampleRow.COLUMNS, rows.stream(limit == null ? Long.MAX_VALUE : limit));
    }
}
