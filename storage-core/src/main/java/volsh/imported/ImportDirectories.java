package volsh.imported;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.meta.ImportState;
import volsh.meta.ImportedFiles;
import volsh.vfs.Vfs;

/**
 * The directories of an import: makes those that keys need, and remembers those of the last key, as the next one
 * usually is beside it.
 */
final class ImportDirectories {
    /** In place of the inode of a directory that a dry run would make. */
    static final long NOT_MADE = 0;

    private static final int MODE = 0755;

    private final Vfs vfs;
    private final ImportedFiles files;
    private final long top;
    private final Owner owner;
    private final boolean dry;
    private final List<Name> names = new ArrayList<>();
    private final List<Long> inos = new ArrayList<>();
    private long made;

    ImportDirectories(Vfs vfs, ImportedFiles files, ImportRequest request) {
        this.vfs = vfs;
        this.files = files;
        this.top = request.directory();
        this.owner = request.owner();
        this.dry = request.dry();
    }

    /** Decides whether a file that is in the way of a directory may be removed; it is the key that leads there. */
    interface InTheWay {
        boolean giveWay(String key, ImportState file) throws IOException;
    }

    /** The inode of a directory, {@link #NOT_MADE}, or empty if something else has its name. */
    Optional<Long> find(List<Name> path, InTheWay inTheWay) throws IOException {
        int same = 0;
        while (same < path.size() && same < names.size() && path.get(same).equals(names.get(same))) {
            same++;
        }
        names.subList(same, names.size()).clear();
        inos.subList(same, inos.size()).clear();
        for (int i = same; i < path.size(); i++) {
            long parent = i == 0 ? top : inos.get(i - 1);
            var child = enter(parent, path.subList(0, i + 1), inTheWay);
            if (child.isEmpty()) {
                return Optional.empty();
            }
            names.add(path.get(i));
            inos.add(child.get());
        }
        return Optional.of(path.isEmpty() ? top : inos.getLast());
    }

    private Optional<Long> enter(long parent, List<Name> path, InTheWay inTheWay) throws IOException {
        var name = path.getLast();
        if (parent == NOT_MADE) {
            made++;
            return Optional.of(NOT_MADE);
        }
        try {
            var found = vfs.lookup(parent, name);
            if (found.kind() == FileKind.DIRECTORY) {
                return Optional.of(found.ino());
            }
            var state = files.look(parent, name);
            if (!inTheWay.giveWay(text(path), state)) {
                return Optional.empty();
            }
            if (!dry && !files.remove(parent, name, state)) {
                return enter(parent, path, inTheWay);   // it changed meanwhile
            }
        } catch (FsException missing) {
            if (missing.error() != FsError.NO_ENTRY) {
                throw missing;
            }
        }
        made++;
        return Optional.of(dry ? NOT_MADE : make(parent, name));
    }

    private long make(long parent, Name name) throws IOException {
        try {
            return vfs.makeDirectory(parent, name, MODE, owner).ino();
        } catch (FsException exists) {
            if (exists.error() != FsError.EXISTS) {
                throw exists;
            }
            return vfs.lookup(parent, name).ino();
        }
    }

    /** The key of a path. */
    static String text(List<Name> path) {
        return String.join("/", path.stream().map(Name::toString).toList());
    }

    /** How many were made. */
    long made() {
        return made;
    }
}
