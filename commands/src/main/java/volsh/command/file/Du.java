package volsh.command.file;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Listing;
import volsh.command.RelativePaths;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.file.OpenVolumes.Spot;
import volsh.command.object.EntrySums;
import volsh.command.object.OpenPlaces;
import volsh.command.object.PlaceFlags;
import volsh.command.render.Columns;
import volsh.command.render.OutputFormat;
import volsh.command.render.Rows;
import volsh.fs.Attributes;
import volsh.transfer.Trail;

@Command(name = "du", description = {"Show how much directories hold, in volumes, buckets and locally.",
        "SIZE is the length of all files, ALLOCATED excludes holes; a file with several names counts once. For the"
                + " space used in the store, compressed and shared, see 'volsh df'. With -o wide, IMPORTED is the part"
                + " that is in objects of buckets ('volsh import') and in no store of the volume."})
@Examples({"volsh du -s training-data:/", "volsh du -d 1 training-data:/ --sort -size",
        "volsh du -a training-data:/dataset -o json", "volsh du -d 1 s3://training/data"})
final class Du implements Action<Rows<Du.Row>>, Listing, RelativePaths {
    @Parameters(paramLabel = "VOL:/PATH", arity = "0..*",
            description = "Directories and files (default: the working directory of a session).")
    private List<String> places = List.of();

    @Option(names = {"-s", "--summarize"}, description = "Show only the given paths.")
    private boolean summary;

    @Option(names = {"-d", "--max-depth"}, paramLabel = "N", description = "Show directories only down to this depth.")
    private @Nullable Integer deepest;

    @Option(names = {"-a", "--all"}, description = "Show files too.")
    private boolean all;

    /** The contents of a directory, without the directory itself. */
    record Row(String path, long size, long allocated, long imported, long files) {}

    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("path", Row::path)
            .bytes("size", Row::size)
            .bytes("allocated", Row::allocated)
            .bytes("imported", Row::imported).wide()
            .number("files", Row::files);

    private static final Columns<Row> TABLE = Columns.of(Row.class)
            .bytes("size", Row::size)
            .bytes("allocated", Row::allocated)
            .bytes("imported", Row::imported).wide()
            .number("files", Row::files)
            .text("path", Row::path);

    @Mixin
    private PlaceFlags s3;

    @Mixin
    private AtOption at;

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public boolean defaultsToDirectory() {
        return true;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        OpenVolumes.requireAny(places, "du");
        if (summary && (all || deepest != null)) {
            throw CommandFailure.usage("-s excludes -a and -d");
        }
        boolean table = session.options().output().kind() == OutputFormat.Kind.TABLE;
        if (OpenPlaces.areMeant(places, s3)) {
            return elsewhere(session, table ? TABLE : COLUMNS);
        }
        var volumes = new OpenVolumes(session, Access.NAMES, "du");
        return Pulled.rows(session, volumes, table ? TABLE : COLUMNS, () -> new Adding(session, volumes));
    }

    private Rows<Row> elsewhere(Session session, Columns<Row> columns) throws Exception {
        var open = new OpenPlaces(session, Access.NAMES, "du", s3, at);
        return Pulled.rows(session, open, columns, () -> {
            var sums = new EntrySums(open, places);
            return () -> {
                for (var sum = sums.next(); sum != null; sum = sums.next()) {
                    session.cancellation().check();
                    if (shows(sum.depth()) && (all || !sum.isFile())) {
                        return new Row(sum.path(), sum.size(), sum.size(), 0, sum.files());
                    }
                }
                return null;
            };
        });
    }

    private boolean shows(int depth) {
        return depth == 0 || !summary && (deepest == null || depth <= deepest);
    }

    /** A directory being walked, and its totals so far. */
    private static final class Sum {
        private final String path;
        private long size;
        private long allocated;
        private long imported;
        private long files;

        Sum(String path) {
            this.path = path;
        }

        void add(Sum other) {
            size += other.size;
            allocated += other.allocated;
            imported += other.imported;
            files += other.files;
        }

        Row row() {
            return new Row(path, size, allocated, imported, files);
        }
    }

    /** A file by its volume and inode. */
    private record Counted(String volume, long ino) {}

    /** Sums up one path after the other; emits a row when it leaves a directory. */
    private final class Adding extends VolumeWalk<Row> {
        private final Set<Counted> counted = new HashSet<>();
        private final Deque<Sum> sums = new ArrayDeque<>();

        Adding(Session session, OpenVolumes volumes) throws IOException {
            super(find(session, volumes, at, places), null);
        }

        @Override
        @Nullable Row begin(Spot top) throws IOException {
            if (!descends(top)) {
                return file(top.toString(), top.attributes()).row();
            }
            sums.push(new Sum(top.toString()));
            return null;
        }

        @Override
        Row end() {
            return sums.pop().row();
        }

        @Override
        @Nullable Row found(Trail trail, Trail.Step step) throws IOException {
            var found = step.found();
            var path = PathText.below(top().path(), found.path()).toString();
            if (found.attributes().isDirectory() && !step.leaving()) {
                sums.push(new Sum(path));
                return null;
            }
            var sum = step.leaving() ? sums.pop() : file(path, found.attributes());
            sums.peek().add(sum);
            return (step.leaving() || all) && shows(found.depth()) ? sum.row() : null;
        }

        private Sum file(String path, Attributes file) throws IOException {
            var sum = new Sum(path);
            if (file.links() <= 1 || counted.add(new Counted(top().path().volume(), file.ino()))) {
                sum.size = file.size();
                sum.allocated = file.allocated();
                sum.imported = file.isRegular() && top().volume().spec().hasImports()
                        ? Layout.of(top().volume().vfs(), file).importedBytes() : 0;
                sum.files = 1;
            }
            return sum;
        }
    }
}
