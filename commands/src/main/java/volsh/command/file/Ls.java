package volsh.command.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Listing;
import volsh.command.RelativePaths;
import volsh.command.Session;
import volsh.command.file.OpenVolumes.Spot;
import volsh.command.object.EntryList;
import volsh.command.object.OpenPlaces;
import volsh.command.object.PlaceFlags;
import volsh.command.render.Columns;
import volsh.command.render.OutputFormat;
import volsh.command.render.Rows;
import volsh.fs.FileKind;
import volsh.transfer.Trail;
import volsh.transfer.Trail.Found;
import volsh.tree.Places;
import volsh.tree.TreeEntry;

@Command(name = "ls", description = {"List directories of volumes, prefixes of buckets, and local directories.",
        "Shows names, with -l all attributes; names that begin with a dot only with -a. Bytes of a name that are not"
                + " UTF-8 show as \\xNN, which every command accepts. Follows a link to a directory unless -l is"
                + " given."})
@Examples({"volsh ls -l training-data:/", "volsh ls -R training-data:/dataset -o json",
        "volsh ls -lS training-data:/dataset/images",
        "volsh ls training-data:/dataset --at -2h",
        "volsh ls -l s3://training/shards/ --region eu-central-1", "volsh ls archive://2026/ -o json"})
final class Ls implements Action<Rows<FileRow>>, Listing, RelativePaths {
    private static final Comparator<Found> BY_NAME = Comparator.comparing(Found::name);
    private static final Comparator<Found> BY_TIME =
            Comparator.comparingLong((Found found) -> found.attributes().mtime()).reversed().thenComparing(BY_NAME);
    private static final Comparator<Found> BY_SIZE =
            Comparator.comparingLong((Found found) -> found.attributes().size()).reversed().thenComparing(BY_NAME);

    @Parameters(paramLabel = "VOL:/PATH", arity = "0..*", description = "Directories to list, and files (default: the"
            + " working directory of a session; without one, the volumes).")
    private List<String> places = List.of();

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
    private PlaceFlags s3;

    @Mixin
    private AtOption at;

    @Override
    public Columns<?> columns() {
        return FileRow.ALL;
    }

    @Override
    public boolean defaultsToDirectory() {
        return true;
    }

    @Override
    public Rows<FileRow> run(Session session) throws Exception {
        OpenVolumes.requireAny(places, "ls");
        if (OpenPlaces.areMeant(places, s3)) {
            return elsewhere(session);
        }
        var volumes = new OpenVolumes(session, Access.NAMES, "ls");
        return Pulled.rows(session, volumes, columns(session), () -> new Names(session, volumes)).bare();
    }

    private Rows<FileRow> elsewhere(Session session) throws Exception {
        var open = new OpenPlaces(session, Access.NAMES, "ls", s3, at);
        var accounts = new Accounts();
        var order = byTime ? Comparator.comparingLong(TreeEntry::modified).reversed()
                : bySize ? Comparator.comparingLong(TreeEntry::size).reversed()
                : reverse ? Comparator.comparing(TreeEntry::path) : null;
        var settings = new EntryList.Settings(itself, recursive, false, all,
                order == null || !reverse ? order : order.reversed());
        return Pulled.rows(session, open, columns(session), () -> {
            var listed = new EntryList(open, places, settings);
            return () -> {
                var next = listed.next();
                return next == null ? null : FileRow.of(next, accounts);
            };
        }).bare();
    }

    private Columns<FileRow> columns(Session session) {
        boolean people = session.options().output().kind() == OutputFormat.Kind.TABLE;
        if (!people || !session.options().columns().isEmpty()) {
            return FileRow.ALL;
        }
        var full = places.stream().allMatch(Places::isUrl) ? FileRow.OBJECTS : FileRow.LONG;
        var shown = detailed && !names ? full : FileRow.NAMES;
        return shown.knowing(FileRow.ALL);   // for pipes and scripts, and to sort by
    }

    private @Nullable Comparator<Found> order() {
        var order = byTime ? BY_TIME : bySize ? BY_SIZE : null;
        return reverse ? (order == null ? BY_NAME : order).reversed() : order;
    }

    private List<Spot> spots(Session session, OpenVolumes volumes) throws IOException {
        var spots = new ArrayList<Spot>();
        for (String place : places) {
            spots.add(spot(volumes, at.place(session, place)));
        }
        return spots;
    }

    private Spot spot(OpenVolumes volumes, VolumePath path) throws IOException {
        var spot = volumes.find(path, false);
        boolean link = spot.attributes().kind() == FileKind.SYMLINK;
        return link && !detailed && !itself && volumes.search(path).isPresent() ? volumes.find(path, true) : spot;
    }

    /** The rows of one path after the other. */
    private final class Names extends VolumeWalk<FileRow> {
        private final boolean several = places.size() > 1;
        private final Accounts accounts = new Accounts();

        Names(Session session, OpenVolumes volumes) throws IOException {
            super(spots(session, volumes), order());
        }

        @Override
        boolean descends(Spot top) {
            return !itself && super.descends(top);
        }

        @Override
        @Nullable FileRow begin(Spot top) throws IOException {
            return descends(top) ? null
                    : FileRow.of(top.volume(), top.path(), top.path().toString(), top.attributes(), accounts);
        }

        @Override
        @Nullable FileRow found(Trail trail, Trail.Step step) throws IOException {
            var found = step.found();
            boolean hidden = !all && found.name().bytes()[0] == '.';
            if (!recursive || hidden) {
                trail.skip();
            }
            if (step.leaving() || hidden) {
                return null;
            }
            var path = PathText.below(top().path(), found.path());
            return FileRow.of(top().volume(), path, several ? path.toString() : found.path(), found.attributes(),
                    accounts);
        }
    }
}
