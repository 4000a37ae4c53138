package volsh.command.checkpoint;

import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.checkpoint.CheckpointDifference;
import volsh.checkpoint.CheckpointDifference.Kind;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.Count;

@Command(name = "diff", description = {"Show which files and tensors differ between two checkpoints, and by how much.",
        "Safetensors and torch files are compared tensor by tensor. CHANGED is the number of bytes that differ;"
                + " LARGEST is the largest difference between two numbers, where a file declares its number type (inf"
                + " where a number became NaN). Unchanged entries are omitted unless --all is given."})
@Examples({"volsh checkpoint diff training-data --run r1 1000 2000",
        "volsh checkpoint diff training-data --run r1 1000 2000 --all -o json"})
final class CheckpointDiff implements Action<Rows<CheckpointDifference>>, Listing {
    private static final Columns<CheckpointDifference> COLUMNS = Columns.of(CheckpointDifference.class)
            .text("path", CheckpointDifference::path)
            .text("tensor", CheckpointDifference::tensor)
            .text("kind", one -> one.kind().name().toLowerCase(Locale.ROOT))
            .bytes("before", one -> one.before() < 0 ? null : one.before())
            .bytes("after", one -> one.after() < 0 ? null : one.after())
            .bytes("changed", CheckpointDifference::changed)
            .number("largest", CheckpointDiff::largest);

    @Parameters(index = "0", paramLabel = "VOLUME", description = "Volume of the run.")
    private String volume;

    @Parameters(index = "1", paramLabel = "A", description = "Step of the first checkpoint.")
    private long first;

    @Parameters(index = "2", paramLabel = "B", description = "Step of the second checkpoint.")
    private long second;

    @Option(names = "--run", paramLabel = "RUN", required = true, description = "Select the training run.")
    private String run;

    @Option(names = "--with-run", paramLabel = "RUN",
            description = "Take the second checkpoint from this run (default: the same run).")
    private String other;

    @Option(names = "--all", description = "Include unchanged files.")
    private boolean all;

    /** Infinite if one of the two numbers is NaN or infinite. */
    private static Object largest(CheckpointDifference one) {
        return Double.isNaN(one.largest()) ? null : Double.isInfinite(one.largest()) ? "inf" : (Object) one.largest();
    }

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<CheckpointDifference> run(Session session) throws Exception {
        try (var open = OpenCheckpoints.reading(session, volume, "diff")) {
            var differences = open.all().diff(open.find(run, first), open.find(other == null ? run : other, second));
            List<CheckpointDifference> shown = differences.stream().filter(one -> all || one.kind() != Kind.SAME)
                    .toList();
            long files = differences.stream().filter(one -> one.tensor().isEmpty() && one.kind() != Kind.SAME).count();
            long tensors = differences.stream().filter(one -> !one.tensor().isEmpty() && one.kind() != Kind.SAME)
                    .count();
            session.say(files == 0 ? "the checkpoints are identical"
                    : "%s and %s differ".formatted(Count.of(files, "file"), Count.of(tensors, "tensor")));
            return Rows.of(COLUMNS, shown);
        }
    }
}
