package volsh.command.file;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
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
import volsh.command.render.Rows;
import volsh.fs.Attributes;
import volsh.fs.DamagedException;
import volsh.transfer.Trail;

@Command(name = "find", description = {"Find files of a volume.",
        "Lists everything at and below the given paths that passes all tests, as it is found. -o name prints paths"
                + " that other commands accept."})
@Examples({"volsh find training-data:/ --name '*.jpg' --size +1KiB",
        "volsh find training-data:/dataset --type d --max-depth 1 -o name",
        "volsh find training-data:/ --newer-than 2d --empty"})
final class Find implements Action<Rows<Find.Row>>, Listing {
    @Parameters(paramLabel = "VOL:/PATH", arity = "1..*", description = "Paths to search.")
    private List<String> places;

    @Option(names = {"--max-depth", "-maxdepth"}, paramLabel = "N",
            description = "Descend at most this many directories; 0 tests only the given paths.")
    private Integer deepest;

    @Option(names = {"--min-depth", "-mindepth"}, paramLabel = "N", description = "Skip entries above this depth.")
    private Integer shallowest;

    @Mixin
    private FindTests tests;

    /** A file that matches. */
    record Row(String path, Attributes file) {}

    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("path", Row::path)
            .text("type", row -> Kinds.word(row.file().kind()))
            .bytes("size", row -> row.file().size())
            .time("modified", row -> Times.of(row.file().mtime()));

    @Mixin
    private AtOption at;

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        var test = tests.test(session.clock().instant());
        var volumes = new OpenVolumes(session, Access.NAMES, "find");
        return Pulled.rows(session, volumes, COLUMNS, () -> new Search(session, volumes, test));
    }

    /** The matches below one path after the other. */
    private final class Search implements Pulled.Source<Row> {
        private final FindTests.Test test;
        private final Deque<Spot> left = new ArrayDeque<>();
        private Spot top;
        private Trail trail;
        private CommandFailure damage;

        Search(Session session, OpenVolumes volumes, FindTests.Test test) throws IOException {
            this.test = test;
            for (String place : places) {
                left.add(volumes.find(at.place(session, place), false));
            }
        }

        @Override
        public Row next() throws IOException {
            while (trail != null || !left.isEmpty()) {
                var row = trail == null ? begin(left.poll()) : step();
                if (row.isPresent()) {
                    return row.get();
                }
            }
            if (damage != null) {
                throw damage;
            }
            return null;
        }

        private Optional<Row> begin(Spot spot) throws IOException {
            top = spot;
            trail = spot.attributes().isDirectory() ? new Trail(spot.volume().vfs(), spot.attributes().ino()) : null;
            return tested(spot.path(), spot.name().map(Object::toString).orElse("/"), spot.attributes(), 0);
        }

        private Optional<Row> step() throws IOException {
            Trail.Step step = null;
            try {
                step = trail.next();
            } catch (DamagedException damaged) {   // everything else is listed
                damage = damage == null ? Trouble.damaged(top.toString(), damaged) : damage;
            }
            if (step == null) {
                trail = null;
                return Optional.empty();
            }
            var found = step.found();
            if (deepest != null && found.depth() >= deepest) {
                trail.skip();
            }
            boolean tooDeep = deepest != null && found.depth() > deepest;
            return step.leaving() || tooDeep ? Optional.empty()
                    : tested(PathText.below(top.path(), found.path()), found.name().toString(), found.attributes(),
                    found.depth());
        }

        private Optional<Row> tested(VolumePath path, String name, Attributes file, int depth) throws IOException {
            boolean passes = (shallowest == null || depth >= shallowest)
                    && test.passes(top.volume().vfs(), path.path(), name, file);
            return passes ? Optional.of(new Row(path.toString(), file)) : Optional.empty();
        }
    }
}
