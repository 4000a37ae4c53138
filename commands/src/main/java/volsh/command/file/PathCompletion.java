package volsh.command.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Services;
import volsh.command.complete.Candidate;
import volsh.command.complete.CompletionSource;
import volsh.command.object.StoreCompletion;
import volsh.fs.DirectoryEntry;
import volsh.fs.FileKind;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/**
 * Completes {@code VOLUME:/path}: names of volumes before the colon, one directory of the volume after it. Only reads.
 */
final class PathCompletion implements CompletionSource {
    private static final int SHOWN_MAX = 1000;

    private final Services services;
    private final CompletionSource volumes;

    PathCompletion(Services services, CompletionSource volumes) {
        this.services = services;
        this.volumes = volumes;
    }

    /** The same, where a volume alone is enough: its name ends the word. */
    CompletionSource volumesAlone() {
        return new CompletionSource() {
            @Override
            public List<Candidate> candidates(String typed) throws Exception {
                return (typed.indexOf(':') < 0 ? volumes : PathCompletion.this).candidates(typed);
            }

            @Override
            public List<Candidate> ahead() throws Exception {
                return volumes.ahead();
            }

            @Override
            public String scope(String typed) {
                return PathCompletion.this.scope(typed);
            }
        };
    }

    /** Paths of the volume that the line names, without its name. */
    CompletionSource within() {
        return new CompletionSource() {
            @Override
            public List<Candidate> candidates(String typed) {
                return List.of();
            }

            @Override
            public List<Candidate> candidates(String typed, Map<String, String> given) throws Exception {
                String volume = given.getOrDefault("VOLUME", "");
                return volume.isEmpty() ? List.of() : names(services.of(Volumes.class), volume + ":" + rooted(typed))
                        .stream().map(found -> Candidate.name(found.word().substring(volume.length() + 1),
                                found.description())).toList();
            }

            @Override
            public String scope(String typed, Map<String, String> given) {
                return given.getOrDefault("VOLUME", "") + ":" + typed;
            }
        };
    }

    private static String rooted(String path) {
        return path.startsWith("/") ? path : "/" + path;
    }

    @Override
    public String scope(String typed) {
        return typed.indexOf(':') < 0 ? "" : typed;
    }

    @Override
    public List<Candidate> candidates(String typed) throws Exception {
        if (StoreCompletion.isMeant(typed)) {
            return StoreCompletion.keys(services.of(Volumes.class).stores(), typed);
        }
        if (typed.indexOf(':') < 0) {
            var names = new ArrayList<>(opened(volumes.candidates(typed)));
            names.addAll(StoreCompletion.stores(services.of(Volumes.class).stores()));
            return names;
        }
        return VolumePath.isOne(typed) ? names(services.of(Volumes.class), typed) : List.of();
    }

    @Override
    public List<Candidate> ahead() throws Exception {
        return opened(volumes.ahead());
    }

    private static List<Candidate> opened(List<Candidate> volumes) {
        return volumes.stream().map(volume -> Candidate.name(volume.word() + ":", volume.description())).toList();
    }

    private static List<Candidate> names(Volumes volumes, String typed) throws Exception {
        int slash = typed.lastIndexOf('/');
        var directory = slash < 0 ? typed.substring(0, typed.indexOf(':') + 1) + "/" : typed.substring(0, slash + 1);
        var prefix = slash < 0 ? "" : typed.substring(slash + 1);
        var path = VolumePath.of(directory);
        if (path.moment().isPresent()) {
            return List.of();   // readers of past states register a session, and completion must not write
        }
        var found = new ArrayList<Candidate>();
        try (var volume = volumes.open(path.volume(), Access.NAMES, "completion")) {
            long ino = directory(volume, path.path());
            for (var entry : entries(volume, ino, prefix)) {
                boolean folder = entry.kind() == FileKind.DIRECTORY;
                found.add(Candidate.name(directory + entry.name() + (folder ? "/" : ""), folder ? "directory"
                        : "file"));
            }
        }
        return found;
    }

    private static long directory(Volume volume, String path) throws IOException {
        try {
            return volume.paths().resolve(path).ino();
        } catch (FsException none) {
            var escaped = PathText.unescaped(path);
            if (escaped.isEmpty()) {
                throw none;
            }
            return volume.paths().resolve(escaped.get(), true).ino();
        }
    }

    /** The entries that begin with the prefix, or if there are none, all; dot files only if that begins with a dot. */
    private static List<DirectoryEntry> entries(Volume volume, long directory, String prefix) throws IOException {
        var entries = new ArrayList<DirectoryEntry>();
        if (prefix.isEmpty()) {
            entries.addAll(volume.vfs().list(directory, null, SHOWN_MAX));
            entries.removeIf(entry -> entry.name().bytes()[0] == '.');
            return entries;
        }
        if (prefix.equals(".") || prefix.equals("..")) {
            entries.addAll(volume.vfs().list(directory, null, SHOWN_MAX));
        } else {
            var name = Name.of(prefix);
            itself(volume, directory, name).ifPresent(entries::add);
            entries.addAll(volume.vfs().list(directory, name, SHOWN_MAX));
        }
        entries.removeIf(entry -> !entry.name().toString().startsWith(prefix));
        return entries.isEmpty() ? entries(volume, directory, "") : entries;
    }

    private static Optional<DirectoryEntry> itself(Volume volume, long directory, Name name) throws IOException {
        try {
            var file = volume.vfs().lookup(directory, name);
            return Optional.of(new DirectoryEntry(name, file.ino(), file.kind()));
        } catch (FsException none) {
            return Optional.empty();
        }
    }
}
