package volsh.command.file;

import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import volsh.catalog.VolumePath;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.RelativePaths;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.object.PlaceFlags;
import volsh.command.object.TreeTransfer;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.ShellWord;

@Command(name = "put", description = {"Copy local files into a volume or a bucket.",
        "The last argument is the target. An existing directory receives the files under their own names; otherwise"
                + " the target names the single copy. A trailing slash requires an existing directory. DIR/. and ."
                + " stand for the contents of the directory.",
        "A file appears when it is complete, replacing the file of that name, so an interrupted put leaves no partial"
                + " file; when put is done, everything survives power loss. Modes and times are kept, links stay"
                + " links (a link named here is followed unless -r is given), existing directories stay as they are.",
        "Large files go to a bucket in parts, several at a time; repeating a put that was interrupted continues with"
                + " the parts that the bucket has.",
        "A file that cannot be read, or that changes while it is read, is reported and skipped, and the exit code is"
                + " 10."})
@Examples({"volsh put -r dataset training-data:/", "volsh put model.pt notes.txt training-data:/",
        "volsh put model.pt training-data:/latest.pt", "volsh put -r run-7 s3://training/runs/ --checksum",
        "volsh put -r dataset/. training-data:/dataset --dry-run"})
final class PutCommand implements Mutation<Outcome<Rows<Moved>>>, RelativePaths {
    @Parameters(index = "0..*", paramLabel = "LOCAL|VOL:/PATH", arity = "1..*",
            description = "Local files and directories, or - for standard input, then the target in a volume.")
    private List<String> operands;

    @Mixin
    private TransferOptions options;

    @Mixin
    private PlaceFlags s3;

    private Transfer transfer() {
        if (TreeTransfer.isMeant(operands, s3)) {
            return new TreeTransfer(operands, options, s3, new AtOption(), false);
        }
        options.requireNoneOfBuckets();
        var sources = Operand.sources(operands).stream().map(Operand::of).toList();
        for (var source : sources) {
            if (source instanceof Operand.Stored stored) {
                throw CommandFailure.usage("the source of put is a local file, not " + stored)
                        .hint("volsh cp -r " + ShellWord.of(List.of(stored, operands.getLast())))
                        .hint("write a local file with a colon in its name as " + ShellWord.of("./" + stored));
            }
        }
        return new Inward(sources, target(operands.getLast()), options);
    }

    private static VolumePath target(String word) {
        if (Operand.of(word) instanceof Operand.Stored(var path)) {
            return path;
        }
        Operand.requireNoBareName(word);
        throw CommandFailure.usage("'%s' is not a path in a volume (the target comes last, as volume:/path)"
                .formatted(word))
                .hint("volsh volume list");
    }

    @Override
    public boolean inVolume(int index, int count, Predicate<String> given) {
        return index > 0 && index == count - 1;
    }

    @Override
    public Columns<?> columns() {
        return Moved.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        return transfer().plan(session);
    }

    @Override
    public Guard guard(Session session) throws Exception {
        return transfer().guard(session);
    }

    @Override
    public @Nullable Outcome<Rows<Moved>> run(Session session) throws Exception {
        return transfer().run(session, "put");
    }
}
