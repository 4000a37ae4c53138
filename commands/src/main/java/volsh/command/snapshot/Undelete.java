package volsh.command.snapshot;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.catalog.Moment;
import volsh.catalog.VolumePath;
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
import volsh.fs.ShellWord;
import volsh.history.RemovalSpan;
import volsh.history.Versions;
import volsh.unit.Count;
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

    private Optional<RemovalSpan> removal = Optional.empty();

    @Override
    public Columns<?> columns() {
        return Copy.Done.COLUMNS;
    }

    private Copy copy(Session session) throws Exception {
        removal = Optional.empty();
        var path = at.in(session, VolumePath.of(place));
        if (path.moment().isPresent() && inode != null) {
            throw CommandFailure.usage("--inode and --at exclude each other");
        }
        var now = new VolumePath(path.volume(), path.path());
        return new Copy(path.moment().isPresent() ? path : path.at(lastSeen(session, now)),
                to == null ? now : VolumePath.of(to), false);
    }

    private Moment lastSeen(Session session, VolumePath path) throws Exception {
        try (var volume = session.service(Volumes.class).open(path.volume(), Access.NAMES, "undelete")) {
            var name = volume.paths().place(path.path());
            if (name.found().isPresent() && (to == null || inode == null)) {
                throw CommandFailure.of(ExitCode.CONFLICT, "FS-0017", path + ": file exists")
                        .hint("to see its past versions: volsh history " + ShellWord.of(path))
                        .hint("to restore one of them: volsh snapshot restore --help");
            }
            var versions = volume.versions();
            var seen = inode == null ? versions.lastSeen(name.directory(), name.name())
                    : versions.lastSeen(name.directory(), name.name(), inode);
            if (seen.isEmpty()) {
                throw notKept(path);
            }
            return moment(seen.get());
        } catch (FsException refused) {
            if (refused.error() != FsError.NO_ENTRY) {
                throw refused;
            }
            int last = path.path().replaceAll("/+$", "").lastIndexOf('/');
            throw CommandFailure.of(ExitCode.NOT_FOUND, "FS-0002", path + ": its directory is deleted, too")
                    .hint("volsh undelete " + ShellWord.of(path.at(last <= 0 ? "/" : path.path().substring(0, last))));
        }
    }

    private Moment moment(Versions.Sight seen) {
        var last = Instant.ofEpochSecond(seen.tick());
        if (!seen.removed()) {
            return new Moment.Time(last);
        }
        removal = Optional.of(seen.removal());
        return new Moment.Removed(Instant.ofEpochSecond(seen.removal().first()), last,
                inode == null ? OptionalLong.empty() : OptionalLong.of(inode));
    }

    /** Reports how long the removal took, and names that it does not restore because they were removed earlier. */
    private void tell(Session session) {
        removal.filter(RemovalSpan::isLong).ifPresent(span -> session.say(
                "the removal took %d s, from %s to %s: each name is restored as it was just before its removal"
                .formatted(span.seconds(), Instant.ofEpochSecond(span.first()), Instant.ofEpochSecond(span.last()))));
        removal.filter(span -> span.earlier() > 0).ifPresent(span -> session.warn(
                "%s below %s had been removed before %s; to restore them: volsh undelete %s --at %s --to %s"
                .formatted(Count.of(span.earlier(), "name"), place, Instant.ofEpochSecond(span.first()),
                        ShellWord.of(place), Instant.ofEpochSecond(span.lastEarlier().getAsLong() - 1),
                        ShellWord.of(place.replaceFirst("/+$", "") + ".before"))));
    }

    /** Explains when the path existed, if it did not at the requested time. */
    private static Exception notThere(Session session, VolumePath from, FsException refused) throws Exception {
        var now = new VolumePath(from.volume(), from.path());
        try (var volume = session.service(Volumes.class).open(now.volume(), Access.NAMES, "undelete")) {
            var seen = volume.versions().of(History.names(now)).stream().filter(version -> version.seen().isPresent())
                    .toList();
            if (seen.isEmpty()) {
                return refused;
            }
            var last = seen.getLast();
            return CommandFailure.of(ExitCode.NOT_FOUND, "FS-0002",
                    "%s: did not exist then; readable from %s to %s".formatted(from,
                    Instant.ofEpochSecond(seen.getFirst().since()), Instant.ofEpochSecond(last.seen().getAsLong())))
                    .hint("volsh undelete %s --at %s".formatted(ShellWord.of(now),
                            Instant.ofEpochSecond(last.seen().getAsLong())))
                    .hint("volsh history " + ShellWord.of(now));
        } catch (FsException none) {
            return refused;
        }
    }

    private CommandFailure notKept(VolumePath path) {
        return inode == null
                ? CommandFailure.of(ExitCode.NOT_FOUND, "FS-0002", path + ": no past version of this name is kept")
                        .hint("volsh volume show " + path.volume()).hint("volsh snapshot list " + path.volume())
                : CommandFailure.of(ExitCode.NOT_FOUND, "FS-0002",
                        "%s: no past version of inode %d is kept under this name".formatted(path, inode))
                        .hint("volsh history %s -o wide".formatted(ShellWord.of(path)));
    }

    @Override
    public Plan plan(Session session) throws Exception {
        return copy(session).plan(session, "undelete");
    }

    @Override
    public Rows<Copy.Done> run(Session session) throws Exception {
        var copy = copy(session);
        Copy.Done done;
        try {
            done = copy.run(session, "undelete");
        } catch (FsException refused) {
            throw refused.error() == FsError.NO_ENTRY && removal.isEmpty() ? notThere(session, copy.from(), refused)
                    : refused;
        }
        session.say(Copy.told("restored", done));
        tell(session);
        return Rows.one(Copy.Done.COLUMNS, done).told();
    }
}
