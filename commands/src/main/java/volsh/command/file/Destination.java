package volsh.command.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import volsh.catalog.VolumePath;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.file.OpenVolumes.Place;
import volsh.command.file.OpenVolumes.Spot;
import volsh.fs.ShellWord;

/**
 * The target of a copy, by the rules of cp: an existing directory receives each copy under its own name; any other
 * target names the single copy. A trailing slash requires an existing directory.
 */
sealed interface Destination {
    /** Into a directory of a volume. */
    record Into(Spot directory) implements Destination {}

    /** To a name in a volume. */
    record As(Place place) implements Destination {}

    /** Into a local directory. */
    record IntoLocal(Path directory) implements Destination {}

    /** To a local name. */
    record AsLocal(Path path) implements Destination {}

    static Destination of(OpenVolumes volumes, VolumePath path, int sources) throws IOException {
        OpenVolumes.requireNow(path);
        var found = volumes.search(path);
        if (found.isPresent() && found.get().attributes().isDirectory()) {
            return new Into(found.get());
        }
        if (sources > 1 || path.path().endsWith("/")) {
            throw found.isPresent() ? notDirectory(path.toString())
                    : missing(path.toString(), "volsh mkdir -p " + ShellWord.of(path));
        }
        return new As(volumes.place(path));
    }

    static Destination of(Operand.Local local, int sources) {
        if (Files.isDirectory(local.path())) {
            return new IntoLocal(local.path());
        }
        boolean there = Files.exists(local.path());
        if (sources > 1 || local.slash()) {
            throw there ? notDirectory(local.path().toString())
                    : missing(local.path().toString(), "mkdir -p " + ShellWord.of(local.path()));
        }
        var parent = Optional.ofNullable(local.path().toAbsolutePath().getParent());
        if (parent.isPresent() && !Files.isDirectory(parent.get())) {
            throw missing(parent.get().toString(), "mkdir -p " + ShellWord.of(parent.get()));
        }
        return new AsLocal(local.path());
    }

    private static CommandFailure notDirectory(String path) {
        return CommandFailure.of(ExitCode.FAILED, "FS-0020", path + ": not a directory");
    }

    private static CommandFailure missing(String path, String hint) {
        return CommandFailure.of(ExitCode.NOT_FOUND, "FS-0002", path + ": no such directory").hint(hint);
    }
}
