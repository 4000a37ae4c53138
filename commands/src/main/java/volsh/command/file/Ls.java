package volsh.command.file;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.file.OpenVolumes.Spot;
import volsh.command.render.Columns;
import volsh.command.render.OutputFormat;
import volsh.command.render.Rows;
import volsh.fs.DamagedException;
import volsh.fs.FileKind;
import volsh.transfer.Trail;
import volsh.transfer.Trail.Found;

@Command(name = "ls", description = {"List directories of a volume.",
        "Shows names, with -l all attributes; names that begin with a dot only with -a. Bytes of a name that are not"
                + " UTF-8 show as \\xNN, which every command accepts. Follows a link to a directory unless -l is"
                + " given."})
@Examples({"volsh ls -l training-data:/", "volsh ls -R training-data:/dataset -o json",
        "volsh ls -lS training-data:/dataset/images",
        "volsh ls training-data:/dataset --at -2h"})
final class Ls implements Action<Rows<FileRow>>, Listing {
    private static final Comparator<Found> BY_NAME = Comparator.comparing(Found::name);
    private static final Comparator<Found> BY_TIME =
            Comparator.comparingLong((Found found) -> found.attributes().mtime()).reversed().thenComparing(BY_NAME);
    private static final Comparator<Found> BY_SIZE =
            Comparator.comparingLong((Found found) -> found.attributes().size()).reversed().thenComparing(BY_NAME);

    @Parameters(paramLabel = "VOL:/PATH", arity = "1..*",
            description = "Directories to list, and files.")
    private List<String> places;

    @Option(names = {"-l", "--long"},
            description = "Also show mode, links, owner, group, size, time and link targets.")
    private boolean detailed;

    @Option(names = {"-a", "--all"}, description = "Include names that begin with a dot.")
    private boolean all;

    @Option(names = {"-R", "--recursive"}, description = "List everything below, as it is found.")
    private boolean recursive;

    @Option(names = {"-d", "--directory"}, description = "List directories themselves, not their contents.")
    private boolean itself;

    @Option(names = {"-t", "--by-time"}, description = "Sort by time, newest first.")
    private boolean byTime;

    @Option(names = {"-S", "--by-size"}, description = "Sort by size, largest first.")
    private boolean bySize;

    @Option(names = {"-r", "--reverse"}, description = "Reverse the sort order.")
    private boolean reverse;

    @Option(names = {"-1", "--names"}, description = "List only names, one per line, even with -l.")
    private boolean names;

    @Mixin
    private AtOption at;

    @Override
    public Columns<?> columns() {
        return FileRow.ALL;
    }

    @Override
    public Rows<FileRow> run(Session session) throws Exception {
        var volumes = new OpenVolumes(session, Access.NAMES, "ls");
        return Pulled.rows(session, volumes, columns(session), () -> new Listing(session, volumes)).bare();
    }

    private Columns<FileRow> columns(Session session) {
        boolean people = session.options().output().kind() == OutputFormat.Kind.TABLE;
        if (!people || !session.options().columns().isEmpty()) {
            return FileRow.ALL;
        }
        var shown = detailed && !names ? FileRow.LONG : FileRow.NAMES;
        return shown.knowing(FileRow.ALL);   // for pipes and scripts, and to sort by
    }

    private Comparator<Found> order() {
        var order = byTime ? BY_TIME : bySize ? BY_SIZE : null;
        return reverse ? (order == null ? BY_NAME : order).reversed() : order;
    }

    /** The rows of one path after the other. */
    private final class Listing implements Pulled.Source<FileRow> {
        private final Deque<Spot> left = new ArrayDeque<>();
        private final boolean several = places.size() > 1;
        private final Accounts accounts = new Accounts();
        private Spot directory;
        private Trail trail;
        private CommandFailure damage;

        Listing(Session session, OpenVolumes volumes) throws IOException {
            var spots = new ArrayList<Spot>();
            for (String place : places) {
                spots.add(spot(volumes, at.place(session, place)));
            }
            left.addAll(spots);
        }

        private Spot spot(OpenVolumes volumes, VolumePath path) throws IOException {
            var spot = volumes.find(path, false);
            boolean link = spot.attributes().kind() == FileKind.SYMLINK;
            return link && !detailed && !itself && volumes.search(path).isPresent() ? volumes.find(path, true) : spot;
        }

        @Override
        public FileRow next() throws IOException {
            while (true) {
                if (trail == null) {
                    var spot = left.poll();
                    if (spot == null) {
                        if (damage != null) {
                            throw damage;
                        }
                        return null;
                    }
                    if (itself || !spot.attributes().isDirectory()) {
                        return FileRow.of(spot.volume(), spot.path(), spot.path().toString(), spot.attributes(),
                                accounts);
                    }
                    directory = spot;
                    trail = new Trail(spot.volume().vfs(), spot.attributes().ino(), order());
                }
                var row = nextUndamaged();
                if (row != null) {
                    return row;
                }
                trail = null;
            }
        }

        /** Reports damage at the end, after all rows. */
        private FileRow nextUndamaged() throws IOException {
            try {
                return nextOfTrail();
            } catch (DamagedException damaged) {
                damage = damage == null ? Trouble.damaged(directory.toString(), damaged) : damage;
                return null;
            }
        }

        private FileRow nextOfTrail() throws IOException {
            for (var step = trail.next(); step != null; step = trail.next()) {
                var found = step.found();
                boolean hidden = !all && found.name().bytes()[0] == '.';
                if (!recursive || hidden) {
                    trail.skip();
                }
                if (!step.leaving() && !hidden) {
                    var path = PathText.below(directory.path(), found.path());
                    return FileRow.of(directory.volume(), path, several ? path.toString() : found.path(),
                            found.attributes(), accounts);
                }
            }
            return null;
        }
    }
}
