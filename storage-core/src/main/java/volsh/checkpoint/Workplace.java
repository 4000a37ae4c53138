package volsh.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import volsh.fs.DirectoryEntry;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.RenameMode;
import volsh.transfer.Observer;
import volsh.transfer.Removing;
import volsh.vfs.Vfs;

/**
 * Where a checkpoint is before it has a name, and after it lost it: a directory of the volume that nobody looks into. A directory
 * in it says which process made it, so that what a dead one left is removed by the next: at once if it ran here, after a week
 * if it may run elsewhere.
 */
final class Workplace {
    static final String NAME = ".saving";

    private static final int PRIVATE = 0700;
    private static final Duration LONGEST = Duration.ofDays(7);
    private static final Pattern SHAPE = Pattern.compile("(\\w+)-(\\d+)-[0-9a-f-]{36}");

    private final Vfs vfs;
    private final Tree tree;

    Workplace(Vfs vfs, Tree tree) {
        this.vfs = vfs;
        this.tree = tree;
    }

    long directory() throws IOException {
        return tree.directory(Vfs.ROOT, NAME, PRIVATE);
    }

    /** A name that nothing has. */
    static String fresh() {
        return "%s-%d-%s".formatted(here(), ProcessHandle.current().pid(), UUID.randomUUID());
    }

    /** This boot of this host, as this process sees its neighbours: only then does a process number say something. */
    private static String here() {
        try {
            String boot = Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
            String space = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString().replaceAll("\\D", "");
            return boot.replace("-", "") + "_" + space;
        } catch (IOException | UnsupportedOperationException unknown) {
            return "unknown";
        }
    }

    /** Removes what processes left that are gone. */
    void clean(Instant now, Observer observer) throws IOException {
        var place = tree.find(Vfs.ROOT, NAME);
        if (place.isPresent()) {
            for (var entry : tree.entries(place.get().ino())) {
                removeIfLeft(place.get().ino(), entry, now, observer);
            }
        }
    }

    /** Under a name of its own first: of several who find it, one removes it. */
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
        if (name.matches() && !name.group(1).equals("unknown") && name.group(1).equals(here())) {
            return ProcessHandle.of(Long.parseLong(name.group(2))).isEmpty();
        }
        var changed = Instant.ofEpochSecond(0, vfs.attributes(entry.ino()).ctime());
        return changed.plus(LONGEST).isBefore(now);
    }

    void remove(long parent, Name name, Observer observer) throws IOException {
        new Removing(vfs, observer).tree(parent, name, vfs.lookup(parent, name));
    }
}
