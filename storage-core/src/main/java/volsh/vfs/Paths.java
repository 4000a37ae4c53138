package volsh.vfs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;
import volsh.fs.Attributes;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;

/** Walks text paths: slashes, {@code .}, {@code ..} and symbolic links, as a program with the volume's root would. */
public final class Paths {
    private static final int LINKS_MAX = 40;
    private static final int LENGTH_MAX = 4096;

    private final Vfs vfs;

    public Paths(Vfs vfs) {
        this.vfs = vfs;
    }

    /** Where a name is, or would be: its directory, and what it leads to if it exists (a link itself, not its target). */
    public record Place(long directory, Name name, Optional<Attributes> found) {}

    /** What the path leads to, links followed. @throws FsException NO_ENTRY, NOT_DIRECTORY, SYMLINK_LOOP */
    public Attributes resolve(String path) throws IOException {
        return resolve(path, true);
    }

    /** What the path leads to; a link at its end is followed only if {@code follow}. */
    public Attributes resolve(String path, boolean follow) throws IOException {
        return walk(parts(path), follow, path);
    }

    /** The place of the last name of the path. @throws FsException INVALID if it has none, as {@code /} and {@code a/..} */
    public Place place(String path) throws IOException {
        var parts = parts(path);
        if (parts.isEmpty()) {
            throw new FsException(FsError.INVALID, "'%s' is the root".formatted(path));
        }
        var name = Name.of(parts.removeLast());
        var directory = walk(parts, true, path);
        if (!directory.isDirectory()) {
            throw new FsException(FsError.NOT_DIRECTORY, path + ": not a directory");
        }
        return new Place(directory.ino(), name, find(directory.ino(), name));
    }

    private Optional<Attributes> find(long directory, Name name) throws IOException {
        try {
            return Optional.of(vfs.lookup(directory, name));
        } catch (FsException refused) {
            if (refused.error() == FsError.NO_ENTRY) {
                return Optional.empty();
            }
            throw refused;
        }
    }

    private Attributes walk(Deque<String> parts, boolean followLast, String path) throws IOException {
        var at = vfs.attributes(Vfs.ROOT);
        int links = 0;
        while (!parts.isEmpty()) {
            var part = parts.removeFirst();
            var next = step(at, part, path);
            if (next.kind() != FileKind.SYMLINK || parts.isEmpty() && !followLast) {
                at = next;
                continue;
            }
            if (++links > LINKS_MAX) {
                throw new FsException(FsError.SYMLINK_LOOP, path + ": " + FsError.SYMLINK_LOOP.text());
            }
            var target = new String(vfs.readSymlink(next.ino()), StandardCharsets.UTF_8);
            var targetParts = parts(target);
            while (!targetParts.isEmpty()) {
                parts.addFirst(targetParts.removeLast());
            }
            at = target.startsWith("/") ? vfs.attributes(Vfs.ROOT) : at;
        }
        return at;
    }

    private Attributes step(Attributes at, String part, String path) throws IOException {
        if (!at.isDirectory()) {
            throw new FsException(FsError.NOT_DIRECTORY, path + ": not a directory");
        }
        try {
            return part.equals("..") ? vfs.attributes(vfs.parent(at.ino())) : vfs.lookup(at.ino(), Name.of(part));
        } catch (FsException refused) {
            throw new FsException(refused.error(), path + ": " + refused.getMessage());
        }
    }

    private static Deque<String> parts(String path) throws FsException {
        if (path.length() > LENGTH_MAX) {
            throw new FsException(FsError.NAME_TOO_LONG);
        }
        var parts = new ArrayDeque<String>();
        Arrays.stream(path.split("/")).filter(part -> !part.isEmpty() && !part.equals(".")).forEach(parts::addLast);
        return parts;
    }
}
