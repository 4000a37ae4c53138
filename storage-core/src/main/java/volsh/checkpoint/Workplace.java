package volsh.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import volsh.fs.DirectoryEntry;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.RenameMode;
import volsh.proc.KernelFile;
import volsh.proc.ProcessStat;
import volsh.transfer.Observer;
import volsh.transfer.Removing;
import volsh.vfs.Vfs;

/**
 * The hidden directory of a volume where a checkpoint is before it has a name, and after it lost it. The name of an
 * entry says which process made it and for which step, so that the next save removes what dead processes left: at once
 * if the process ran here, after a week if it may run elsewhere.
 */
final class Workplace {
    static final String NAME = ".saving";

    private static final String UNKNOWN = "unknown";
    private static final int PRIVATE = 0700;
    private static final Duration LONGEST = Duration.ofDays(7);
    private static final Pattern SHAPE = Pattern.compile(
            "(\\w+)-(\\d+)-[0-9a-f-]{36}(?:\\.(\\d+)(?:-(\\d+))?\\.(.+))?");

    private final Vfs vfs;
    private final Tree tree;

    Workplace(Vfs vfs, Tree tree) {
        this.vfs = vfs;
        this.tree = tree;
    }

    long directory() throws IOException {
        return tree.directory(Vfs.ROOT, NAME, PRIVATE);
    }

    /** An unused name. */
    static String fresh() {
        return "%s-%s".formatted(me(), UUID.randomUUID());
    }

    /** This process, as text for {@link #isGone}. */
    static String me() {
        return "%s-%d".formatted(here(), ProcessHandle.current().pid());
    }

    /** Whether this was a process of this host that no longer runs. */
    static boolean isGone(String who) {
        int cut = who.lastIndexOf('-');
        return cut > 0 && !who.startsWith(UNKNOWN) && who.substring(0, cut).equals(here())
                && !isRunning(Long.parseLong(who.substring(cut + 1)));
    }

    /** Whether there is a process of this number. A zombie does not count: in a container it may never be reaped. */
    static boolean isRunning(long pid) {
        return ProcessStat.isRunning(pid);
    }

    /** An unused name for a step being saved, which the name tells. */
    static String fresh(String run, long step, OptionalInt rank) {
        return "%s.%d%s.%s".formatted(fresh(), step, rank.isPresent() ? "-" + rank.getAsInt() : "", run);
    }

    /** Checkpoints being saved, and what dead processes left. */
    List<Underway> underway() throws IOException {
        var found = new ArrayList<Underway>();
        var place = tree.find(Vfs.ROOT, NAME);
        for (var entry : place.isPresent() ? tree.entries(place.get().ino()) : List.<DirectoryEntry>of()) {
            try {
                underway(entry).ifPresent(found::add);
            } catch (FsException gone) {
                if (gone.error() != FsError.NO_ENTRY) {
                    throw gone;
                }
            }
        }
        return found;
    }

    private Optional<Underway> underway(DirectoryEntry entry) throws IOException {
        String text = entry.name().toString();
        if (text.startsWith(Barrier.PREFIX)) {
            return Barrier.underway(vfs, tree, entry);
        }
        Matcher name = SHAPE.matcher(text);
        if (!name.matches() || name.group(3) == null) {
            return Optional.empty();
        }
        var ranks = new TreeSet<Integer>();
        if (name.group(4) != null) {
            ranks.add(Integer.valueOf(name.group(4)));
        }
        var pid = isMine(name) ? OptionalLong.of(Long.parseLong(name.group(2))) : OptionalLong.empty();
        var state = isGone(name) ? Underway.State.LEFT : Underway.State.WRITING;
        return Optional.of(new Underway(name.group(5), Long.parseLong(name.group(3)), 0, ranks, state, pid,
                Optional.empty()));
    }

    private static boolean isMine(Matcher name) {
        return !name.group(1).equals(UNKNOWN) && name.group(1).equals(here());
    }

    private static boolean isGone(Matcher name) {
        return isGone(name.group(1) + "-" + name.group(2));
    }

    /** This boot of this host and its pid namespace: only within these does a process number mean anything. */
    private static String here() {
        try {
            String boot = KernelFile.line(Path.of("/proc/sys/kernel/random/boot_id"));
            String space = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString().replaceAll("\\D", "");
            return boot.replace("-", "") + "_" + space;
        } catch (IOException | UnsupportedOperationException unknown) {
            return UNKNOWN;
        }
    }

    /** Removes what dead processes left. */
    void clean(Instant now, Observer observer) throws IOException {
        var place = tree.find(Vfs.ROOT, NAME);
        if (place.isPresent()) {
            for (var entry : tree.entries(place.get().ino())) {
                removeIfLeft(place.get().ino(), entry, now, observer);
            }
        }
    }

    /** Renames it first: of several processes that find it, one removes it. */
    private void removeIfLeft(long place, DirectoryEntry entry, Instant now, Observer observer) throws IOException {
        var mine = Name.of(fresh());
        try {
            if (!isLeft(entry, now)) {
                return;
            }
            vfs.rename(place, entry.name(), place, mine, RenameMode.NO_REPLACE);
        } catch (FsException otherWasFaster) {
            if (otherWasFaster.error() != FsError.NO_ENTRY) {
                throw otherWasFaster;
            }
            return;
        }
        remove(place, mine, observer);
    }

    private boolean isLeft(DirectoryEntry entry, Instant now) throws IOException {
        if (entry.name().toString().startsWith(Barrier.PREFIX)) {
            return Barrier.until(vfs, entry.ino()).map(until -> until.plus(Barrier.GRACE).isBefore(now)).orElse(false);
        }
        Matcher name = SHAPE.matcher(entry.name().toString());
        if (name.matches() && isMine(name)) {
            return isGone(name);
        }
        var changed = Instant.ofEpochSecond(0, vfs.attributes(entry.ino()).ctime());
        return changed.plus(LONGEST).isBefore(now);
    }

    void remove(long parent, Name name, Observer observer) throws IOException {
        new Removing(vfs, observer).tree(parent, name, vfs.lookup(parent, name));
    }
}
