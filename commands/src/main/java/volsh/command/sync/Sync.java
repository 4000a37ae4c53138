package volsh.command.sync;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.file.AtOption;
import volsh.command.object.PlaceFlags;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "sync", description = {"Make a directory, volume or bucket the same as another.",
        "Copies files that the target lacks, or has with another size or modification time. Both are places of any"
                + " kind: VOL:/PATH, s3://BUCKET/KEY, STORE://KEY or a local directory. Files appear complete: after"
                + " Ctrl-C or a kill, run it again to go on, also within large files.",
        "Within a volume, also out of a snapshot, nothing is copied: files share their blocks. Between volumes, only"
                + " blocks that the target does not have are stored.",
        "A bucket keeps the time of a file with its object, and no links. Hard links become files of their own, sparse"
                + " files are written in full. Modes and times of directories are not compared; owners and extended"
                + " attributes are not copied (put, get and cp do).",
        "-n lists what would be copied and removed; with --exit-code, its exit code is 20 unless there is nothing to"
                + " do."})
@Examples({"volsh sync ./dataset training-data:/dataset --dry-run",
        "volsh sync ./dataset training-data:/dataset --delete",
        "volsh sync training-data:/dataset s3://training/backup --exclude '*.tmp' --limit 200MB/s",
        "volsh sync training-data@v1:/dataset training-data:/old-dataset",
        "volsh sync ./dataset training-data:/dataset --dry-run --exit-code",
        "volsh sync training-data:/dataset ./copy --checksum"})
final class Sync implements Mutation<Outcome<Rows<Synced>>> {
    @Parameters(index = "0", paramLabel = "FROM", description = "Directory to take files from: of any place.")
    private String source;

    @Parameters(index = "1", paramLabel = "TO", description = "Directory to change, of any place; made if missing.")
    private String target;

    @Mixin
    private SyncOptions options;

    @Mixin
    private PlaceFlags flags;

    @Mixin
    private AtOption at;

    private SyncRun sync() {
        return new SyncRun(source, target, options.settings(), flags, at);
    }

    @Override
    public Columns<?> columns() {
        return Synced.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        return sync().plan(session, "sync");
    }

    @Override
    public Guard guard(Session session) throws Exception {
        return sync().guard(session);
    }

    @Override
    public @Nullable Outcome<Rows<Synced>> run(Session session) throws Exception {
        return sync().run(session, "sync", options.words());
    }
}
