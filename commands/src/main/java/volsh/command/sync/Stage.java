package volsh.command.sync;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.VolumePath;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.file.AtOption;
import volsh.command.object.PlaceFlags;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.sync.SyncSettings;
import volsh.tree.CopySettings;
import volsh.tree.NewEntry;
import volsh.tree.Places;

@Command(name = "stage", description = {"Copy a directory of a volume or bucket to a fast local disk before a job.",
        "Copies what the local directory lacks, and returns when all of it is there; run again, it copies what"
                + " changed. With --verify every file, also one that was there before, is compared by its SHA-256."})
@Examples({"volsh stage training-data:/dataset ./fast/dataset --dry-run",
        "volsh stage training-data:/dataset ./fast/dataset --verify"})
final class Stage implements Mutation<Outcome<Rows<Synced>>> {
    private static final int PARALLEL = 8;

    @Parameters(index = "0", paramLabel = "VOL:/PATH", description = "Directory of a volume or bucket.")
    private String source;

    @Parameters(index = "1", paramLabel = "DIRECTORY", description = "Local directory; made if missing.")
    private String target;

    @Option(names = "--verify", description = "Compare every file with its original by SHA-256.")
    private boolean verify;

    @Mixin
    private PlaceFlags flags;

    @Mixin
    private AtOption at;

    private SyncRun sync() {
        if (Places.isUrl(target) || VolumePath.isOne(target)) {
            throw CommandFailure.usage("stage copies to a local directory, not to " + target)
                    .hint("volsh sync --help");
        }
        var copies = new CopySettings(PARALLEL, NewEntry.PART, Optional.empty(), verify, false);
        return new SyncRun(source, target, new SyncSettings(copies, false, false, SyncSettings.ALL), flags, at);
    }

    @Override
    public Columns<?> columns() {
        return Synced.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        return sync().plan(session, "stage");
    }

    @Override
    public Guard guard(Session session) throws Exception {
        return sync().guard(session);
    }

    @Override
    public @Nullable Outcome<Rows<Synced>> run(Session session) throws Exception {
        return sync().run(session, "stage", verify ? " --verify" : "");
    }
}
