package volsh.command.file;

import java.nio.charset.StandardCharsets;
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
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.ShellWord;
import volsh.transfer.Naming;

@Command(name = "ln", description = {"Give a file of a volume another name, or create a symbolic link.",
        "Without -s both names are the same file from then on. With -s the link holds the target as written, a path"
                + " within the volume, relative to the link's directory unless it begins with a slash; the target"
                + " need not exist."})
@Examples({"volsh ln -s dataset/a.tar training-data:/latest", "volsh ln -sf dataset/images training-data:/latest",
        "volsh ln training-data:/dataset/a.tar training-data:/dataset/current.tar"})
final class Ln implements Mutation<Rows<Ln.Made>> {
    @Parameters(index = "0", paramLabel = "VOL:/PATH|TARGET",
            description = "File to link; with -s the text of the link.")
    private String target;

    @Parameters(index = "1", paramLabel = "VOL:/PATH",
            description = "New name, or a directory that receives the link under the target's last name.")
    private String name;

    @Option(names = {"-s", "--symbolic"}, description = "Create a symbolic link.")
    private boolean symbolic;

    @Option(names = {"-f", "--force"}, description = "Replace an existing file of that name, in one step.")
    private boolean force;

    /** The new name and its target. */
    record Made(String path, String target, boolean symbolic) {}

    private static final Columns<Made> COLUMNS = Columns.of(Made.class)
            .text("path", Made::path)
            .text("target", Made::target)
            .text("symbolic", Made::symbolic);

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        try (var volumes = new OpenVolumes(session, Access.NAMES, "ln")) {
            var place = place(volumes);
            if (!symbolic) {
                source(volumes);
            }
            return Plan.of("link", place.toString(), (symbolic ? "to " : "another name of ") + target);
        }
    }

    @Override
    public Rows<Made> run(Session session) throws Exception {
        try (var volumes = new OpenVolumes(session, Access.WRITE, "ln")) {
            var at = place(volumes);
            try {
                link(volumes, at, session.service(Owner.class));
            } catch (FsException refused) {
                throw Trouble.with(at.toString(), refused);
            }
            volumes.sync();
            return Rows.one(COLUMNS, new Made(at.toString(), target, symbolic)).told();
        }
    }

    private void link(OpenVolumes volumes, OpenVolumes.Place at, Owner owner) throws Exception {
        var vfs = at.volume().vfs();
        var naming = new Naming(vfs);
        var place = at.place();
        if (symbolic) {
            naming.symlink(place.directory(), place.name(), target.getBytes(StandardCharsets.UTF_8), owner);
        } else {
            naming.link(source(volumes).attributes().ino(), place.directory(), place.name());
        }
    }

    private OpenVolumes.Spot source(OpenVolumes volumes) throws Exception {
        var path = VolumePath.of(target);
        OpenVolumes.requireNow(path);
        if (!path.volume().equals(VolumePath.of(name).volume())) {
            throw CommandFailure.of(ExitCode.FAILED, "FS-0018",
                    "cannot link across volumes: " + target + ", " + name)
                    .hint("volsh cp " + ShellWord.of(List.of(target, name)));
        }
        var source = volumes.find(path, false);
        if (source.attributes().isDirectory()) {
            throw CommandFailure.of(ExitCode.FAILED, "FS-0001", source + ": hard links to directories are not possible")
                    .hint("volsh ln -s " + ShellWord.of(List.of(path.path(), name)));
        }
        return source;
    }

    /** The name to create. @throws FsException EXISTS unless it may be replaced */
    private OpenVolumes.Place place(OpenVolumes volumes) throws Exception {
        var path = VolumePath.of(name);
        boolean into = volumes.search(path).map(spot -> spot.attributes().isDirectory()).orElse(false);
        boolean linkToReplace = into && force && volumes.find(path, false).attributes().kind() == FileKind.SYMLINK;
        if (into && !linkToReplace) {
            var last = PathText.name(target.substring(symbolic ? 0 : target.indexOf(':') + 1)
                    .getBytes(StandardCharsets.UTF_8));
            path = PathText.below(path,
                    last.map(Name::toString).orElseThrow(() -> CommandFailure.usage("'" + target + "' has no name")));
        }
        var place = volumes.place(path);
        if (place.found().isPresent() && (!force || place.found().get().isDirectory())) {
            throw new FsException(FsError.EXISTS, path + ": " + FsError.EXISTS.text());
        }
        return place;
    }
}
