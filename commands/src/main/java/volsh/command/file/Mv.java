package volsh.command.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.file.OpenVolumes.Place;
import volsh.command.object.PlaceFlags;
import volsh.command.object.TreeTransfer;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.RenameMode;
import volsh.fs.ShellWord;

@Command(name = "mv", description = {"Rename or move files and directories, within a volume or between places.",
        "The last argument is the target: an existing directory receives the sources under their own names; otherwise"
                + " it is the new name. Each move is one step, whatever the size of the tree: others see the old name"
                + " or the new one. An existing file of the new name is replaced, and so is an empty directory by a"
                + " directory. To and from buckets, a move is a copy: each original is removed when its copy is safe."})
@Examples({"volsh mv training-data:/dataset training-data:/v1",
        "volsh mv training-data:/v1/labels.csv training-data:/v1/a.tar training-data:/",
        "volsh mv s3://training/incoming/a.tar s3://training/done/"})
final class Mv implements Mutation<Outcome<Rows<Mv.Renamed>>> {
    @Parameters(paramLabel = "VOL:/PATH", arity = "1..*", description = "Files to move, then the target.")
    private List<String> operands;

    @Option(names = "--no-clobber", description = "Fail if the new name exists; replace nothing.")
    private boolean keep;

    @Mixin
    private PlaceFlags s3;

    /** One rename. */
    private record Move(Place from, Place to) {}

    /** What was moved. */
    record Renamed(String to, String from) {}

    private static final Columns<Renamed> COLUMNS = Columns.of(Renamed.class)
            .text("to", Renamed::to)
            .text("from", Renamed::from);

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        if (TreeTransfer.isMeant(operands, s3)) {
            return elsewhere().plan(session);
        }
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
    public Guard guard(Session session) throws Exception {
        return TreeTransfer.isMeant(operands, s3) ? elsewhere().guard(session) : Guard.NONE;
    }

    @Override
    public Outcome<Rows<Renamed>> run(Session session) throws Exception {
        if (TreeTransfer.isMeant(operands, s3)) {
            var outcome = Objects.requireNonNull(elsewhere().run(session, "mv"));
            var all = operands.subList(0, operands.size() - 1).stream()
                    .map(source -> new Renamed(operands.getLast(), source)).toList();
            return new Outcome<>(Rows.of(COLUMNS, all).told(), outcome.exit());
        }
        try (var volumes = new OpenVolumes(session, Access.WRITE, "mv")) {
            var moves = moves(volumes);
            for (var move : moves) {
                session.cancellation().check();
                rename(move);
                session.detail("moved " + move.from() + " to " + move.to());
            }
            volumes.sync();
            var all = moves.stream().map(move -> new Renamed(move.to().toString(), move.from().toString())).toList();
            return new Outcome<>(Rows.of(COLUMNS, all).told(), ExitCode.OK);
        }
    }

    private TreeTransfer elsewhere() {
        if (keep) {
            throw CommandFailure.usage("--no-clobber is for moves within a volume");
        }
        return new TreeTransfer(operands, TransferOptions.ofMoves(), s3, new AtOption(), true);
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
