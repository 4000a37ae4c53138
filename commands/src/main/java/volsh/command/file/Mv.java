package volsh.command.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.file.OpenVolumes.Place;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.RenameMode;
import volsh.fs.ShellWord;

@Command(name = "mv", description = {"Rename or move files and directories within a volume.",
        "The last argument is the target: an existing directory receives the sources under their own names; otherwise"
                + " it is the new name. Each move is one step, whatever the size of the tree: others see the old name"
                + " or the new one. An existing file of the new name is replaced, and so is an empty directory by a"
                + " directory."})
@Examples({"volsh mv training-data:/dataset training-data:/v1",
        "volsh mv training-data:/v1/labels.csv training-data:/v1/a.tar training-data:/"})
final class Mv implements Mutation<Rows<Mv.Move>> {
    @Parameters(paramLabel = "VOL:/PATH", arity = "1..*", description = "Files to move, then the target.")
    private List<String> operands;

    @Option(names = "--no-clobber", description = "Fail if the new name exists; replace nothing.")
    private boolean keep;

    /** One rename. */
    record Move(Place from, Place to) {}

    private static final Columns<Move> COLUMNS = Columns.of(Move.class)
            .text("to", move -> move.to().toString())
            .text("from", move -> move.from().toString());

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var plan = Plan.NOTHING;
        try (var volumes = new OpenVolumes(session, Access.NAMES, "mv")) {
            for (var move : moves(volumes)) {
                var detail = move.to().found().isPresent() ? "replaces the existing file" : "";
                plan = plan.then("move", move.from() + " to " + move.to(), detail);
            }
        }
        return plan;
    }

    @Override
    public Rows<Move> run(Session session) throws Exception {
        try (var volumes = new OpenVolumes(session, Access.WRITE, "mv")) {
            var moves = moves(volumes);
            for (var move : moves) {
                session.cancellation().check();
                rename(move);
                session.detail("moved " + move.from() + " to " + move.to());
            }
            volumes.sync();
            return Rows.of(COLUMNS, moves).told();
        }
    }

    private void rename(Move move) throws Exception {
        var from = move.from().place();
        var to = move.to().place();
        try {
            var mode = keep ? RenameMode.NO_REPLACE : RenameMode.REPLACE;
            move.from().volume().vfs().rename(from.directory(), from.name(), to.directory(), to.name(), mode);
        } catch (FsException refused) {
            throw Trouble.with(move.from() + " to " + move.to(), refused);
        }
    }

    private List<Move> moves(OpenVolumes volumes) throws IOException {
        var target = VolumePath.of(operands.getLast());
        var sources = Operand.sources(operands).stream().map(VolumePath::of).toList();
        sources.forEach(source -> requireSameVolume(source, target));
        var moves = new ArrayList<Move>();
        for (var source : sources) {
            moves.add(move(volumes, source, target, sources.size()));
        }
        return moves;
    }

    private static void requireSameVolume(VolumePath source, VolumePath target) {
        if (!source.volume().equals(target.volume())) {
            throw CommandFailure.of(ExitCode.FAILED, "FS-0018",
                    "cannot move across volumes: " + source + " to " + target)
                    .hint("volsh cp -r %s %s && volsh rm -r %s".formatted(ShellWord.of(source),
                            ShellWord.of(target), ShellWord.of(source)));
        }
    }

    private Move move(OpenVolumes volumes, VolumePath source, VolumePath target, int sources) throws IOException {
        var from = volumes.place(source);
        if (from.found().isEmpty()) {
            throw new FsException(FsError.NO_ENTRY,
                    source + ": " + FsError.NO_ENTRY.text() + PathText.spelling(source.toString()));
        }
        var to = to(volumes, from, target, sources);
        if (keep && to.found().isPresent()) {
            throw new FsException(FsError.EXISTS, to + ": " + FsError.EXISTS.text());
        }
        return new Move(from, to);
    }

    /** A directory may get a new name that ends with a slash, as in {@code mv dir new/}. */
    private static Place to(OpenVolumes volumes, Place from, VolumePath target, int sources) throws IOException {
        boolean newName = sources == 1 && from.found().get().isDirectory() && volumes.search(target).isEmpty();
        var destination = newName ? new Destination.As(volumes.place(target))
                : Destination.of(volumes, target, sources);
        return switch (destination) {
            case Destination.Into(var directory) ->
                    volumes.place(PathText.below(directory.path(), from.place().name().toString()));
            case Destination.As(var place) -> place;
            default -> throw new IllegalStateException("not in a volume: " + destination);
        };
    }
}
