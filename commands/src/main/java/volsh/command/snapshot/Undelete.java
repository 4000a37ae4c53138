package volsh.command.snapshot;

import java.time.Instant;
import java.util.OptionalLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.file.AtOption;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.volume.Access;
import volsh.volume.Moment;
import volsh.volume.VolumePath;
import volsh.volume.Volumes;

@Command(name = "undelete", description = {"Restore a deleted file or a whole deleted directory.",
        "Restores the state just before the deletion, with --at the state at another time, without copying data. The"
                + " volume must keep history (retention), or a snapshot must have it."})
@Examples({"volsh undelete training-data:/dataset/labels.csv --to training-data:/dataset/labels.old",
        "volsh undelete training-data:/dataset/labels.csv", "volsh undelete training-data:/dataset --at -2h"})
final class Undelete implements Mutation<Rows<Copy.Done>> {
    @Parameters(paramLabel = "VOL:/PATH", description = "Deleted path.")
    private String place;

    @Option(names = "--inode", paramLabel = "INODE",
            description = "Restore the last state of this inode under the path, as `volsh history` names it (default:"
                    + " the last that had the path).")
    private Long inode;

    @Option(names = "--to", paramLabel = "VOL:/PATH",
            description = "Restore to another path of the volume (default: where it was).")
    private String to;

    @Mixin
    private AtOption at;

    @Override
    public Columns<?> columns() {
        return Copy.Done.COLUMNS;
    }

    private Copy copy(Session session) throws Exception {
        var path = at.in(session, VolumePath.of(place));
        if (path.moment().isPresent() && inode != null) {
            throw CommandFailure.usage("--inode names a state by itself: it does not go with --at");
        }
        var now = new VolumePath(path.volume(), path.path());
        return new Copy(path.moment().isPresent() ? path : path.at(lastSeen(session, now)), to == null ? now : VolumePath.of(to), false);
    }

    private Moment lastSeen(Session session, VolumePath path) throws Exception {
        try (var volume = session.service(Volumes.class).open(path.volume(), Access.NAMES, "undelete")) {
            var name = volume.paths().place(path.path());
            if (name.found().isPresent() && (to == null || inode == null)) {
                throw CommandFailure.of(ExitCode.CONFLICT, "FS-0017", path + ": it is there")
                        .hint("volsh history " + path).hint("make it what it was: volsh snapshot restore %s --at TIME".formatted(path));
            }
            var versions = volume.versions();
            var seen = inode == null ? versions.lastSeen(name.directory(), name.name()) : versions.lastSeen(name.directory(), name.name(), inode);
            if (seen.isEmpty()) {
                throw notKept(path);
            }
            var time = Instant.ofEpochSecond(seen.get().tick());
            return seen.get().removed() ? new Moment.Removed(time, inode == null ? OptionalLong.empty() : OptionalLong.of(inode)) : new Moment.Time(time);
        } catch (FsException refused) {
            if (refused.error() != FsError.NO_ENTRY) {
                throw refused;
            }
            int last = path.path().replaceAll("/+$", "").lastIndexOf('/');
            throw CommandFailure.of(ExitCode.NOT_FOUND, "FS-0002", path + ": its directory is gone, too")
                    .hint("volsh undelete " + path.at(last <= 0 ? "/" : path.path().substring(0, last)));
        }
    }

    private CommandFailure notKept(VolumePath path) {
        return inode == null
                ? CommandFailure.of(ExitCode.NOT_FOUND, "FS-0002", path + ": nothing of that name was kept")
                        .hint("volsh volume show %s (retention)".formatted(path.volume())).hint("volsh snapshot list " + path.volume())
                : CommandFailure.of(ExitCode.NOT_FOUND, "FS-0002", "%s: no state of inode %d was kept under that name".formatted(path, inode))
                        .hint("volsh history %s -o wide".formatted(path));
    }

    @Override
    public Plan plan(Session session) throws Exception {
        return copy(session).plan(session, "undelete");
    }

    @Override
    public Rows<Copy.Done> run(Session session) throws Exception {
        var done = copy(session).run(session, "undelete");
        session.say(Copy.told("brought back", done));
        return Rows.one(Copy.Done.COLUMNS, done).told();
    }
}
