package volsh.disk;

import static volsh.disk.ModeAndOwner.DIRECTORY;
import static volsh.disk.ModeAndOwner.LINK;

import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import volsh.fs.ShellWord;
import volsh.proc.KernelFile;

/**
 * Whether a directory or file of this host can be trusted: only root and the user of this process can replace it. Used
 * for caches, journals, the home and its content, control sockets, jobs and rc files.
 *
 * <p>The object at the path belongs to root or to this user (or to the user who became root by sudo), and is neither
 * world-writable nor writable by a shared group. A symbolic link on the way also belongs to one of these. A
 * world-writable directory on the way has the sticky bit, like /tmp, unless this user could not set it, as in a
 * container whose scratch volume is open to all. A missing object is trusted if the way to it is.
 */
public final class Trust {
    private static final int LINKS_MAX = 40;
    private static final int STICKY = 01000;
    private static final int GROUP_WRITE = 020;
    private static final int OTHERS_WRITE = 02;
    private static final int BITS = 07777;
    /** The id that stands for owners unknown in a user namespace, such as root of the host. */
    private static final int UNMAPPED = 65534;

    private static final Trust OURS = new Trust(effectiveUser(),
            owners(effectiveUser(), System.getenv(), isWholeHost()));

    private final int uid;
    private final Set<Integer> owners;

    Trust(int uid, Set<Integer> owners) {
        this.uid = uid;
        this.owners = Set.copyOf(owners);
    }

    /** From the viewpoint of the user of this process. */
    public static Trust ofThisProcess() {
        return OURS;
    }

    /** Why a path is not trusted, and the command that fixes it. */
    public record Flaw(Path path, String reason, String fix) {}

    // ---- what is asked

    /** Checks a directory that must not be a link; empty if it is trusted. */
    public Optional<Flaw> ofDirectory(Path directory) throws IOException {
        return walk(directory, false, true);
    }

    /** Checks a directory, or a link to one. */
    public Optional<Flaw> ofLinkedDirectory(Path directory) throws IOException {
        return walk(directory, true, true);
    }

    /** Checks a file, or a link to one. */
    public Optional<Flaw> ofFile(Path file) throws IOException {
        return walk(file, true, false);
    }

    /** @throws UntrustedException unless it is a trusted directory, and not a link, or does not exist yet */
    public void require(Path directory) throws IOException {
        var flaw = ofDirectory(directory);
        if (flaw.isPresent()) {
            throw new UntrustedException(flaw.get());
        }
    }

    /** Like {@link #require}, but allows a link of ours. */
    public void requireLinked(Path directory) throws IOException {
        var flaw = ofLinkedDirectory(directory);
        if (flaw.isPresent()) {
            throw new UntrustedException(flaw.get());
        }
    }

    /** Whether it is ours, and not a link, regardless of its permissions. */
    public boolean isOurs(Path path) throws IOException {
        var seen = ModeAndOwner.of(path);
        return !seen.is(LINK) && owners.contains(seen.owner());
    }

    /** Whether it is a directory, not a link, in which only its trusted owner can replace something. */
    boolean isOnlyOurs(Path directory) throws IOException {
        var seen = ModeAndOwner.of(directory);
        return seen.is(DIRECTORY) && distrust(seen.owner(), seen.group(), seen.mode()).isEmpty();
    }

    // ---- how it is found out

    private Optional<Flaw> walk(Path path, boolean mayBeLink, boolean directory) throws IOException {
        Path absolute = path.toAbsolutePath().normalize();
        return walk(new NamedPathWalk(absolute.getRoot()), absolute, mayBeLink, directory);
    }

    /**
     * Walks to a directory, {@code names}, and opens it: what is checked is what is opened.
     *
     * @throws UntrustedException if it is not trusted
     * @throws NoSuchFileException if it does not exist, and the walk does not create it
     */
    void enter(HeldPathWalk way, Path names) throws IOException {
        var flaw = walk(way, names, false, true);
        if (flaw.isPresent()) {
            throw new UntrustedException(flaw.get());
        }
    }

