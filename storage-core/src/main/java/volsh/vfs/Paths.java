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

/**
 * Walks paths: slashes, {@code .}, {@code ..} and symbolic links, as a program with the volume's root would. A path is
 * bytes, as names are; one given as text is UTF-8. A slash at the end asks for a directory.
 */
public final class Paths {
    private static final int LINKS_MAX = 40;
    private static final int LENGTH_MAX = 4096;
    private static final byte[] HERE = {'.'};
    private static final byte[] UP = {'.', '.'};

    private final Vfs vfs;

    public Paths(Vfs vfs) {
        this.vfs = vfs;
    }

    /**
     * Where a name is, or would be: its directory, and what it leads to if it exists (a link itself, not its target).
     */
    public record Place(long directory, Name name, Optional<Attributes> found) {}

    /** What the path leads to, links followed. @throws FsException NO_ENTRY, NOT_DIRECTORY, SYMLINK_LOOP */
    public Attributes resolve(String path) throws IOException {
        return resolve(path, true);
    }

    /** What the path leads to; a link at its end is followed only if {@code follow}. */
    public Attributes resolve(String path, boolean follow) throws IOException {
        return resolve(path.getBytes(StandardCharsets.UTF_8), follow);
    }

    /** What the path leads to; a link at its end is followed only if {@code follow}. */
    public Attributes resolve(byte[] path, boolean follow) throws IOException {
        return walk(parts(path), follow, path);
    }

    /** A path of this inode, for messages; empty if it has no name. Slow in large directories. */
    public Optional<String> of(long ino) throws IOException {
        return vfs.names().path(ino);
    }

    /**
     * The place of the last name of the path.
     * @throws FsException INVALID if it has none, as {@code /} and {@code a/..}
     */
    public Place place(String path) throws IOException {
        return place(path.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The place of the last name of the path.
     * @throws FsException INVALID if it has none, as {@code /} and {@code a/..}
     */
    public Place place(byte[] path) throws IOException {
        int end = path.length;
        while (end > 0 && path[end - 1] == '/') {
            end--;
        }
        var parts = parts(end == path.length ? path : Arrays.copyOf(path, end));
        if (parts.isEmpty()) {
            throw new FsException(FsError.INVALID, "'%s' is the root".formatted(text(path)));
        }
        var name = Name.of(parts.removeLast());
        var directory = walk(parts, true, path);
        requireDirectory(directory, path);
        var found = find(directory.ino(), name);
        if (end < path.length && found.isPresent()) {
            requireDirectory(found.get(), path);
        }
        return new Place(directory.ino(), name, found);
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

    private Attributes walk(Deque<byte[]> parts, boolean followLast, byte[] path) throws IOException {
        var at = vfs.attributes(Vfs.ROOT);
        int links = 0;
        while (!parts.isEmpty()) {
            var next = step(at, parts.removeFirst(), path);
            if (next.kind() != FileKind.SYMLINK || parts.isEmpty() && !followLast) {
                at = next;
                continue;
            }
            if (++links > LINKS_MAX) {
                throw new FsException(FsError.SYMLINK_LOOP, text(path) + ": " + FsError.SYMLINK_LOOP.text());
            }
            byte[] target = vfs.readSymlink(next.ino());
            var targetParts = parts(target);
            while (!targetParts.isEmpty()) {
                parts.addFirst(targetParts.removeLast());
            }
            at = target[0] == '/' ? vfs.attributes(Vfs.ROOT) : at;
        }
        return at;
    }

    private Attributes step(Attributes at, byte[] part, byte[] path) throws IOException {
        requireDirectory(at, path);
        try {
            return Arrays.equals(part, HERE) ? at
                    : Arrays.equals(part, UP) ? vfs.attributes(vfs.parent(at.ino()))
                    : vfs.lookup(at.ino(), Name.of(part));
        } catch (FsException refused) {
            throw new FsException(refused.error(), text(path) + ": " + refused.getMessage());
        }
    }

    private static void requireDirectory(Attributes at, byte[] path) throws FsException {
        if (!at.isDirectory()) {
            throw new FsException(FsError.NOT_DIRECTORY, text(path) + ": not a directory");
        }
    }

    private static String text(byte[] path) {
        return new String(path, StandardCharsets.UTF_8);
    }

    /** The parts between slashes; a slash at the end is a last part {@code .}, which only a directory has. */
    private static Deque<byte[]> parts(byte[] path) throws FsException {
        if (path.length >= LENGTH_MAX) {
            throw new FsException(FsError.NAME_TOO_LONG);
        }
        var parts = new ArrayDeque<byte[]>();
        for (int from = 0; from < path.length; ) {
            int to = from;
            while (to < path.length && path[to] != '/') {
                to++;
            }
            if (to > from) {
                parts.addLast(Arrays.copyOfRange(path, from, to));
            }
            from = to + 1;
        }
        if (path.length > 0 && path[path.length - 1] == '/') {
            parts.addLast(HERE);
        }
        return parts;
    }
}
