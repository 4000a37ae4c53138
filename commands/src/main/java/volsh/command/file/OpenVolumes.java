package volsh.command.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.fs.Attributes;
import volsh.fs.Closeables;
import volsh.fs.DamagedException;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.ShellWord;
import volsh.vfs.Paths;
import volsh.volume.OpeningRequest;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/** The volumes that one command works on, each opened once. */
public final class OpenVolumes implements AutoCloseable {
    private final Volumes volumes;
    private final Access access;
    private final String purpose;
    private final Map<String, Volume> open = new LinkedHashMap<>();

    /** {@code purpose} is the command; sessions show it to explain why a volume is in use. */
    public OpenVolumes(Session session, Access access, String purpose) throws Exception {
        this.volumes = session.service(Volumes.class);
        this.access = access;
        this.purpose = purpose;
    }

    /** A file of a volume: its path, its last name (the root has none) and its inode. */
    record Spot(Volume volume, VolumePath path, Optional<Name> name, Attributes attributes) {
        @Override
        public String toString() {
            return path.toString();
        }
    }

    /** A name in a directory of a volume, in use or free. */
    record Place(Volume volume, VolumePath path, Paths.Place place) {
        Optional<Attributes> found() {
            return place.found();
        }

        @Override
        public String toString() {
            return path.toString();
        }
    }

    Volume of(String name) throws IOException {
        var volume = open.get(name);
        if (volume == null) {
            volume = volumes.open(name, access, purpose);
            open.put(name, volume);
        }
        return volume;
    }

    /** The volume now or at a past time; past states are always opened read-only. */
    public Volume of(VolumePath place) throws IOException {
        if (place.moment().isEmpty()) {
            return of(place.volume());
        }
        var volume = open.get(place.source());
        if (volume == null) {
            volume = volumes.open(OpeningRequest.past(place.volume(), place.moment().get(), purpose));
            open.put(place.source(), volume);
        }
        return volume;
    }

    /**
     * The file at the path; follows a link at its end only if {@code follow}. If it is missing, the error names similar
     * names.
     */
    Spot find(VolumePath path, boolean follow) throws IOException {
        try {
            return lookup(path, follow);
        } catch (FsException refused) {
            if (refused.error() != FsError.NO_ENTRY) {
                throw refused;
            }
            List<String> near = NearPaths.of(of(path), path);
            throw near.isEmpty() ? refused : new FsException(refused.error(),
                    "%s (did you mean %s ?)".formatted(refused.getMessage(), String.join(" or ", near)));
        }
    }

    private Spot lookup(VolumePath path, boolean follow) throws IOException {
        var volume = of(path);
        try {
            return find(volume, path, path.path().getBytes(StandardCharsets.UTF_8), follow);
        } catch (FsException refused) {
            var escaped = PathText.unescaped(path.path());
            if (refused.error() != FsError.NO_ENTRY || escaped.isEmpty()) {
                throw refused;
            }
            return find(volume, path, escaped.get(), follow);
        }
    }

    private static Spot find(Volume volume, VolumePath path, byte[] bytes, boolean follow) throws IOException {
        try {
            return new Spot(volume, path, PathText.name(bytes), volume.paths().resolve(bytes, follow));
        } catch (FsException refused) {
            throw named(path, refused);
        } catch (DamagedException damaged) {
            throw Trouble.damaged(path.toString(), damaged);
        }
    }

    /** The file at the path, if it exists; follows links. */
    Optional<Spot> search(VolumePath path) throws IOException {
        try {
            return Optional.of(lookup(path, true));
        } catch (FsException refused) {
            if (refused.error() == FsError.NO_ENTRY) {
                return Optional.empty();
            }
            throw refused;
        }
    }

    /** The name at the end of the path, whose directory must exist. */
    Place place(VolumePath path) throws IOException {
        requireNow(path);
        var volume = of(path);
        try {
            var literal = place(path, volume, path.path().getBytes(StandardCharsets.UTF_8));
            var escaped = PathText.unescaped(path.path());
            if (literal.found().isPresent() || escaped.isEmpty()) {
                return new Place(volume, path, literal);
            }
            var other = place(path, volume, escaped.get());
            return new Place(volume, path, other.found().isPresent() ? other : literal);
        } catch (FsException refused) {
            if (refused.error() == FsError.NO_ENTRY) {
                throw noDirectory(path);
            }
            throw refused;
        }
    }

    private static Paths.Place place(VolumePath path, Volume volume, byte[] bytes) throws IOException {
        try {
            return volume.paths().place(bytes);
        } catch (FsException refused) {
            throw named(path, refused);
        }
    }

    /** @throws CommandFailure if the path is in a snapshot or at a past time */
    static void requireNow(VolumePath path) {
        if (path.moment().isPresent()) {
            throw CommandFailure.of(ExitCode.PERMISSION, "FS-0030", path + ": snapshots and past states are read-only")
                    .hint("volsh snapshot restore %s --dry-run".formatted(ShellWord.of(path)));
        }
    }

    /** @throws CommandFailure if no path is given, and there is no working directory that could be meant */
    static void requireAny(List<String> places, String command) {
        if (places.isEmpty()) {
            throw CommandFailure.usage("missing required parameter: VOL:/PATH").hint("volsh " + command + " --help");
        }
    }

    static CommandFailure noDirectory(VolumePath path) {
        var parent = PathText.parent(path);
        return CommandFailure.of(ExitCode.NOT_FOUND, "FS-0002", parent + ": no such directory")
                .hint("volsh mkdir -p " + ShellWord.of(parent));
    }

    /** The error with the whole path, including the volume. */
    private static FsException named(VolumePath path, FsException refused) {
        boolean root = refused.error() == FsError.INVALID;
        return new FsException(refused.error(),
                path + ": " + (root ? "cannot rename or remove the root of a volume; to see what is in it: volsh ls "
                        + ShellWord.of(path) : refused.error().text())
                        + (refused.error() == FsError.NO_ENTRY ? PathText.spelling(path.path()) : ""));
    }

    /** Makes all changes in the volumes survive power loss. */
    public void sync() throws IOException {
        for (var volume : open.values()) {
            volume.sync();
        }
    }

    /** Closes all, even when one fails. */
    @Override
    public void close() throws IOException {
        try {
            Closeables.closeAll(List.copyOf(open.values()).reversed(), Volume::close);
        } finally {
            open.clear();
        }
    }
}
