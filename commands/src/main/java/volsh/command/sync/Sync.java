package volsh.command.sync;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
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
                + " Ctrl-C or a kill, run it again to go on.",
        "A bucket keeps the time of a file with its object. Modes and times of directories are not compared; owners"
                + " and extended attributes are not copied (put, get and cp do)."})
@Examples({"volsh sync ./dataset training-data:/dataset --dry-run",
        "volsh sync ./dataset training-data:/dataset --delete",
        "volsh sync training-data:/dataset s3://training/backup --exclude '*.tmp' --limit 200MB/s",
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
    public @Nullable Outcome<Rows<Synced>> run(Session session) throws Exception {
        return sync().run(session, "sync", options.words());
    }
}
