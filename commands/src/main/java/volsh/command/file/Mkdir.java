package volsh.command.file;

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
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Owner;
import volsh.fs.ShellWord;

@Command(name = "mkdir", description = "Create directories in a volume.")
@Examples({"volsh mkdir training-data:/raw", "volsh mkdir -p -m 0750 training-data:/runs/2026/november"})
final class Mkdir implements Mutation<Rows<String>> {
    private static final int PARENT_MODE = 0755;
    private static final Columns<String> COLUMNS = Columns.of(String.class).text("path", path -> path);

    @Parameters(paramLabel = "VOL:/PATH", arity = "1..*", description = "Directories to create.")
    private List<String> places;

    @Option(names = {"-p", "--parents"},
            description = "Create parent directories as needed; accept directories that exist.")
    private boolean parents;

    @Option(names = {"-m", "--mode"}, paramLabel = "MODE", defaultValue = "0755",
            description = "Set permissions in octal (default: ${DEFAULT-VALUE}).")
    private String mode;

    private static VolumePath path(String place) {
        try {
            return VolumePath.of(place);
        } catch (IllegalArgumentException local) {
            throw CommandFailure.usage(local.getMessage()).hint("mkdir " + ShellWord.of(place));
        }
    }

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        Modes.of(mode);
        var plan = Plan.NOTHING;
        try (var volumes = new OpenVolumes(session, Access.NAMES, "mkdir")) {
            for (String place : places) {
                for (var path : missing(volumes, path(place))) {
                    plan = plan.then("create", path.toString(), "directory");
                }
            }
        }
        return plan;
    }

    @Override
    public Rows<String> run(Session session) throws Exception {
        var made = new ArrayList<String>();
        var owner = session.service(Owner.class);
        int bits = Modes.of(mode);
        try (var volumes = new OpenVolumes(session, Access.WRITE, "mkdir")) {
            for (String place : places) {
                var missing = missing(volumes, path(place));
                for (var path : missing) {
                    make(volumes, path, path.equals(missing.getLast()) ? bits : PARENT_MODE, owner);
                    session.detail("created " + path);
                    made.add(path.toString());
                }
            }
            volumes.sync();
        }
        return Rows.of(COLUMNS, made).told();
    }

    private void make(OpenVolumes volumes, VolumePath path, int bits, Owner owner) throws Exception {
        var place = volumes.place(path).place();
        try {
            volumes.of(path.volume()).vfs().makeDirectory(place.directory(), place.name(), bits, owner);
        } catch (FsException refused) {
            if (!parents || refused.error() != FsError.EXISTS) {   // with -p another process may have created it
                throw Trouble.with(path.toString(), refused);
            }
        }
    }

    /** The directories to create, from the top. @throws FsException EXISTS, NOT_DIRECTORY */
    private List<VolumePath> missing(OpenVolumes volumes, VolumePath path) throws Exception {
        var missing = new ArrayList<VolumePath>();
        var at = path;
        while (true) {
            var found = volumes.search(at);
            if (found.isPresent()) {
                boolean fine = parents && found.get().attributes().isDirectory() || !missing.isEmpty();
                if (!fine) {
                    throw new FsException(FsError.EXISTS, at + ": " + FsError.EXISTS.text());
                }
                return missing.reversed();
            }
            missing.add(at);
            at = PathText.parent(at);
            if (!parents) {
                volumes.place(path);
                return missing;
            }
        }
    }
}
