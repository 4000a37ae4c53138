package volsh.command.shard;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.failure.ExitCode;
import volsh.command.object.PlaceFlags;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.dataset.shards.ShardCheck;
import volsh.dataset.shards.ShardCheck.Verdict;
import volsh.unit.ByteSize;
import volsh.unit.Count;

@Command(name = "verify", description = {"Read every byte of shards and check it.",
        "Checks the structure, the checksums of the format, of the index and of dataset.json, duplicate keys, and the"
                + " number of samples. Tar has no checksums of contents: only an index or dataset.json protects against"
                + " flipped bits.",
        "Names the shard and the offset of damage; exit 7 unless all shards are ok."})
@Examples({"volsh shard verify shards", "volsh shard verify 'training-data:/shards/train-*.tar' -o json"})
final class ShardVerify implements Action<Outcome<Rows<Verdict>>>, Tabular {
    private static final Columns<Verdict> COLUMNS = Columns.of(Verdict.class)
            .text("shard", verdict -> verdict.shard().shown())
            .text("result", verdict -> verdict.good() ? "ok" : "damaged")
            .text("format", verdict -> verdict.format().toLowerCase(Locale.ROOT))
            .number("samples", Verdict::samples)
            .bytes("size", verdict -> new ByteSize(verdict.bytes()))
            .number("offset", verdict -> verdict.good() || verdict.problems().getFirst().offset() < 0 ? null
                    : verdict.problems().getFirst().offset())
            .text("problems", verdict -> verdict.problems().stream().map(ShardCheck.Problem::text).toList());

    @Parameters(arity = "1..*", paramLabel = "SHARDS",
            description = "Files, patterns or directories: here, VOL:/PATH or s3://bucket/prefix.")
    private List<String> words;

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

    @Override
    public Outcome<Rows<Verdict>> run(Session session) throws Exception {
        try (var places = new DatasetPlaces(session, "verify", bucket)) {
            var shards = places.shards(words);
            long total = 0;
            for (var shard : shards) {
                total += shard.size();
            }
            List<Verdict> verdicts;
            try (var follow = new Follow(session, "verify", total)) {
                verdicts = new ShardCheck(format.options(), follow).checkAll(shards, threads.count());
            }
            var bad = new ArrayList<Verdict>();
            for (var verdict : verdicts) {
                if (!verdict.good()) {
                    bad.add(verdict);
                    var first = verdict.problems().getFirst();
                    session.warn("%s%s: %s".formatted(verdict.shard().shown(),
                            first.offset() < 0 || first.text().startsWith("damaged at offset ") ? ""
                                    : " at offset " + first.offset(), first.text()));
                }
            }
            session.say("%s, %s, %s".formatted(Count.of(verdicts.size(), "shard"),
                    Count.of(verdicts.stream().mapToLong(Verdict::samples).sum(), "sample"),
                    bad.isEmpty() ? "all ok" : bad.size() + " damaged"));
            return new Outcome<>(Rows.of(COLUMNS, verdicts), bad.isEmpty() ? ExitCode.OK : ExitCode.INTEGRITY);
        }
    }
}
