package volsh.command.file;

import java.util.List;
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
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.object.PlaceFlags;
import volsh.command.object.TreeTransfer;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "cp", description = {"Copy files between volumes, buckets and local files, and within them.",
        "Within a bucket the server copies. Within a volume no data is copied, however large the file: the copy"
                + " shares the stored blocks until either file changes. The last argument is the target: an existing"
                + " directory receives the copies under their own names; otherwise it names the single copy. Copies"
                + " appear complete, with their modes and times, and within and between volumes with their owners."})
@Examples({"volsh cp -r training-data:/dataset training-data:/v1",
        "volsh cp training-data:/dataset/a.tar training-data:/dataset/b.tar -v",
                "volsh cp model.pt training-data:/dataset/",
        "volsh cp -r s3://training/shards training-data:/ --parallel 16"})
final class Cp implements Mutation<Outcome<Rows<Moved>>> {
    @Parameters(index = "0..*", paramLabel = "VOL:/PATH|LOCAL", arity = "1..*",
            description = "Files to copy, then the target.")
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
        var sources = Operand.sources(operands).stream().map(Operand::of).toList();
        var target = Operand.of(operands.getLast());
        boolean stored = sources.stream().allMatch(Operand.Stored.class::isInstance);
        if (!stored && sources.stream().anyMatch(Operand.Stored.class::isInstance)) {
            throw CommandFailure.usage("cannot copy local files and files of volumes in one command; use two");
        }
        if (target instanceof Operand.Stored(var place)) {
            return stored ? new Across(paths(session, sources), place, options) : new Inward(sources, place, options);
        }
        if (!stored) {
            throw CommandFailure.usage("cp needs a path in a volume, such as volume:/path").hint("volsh volume list");
        }
        return new Outward(paths(session, sources), target, options);
    }

    private List<VolumePath> paths(Session session, List<Operand> operands) {
        return operands.stream().map(operand -> at.in(session, ((Operand.Stored) operand).path())).toList();
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
        return transfer(session).run(session, "cp");
    }
}
