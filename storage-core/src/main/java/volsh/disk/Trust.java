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
import volsh.proc.KernelFile;

/**
 * Whether a directory or file of this host may be trusted: nobody but root and the user who runs this process can put something else
 * in its place. Caches, journals, the home with all that is in it, control sockets, jobs and rc files ask here.
 *
 * <p>What is at the path belongs to root or to this user (or to the user who became root by sudo), and neither everybody nor a group of several may
 * write to it. A symbolic link on the way belongs to one of these, too. A directory on the way that everybody may write to has the sticky
 * bit, as /tmp has; unless this user could not set it, as in a container whose scratch volume is open to all. What is not there yet is
 * trusted if the way to it is.
 */
public final class Trust {
    private static final int LINKS_MAX = 40;
    private static final int STICKY = 01000;
    private static final int GROUP_WRITE = 020;
    private static final int OTHERS_WRITE = 02;
    private static final int BITS = 07777;
    /** How the kernel shows owners that a user namespace does not know; root of the host is one. */
    private static final int UNMAPPED = 65534;

    private static final Trust OURS = new Trust(effectiveUser(), owners(effectiveUser(), System.getenv(), isWholeHost()));

    private final int uid;
    private final Set<Integer> owners;

    Trust(int uid, Set<Integer> owners) {
        this.uid = uid;
        this.owners = Set.copyOf(owners);
    }

    /** As the user sees it who runs this process. */
    public static Trust ofThisProcess() {
        return OURS;
    }

    /** Why a path is not trusted, and the command that mends it. */
    public record Flaw(Path path, String reason, String fix) {}

    // ---- what is asked

    /** A directory that is no link itself; empty if nothing is wrong. */
    public Optional<Flaw> ofDirectory(Path directory) throws IOException {
        return walk(directory, false, true);
    }

    /** A directory, or a link to one. */
    public Optional<Flaw> ofLinkedDirectory(Path directory) throws IOException {
        return walk(directory, true, true);
    }

    /** A file, or a link to one. */
    public Optional<Flaw> ofFile(Path file) throws IOException {
        return walk(file, true, false);
    }

    /** @throws UntrustedException unless it is a directory, and no link, that may be trusted, or there is none yet */
    public void require(Path directory) throws IOException {
        var flaw = ofDirectory(directory);
        if (flaw.isPresent()) {
            throw new UntrustedException(flaw.get());
        }
    }

    /** The same, but it may be a link of ours. */
    public void requireLinked(Path directory) throws IOException {
        var flaw = ofLinkedDirectory(directory);
        if (flaw.isPresent()) {
            throw new UntrustedException(flaw.get());
        }
    }

    /** Is it ours, and no link? Who may write to it is not asked. */
    public boolean isOurs(Path path) throws IOException {
        var seen = ModeAndOwner.of(path);
        return !seen.is(LINK) && owners.contains(seen.owner());
    }

    /** A directory, and no link, in which only its owner, one that is trusted, can replace something. The way to it is not asked. */
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
     * Goes the way to a directory, {@code names}, and opens it: what is checked is what is opened.
     *
     * @throws UntrustedException if it may not be trusted
     * @throws NoSuchFileException if it is not there, and the way makes none
     */
    void enter(HeldPathWalk way, Path names) throws IOException {
        var flaw = walk(way, names, false, true);
        if (flaw.isPresent()) {
            throw new UntrustedException(flaw.get());
        }
    }

    /** What is wrong on the way, or with what it ends at. */
    Optional<Flaw> walk(PathWalk way, Path names, boolean mayBeLink, boolean directory) throws IOException {
        Deque<Path> rest = new ArrayDeque<>();
        names.forEach(rest::add);
        rest.remove(Path.of(""));   // the way to where one stands
        int links = 0;
        while (!rest.isEmpty()) {
            var found = way.look(rest.remove());
            if (found.isEmpty()) {
                return Optional.empty();
            }
            ModeAndOwner seen = found.get();
            if (seen.is(LINK)) {
                var flaw = rest.isEmpty() && !mayBeLink ? Optional.of(aLink(way.next(), way.target())) : ofLink(way.next(), seen);
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

    /** Puts the words of the link before the others. */
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
        return new Flaw(link, "it is a symbolic link", "name what it leads to: " + Disk.directoryOf(link).resolve(target).normalize());
    }

    private Optional<Flaw> ofLink(Path link, ModeAndOwner seen) {
        return owners.contains(seen.owner()) ? Optional.empty()
                : Optional.of(new Flaw(link, "it is a symbolic link of user %d".formatted(seen.owner()), "ls -ld " + link));
    }

    private Optional<Flaw> ofAncestor(Path directory, ModeAndOwner seen) {
        boolean open = seen.may(OTHERS_WRITE) && !seen.may(STICKY);
        return open && (uid == 0 || uid == seen.owner())
                ? Optional.of(new Flaw(directory, "everybody may write to it and replace what is in it", "chmod +t " + directory))
                : Optional.empty();
    }

    private Optional<Flaw> ofLast(Path path, ModeAndOwner seen, boolean directory) {
        if (directory && !seen.is(DIRECTORY)) {
            return Optional.of(new Flaw(path, "it is not a directory", "ls -ld " + path));
        }
        return distrust(seen.owner(), seen.group(), seen.mode() & BITS).map(reason -> new Flaw(path, reason, fix(path, seen)));
    }

    private String fix(Path path, ModeAndOwner seen) {
        return owners.contains(seen.owner()) ? "chmod go-w " + path
                : uid == 0 ? "chown %d %s".formatted(uid, path)
                : seen.is(DIRECTORY) ? "make one of your own: mkdir -m 700 " + path.resolve("volsh-" + uid) : "ls -l " + path;
    }

    /** Why something of these attributes is not trusted; empty if it is. */
    public Optional<String> distrust(int owner, int group, int mode) {
        if (!owners.contains(owner)) {
            return Optional.of("it belongs to user %d, not to root or user %d".formatted(owner, uid));
        }
        if ((mode & OTHERS_WRITE) != 0) {
            return Optional.of("everybody may write to it");
        }
        boolean alone = group == 0 || group == owner;   // the group of one user has the user's number
        return (mode & GROUP_WRITE) == 0 || alone ? Optional.empty() : Optional.of("group %d may write to it".formatted(group));
    }

    // ---- who asks

    /** Whom {@code uid} trusts: root, itself, and who became root by sudo. In a user namespace root of the host has no number of its own. */
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
            // then root alone is trusted
        }
        return UNMAPPED;
    }

    /** Does this process know all users of the host by their numbers? */
    private static boolean isWholeHost() {
        try {
            return KernelFile.line(Path.of("/proc/self/uid_map")).matches("0\\s+0\\s+4294967295");
        } catch (IOException unknown) {
            return true;
        }
    }
}