    /** The flaw on the way, or of its end. */
    Optional<Flaw> walk(PathWalk way, Path names, boolean mayBeLink, boolean directory) throws IOException {
        Deque<Path> rest = new ArrayDeque<>();
        names.forEach(rest::add);
        rest.remove(Path.of(""));   // the path to the current directory
        int links = 0;
        while (!rest.isEmpty()) {
            var found = way.look(rest.remove());
            if (found.isEmpty()) {
                return Optional.empty();
            }
            ModeAndOwner seen = found.get();
            if (seen.is(LINK)) {
                var flaw = rest.isEmpty() && !mayBeLink ? Optional.of(aLink(way.next(), way.target()))
                        : ofLink(way.next(), seen);
                if (flaw.isPresent()) {
                    return flaw;
                }
                if (++links > LINKS_MAX) {
                    throw new FileSystemLoopException(names.toString());
                }
                follow(way, rest);
            } else {
                var flaw = rest.isEmpty() ? ofLast(way.next(), seen, directory) : ofAncestor(way.next(), seen);
                if (flaw.isPresent()) {
                    return flaw;
                }
                way.enter();
            }
        }
        return Optional.empty();
    }

    /** Puts the names of the link's target before the others. */
    private static void follow(PathWalk way, Deque<Path> rest) throws IOException {
        Path target = way.target();
        for (int i = target.getNameCount() - 1; i >= 0; i--) {
            rest.addFirst(target.getName(i));
        }
        if (target.isAbsolute()) {
            way.restart();
        }
    }

    private static Flaw aLink(Path link, Path target) {
        return new Flaw(link, "it is a symbolic link",
                "use its target instead: " + Disk.directoryOf(link).resolve(target).normalize());
    }

    private Optional<Flaw> ofLink(Path link, ModeAndOwner seen) {
        return owners.contains(seen.owner()) ? Optional.empty()
                : Optional.of(new Flaw(link, "it is a symbolic link owned by user %d".formatted(seen.owner()),
                        "ls -ld " + ShellWord.of(link)));
    }

    private Optional<Flaw> ofAncestor(Path directory, ModeAndOwner seen) {
        boolean open = seen.may(OTHERS_WRITE) && !seen.may(STICKY);
        return open && (uid == 0 || uid == seen.owner())
                ? Optional.of(new Flaw(directory, "it is world-writable, so that anyone can replace its contents",
                        "chmod +t " + ShellWord.of(directory)))
                : Optional.empty();
    }

    private Optional<Flaw> ofLast(Path path, ModeAndOwner seen, boolean directory) {
        if (directory && !seen.is(DIRECTORY)) {
            return Optional.of(new Flaw(path, "it is not a directory", "ls -ld " + ShellWord.of(path)));
        }
        return distrust(seen.owner(), seen.group(), seen.mode() & BITS)
                .map(reason -> new Flaw(path, reason, fix(path, seen)));
    }

    private String fix(Path path, ModeAndOwner seen) {
        return owners.contains(seen.owner()) ? "chmod go-w " + ShellWord.of(path)
                : uid == 0 ? "chown %d %s".formatted(uid, ShellWord.of(path))
                : seen.is(DIRECTORY) ? "create your own: mkdir -m 700 " + path.resolve("volsh-" + uid)
                : "ls -l " + ShellWord.of(path);
    }

    /** Why something with these attributes is not trusted; empty if it is. */
    public Optional<String> distrust(int owner, int group, int mode) {
        if (!owners.contains(owner)) {
            return Optional.of("it belongs to user %d, not to root or user %d".formatted(owner, uid));
        }
        if ((mode & OTHERS_WRITE) != 0) {
            return Optional.of("it is world-writable");
        }
        boolean alone = group == 0 || group == owner;   // a user's private group has the user's number
        return (mode & GROUP_WRITE) == 0 || alone ? Optional.empty()
                : Optional.of("it is writable by group %d".formatted(group));
    }

    // ---- the current user

    /**
     * The users that {@code uid} trusts: root, itself, and the user who became root by sudo. In a user namespace root
     * of the host has no number of its own.
     */
    static Set<Integer> owners(int uid, Map<String, String> environment, boolean wholeHost) {
        var owners = new HashSet<>(List.of(0, uid));
        String became = environment.getOrDefault("SUDO_UID", "");
        if (uid == 0 && became.matches("[0-9]{1,9}")) {
            owners.add(Integer.parseInt(became));
        }
        if (!wholeHost) {
            owners.add(UNMAPPED);
        }
        return owners;
    }

    private static int effectiveUser() {
        try {
            for (String line : KernelFile.text(Path.of("/proc/self/status")).lines().toList()) {
                if (line.startsWith("Uid:")) {
                    return Integer.parseUnsignedInt(line.strip().split("\\s+")[2]);
                }
            }
        } catch (IOException unknown) {
            // then only root is trusted
        }
        return UNMAPPED;
    }

    /** Whether this process knows all users of the host by their numbers. */
    private static boolean isWholeHost() {
        try {
            return KernelFile.line(Path.of("/proc/self/uid_map")).matches("0\\s+0\\s+4294967295");
        } catch (IOException unknown) {
            return true;
        }
    }
}
