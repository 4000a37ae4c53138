package volsh.command.file;

import java.io.IOException;
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
import volsh.command.render.Rows;
import volsh.fs.Attributes;
import volsh.transfer.Trail;

@Command(name = "find", description = {"Find files of volumes, objects of buckets, and local files.",
        "Lists everything at and below the given paths that passes all tests, as it is found. -o name prints paths"
                + " that other commands accept."})
@Examples({"volsh find training-data:/ --name '*.jpg' --size +1KiB",
        "volsh find training-data:/dataset --type d --max-depth 1 -o name",
        "volsh find training-data:/ --newer-than 2d --empty",
        "volsh find s3://training/ --name '*.tar' --size +1GiB"})
final class Find implements Action<Rows<Find.Row>>, Listing, RelativePaths {
    @Parameters(paramLabel = "VOL:/PATH", arity = "0..*",
            description = "Paths to search (default: the working directory of a session).")
    private List<String> places = List.of();

    @Option(names = {"--max-depth", "-maxdepth"}, paramLabel = "N",
            description = "Descend at most this many directories; 0 tests only the given paths.")
    private @Nullable Integer deepest;

    @Option(names = {"--min-depth", "-mindepth"}, paramLabel = "N", description = "Skip entries above this depth.")
    private @Nullable Integer shallowest;

    @Mixin
    private FindTests tests;

    /** A file that matches. */
    record Row(String path, Attributes file) {}

    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("path", Row::path)
            .text("type", row -> Kinds.word(row.file().kind()))
            .bytes("size", row -> row.file().size())
            .time("modified", row -> row.file().ino() == 0 && row.file().mtime() == 0 ? null
                    : Times.of(row.file().mtime()));

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
        OpenVolumes.requireAny(places, "find");
        var test = tests.test(session.clock().instant());
        if (OpenPlaces.areMeant(places, s3)) {
            return elsewhere(session, test);
        }
        var volumes = new OpenVolumes(session, Access.NAMES, "find");
        return Pulled.rows(session, volumes, COLUMNS, () -> new Search(session, volumes, test));
    }

    private Rows<Row> elsewhere(Session session, FindTests.Test test) throws Exception {
        var open = new OpenPlaces(session, Access.NAMES, "find", s3, at);
        return Pulled.rows(session, open, COLUMNS, () -> {
            boolean deep = deepest == null || deepest > 1;
            var listed = new EntryList(open, places, new EntryList.Settings(false, deep, true, true, null));
            return () -> {
                for (var next = listed.next(); next != null; next = listed.next()) {
                    session.cancellation().check();
                    if (isWanted(next, test)) {
                        return new Row(next.path(), next.entry().attributes());
                    }
                }
                return null;
            };
        });
    }

    private boolean isWanted(EntryList.Listed listed, FindTests.Test test) throws IOException {
        var entry = listed.entry();
        return (shallowest == null || listed.depth() >= shallowest) && (deepest == null || listed.depth() <= deepest)
                && test.passes(directory -> listed.tree().children(entry.path()).next() == null, listed.path(),
                entry.path().isEmpty() ? listed.path() : entry.name(), entry.attributes());
    }

    /** The matches below one path after the other. */
    private final class Search extends VolumeWalk<Row> {
        private final FindTests.Test test;

        Search(Session session, OpenVolumes volumes, FindTests.Test test) throws IOException {
            super(find(session, volumes, at, places), null);
            this.test = test;
        }

        @Override
        @Nullable Row begin(Spot top) throws IOException {
            return tested(top.path(), top.name().map(Object::toString).orElse("/"), top.attributes(), 0);
        }

        @Override
        @Nullable Row found(Trail trail, Trail.Step step) throws IOException {
            var found = step.found();
            if (deepest != null && found.depth() >= deepest) {
                trail.skip();
            }
            boolean tooDeep = deepest != null && found.depth() > deepest;
            return step.leaving() || tooDeep ? null
                    : tested(PathText.below(top().path(), found.path()), found.name().toString(), found.attributes(),
                    found.depth());
        }

        private @Nullable Row tested(VolumePath path, String name, Attributes file, int depth) throws IOException {
            boolean passes = (shallowest == null || depth >= shallowest)
                    && test.passes(directory -> top().volume().vfs().list(directory.ino(), null, 1).isEmpty(),
                            path.path(), name, file);
            return passes ? new Row(path.toString(), file) : null;
        }
    }
}
