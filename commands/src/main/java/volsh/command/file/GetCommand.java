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

@Command(name = "get", description = {"Copy files of volumes and buckets to local files.",
        "The last argument is the target; - is standard output. An existing directory receives the files under their"
                + " own names; otherwise the target names the single copy. A trailing slash requires an existing"
                + " directory. VOL:/ and VOL:/dir/. stand for their contents.",
        "A file appears when it is complete, replacing the file of that name, so an interrupted get leaves no partial"
                + " file. Modes and times are kept, links stay links (a link named here is followed unless -r is"
                + " given), existing directories stay as they are.",
        "Objects of buckets come in parts, several at a time; repeating a get that was interrupted continues with the"
                + " parts it has.",
        "A file that cannot be written is reported and skipped, and the exit code is 10; 7 if stored data is damaged."})
@Examples({"volsh get training-data:/dataset/a.tar a.tar", "volsh get -r training-data:/dataset copy",
        "volsh get training-data:/dataset/labels.csv -",
        "volsh get -r s3://training/shards shards --parallel 32 --part 64MiB",
        "volsh get -r training-data@v1:/dataset old-dataset",
        "volsh get training-data:/dataset/images/cat.jpg training-data:/dataset/images/dog.jpg dataset/ --dry-run"})
final class GetCommand implements Mutation<Outcome<Rows<Moved>>>, RelativePaths {
    @Parameters(index = "0..*", paramLabel = "VOL:/PATH|LOCAL", arity = "1..*",
            description = "Files and directories of volumes, then a local target, or - for standard output.")
    private List<String> operands;

    @Mixin
    private TransferOptions options;

    @Mixin
    private PlaceFlags s3;

    @Mixin
    private AtOption at;

    private Transfer transfer(Session session) {
        if (TreeTransfer.isMeant(operands, s3)) {
            return new TreeTransfer(operands, options, s3, at, false);
        }
        options.requireNoneOfBuckets();
        var target = Operand.of(operands.getLast());
        if (target instanceof Operand.Stored stored) {
            throw CommandFailure.usage("the target of get is a local file, not " + stored)
                    .hint("volsh cp -r " + ShellWord.of(operands))
                    .hint("write a local file with a colon in its name as " + ShellWord.of("./" + stored));
        }
        return new Outward(Operand.sources(operands).stream().map(GetCommand::source).map(path -> at.in(session, path))
                .toList(), target, options);
    }

    private static VolumePath source(String word) {
        if (Operand.of(word) instanceof Operand.Stored(var path)) {
            return path;
        }
        if (word.indexOf('@') > 0 && !word.contains("/")) {
            return VolumePath.of(word);
        }
        Operand.requireNoBareName(word);
        throw CommandFailure.usage("'%s' is not a path in a volume (write volume:/path; the local target comes last)"
                .formatted(word)).hint("volsh volume list");
    }

    @Override
    public boolean inVolume(int index, int count, Predicate<String> given) {
        return index == 0 || index < count - 1;
    }

    @Override
    public Columns<?> columns() {
        return Moved.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        return transfer(session).plan(session);
    }

    @Override
    public Guard guard(Session session) throws Exception {
        return transfer(session).guard(session);
    }

    @Override
    public @Nullable Outcome<Rows<Moved>> run(Session session) throws Exception {
        return transfer(session).run(session, "get");
    }
}
