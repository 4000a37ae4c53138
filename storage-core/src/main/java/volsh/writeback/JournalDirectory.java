package volsh.writeback;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import volsh.catalog.Log;
import volsh.catalog.ProcessLock;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.disk.Disk;
import volsh.disk.UntrustedException;
import volsh.fuse.MountTable;
import volsh.inventory.JournalRow;
import volsh.journal.Journal;

/** A journal in a directory that this process has locked for itself. */
public record JournalDirectory(Journal journal, ProcessLock lock) {
    private static final String LOCK = "lock";

    /**
     * A new one below {@code parent}. If it cannot be made, no directory is left that was not there.
     *
     * @throws Refusal if others may write there, or if it is in memory and {@code memoryWillDo} does not hold
     */
    public static JournalDirectory create(Path parent, Disk disk, InstantSource clock, boolean memoryWillDo)
            throws IOException {
        var id = UUID.randomUUID();
        var directory = parent.resolve(id.toString());
        var missing = missing(directory.toAbsolutePath());
        try {
            var held = makeParent(parent, disk, memoryWillDo);
            var journal = Journal.create(id, directory, held, clock);
            return new JournalDirectory(journal, lock(directory, journal.disk()).orElseThrow());
        } catch (IOException | RuntimeException refused) {
            removeEmpty(missing, refused);
            throw refused;
        }
    }

    private static Disk makeParent(Path parent, Disk disk, boolean memoryWillDo) throws IOException {
        Disk held;
        try {
            held = disk.makeHeld(Disk.directoryOf(parent)).makeHeld(parent);
        } catch (UntrustedException untrusted) {
            throw Refusal.untrusted("the journal directory " + parent.getParent(), untrusted);
        }
        if (!memoryWillDo && MountTable.isInMemory(parent)) {
            throw new Refusal(Reason.INVALID,
                    "the journal directory %s is in memory (%s): blocks that wait there do not survive a restart"
                    .formatted(parent.getParent(), MountTable.above(parent.toRealPath()).map(MountTable.Line::type)
                            .orElse("?")), "name a directory on a disk: --journal-dir DIRECTORY",
                    "or accept that a restart loses blocks that are not stored yet: --volatile");
        }
        return held;
    }

    /** It and the directories above it that are not there, the deepest first. */
    private static List<Path> missing(Path directory) {
        var missing = new ArrayList<Path>();
        for (var at = directory; at != null && !Files.exists(at, LinkOption.NOFOLLOW_LINKS); at = at.getParent()) {
            missing.add(at);
        }
        return missing;
    }

    /** Those with something in them are in use by others meanwhile. */
    private static void removeEmpty(List<Path> made, Exception reason) {
        try {
            for (var directory : made) {
                Files.deleteIfExists(directory);
            }
        } catch (IOException left) {
            reason.addSuppressed(left);
        }
    }

    private static Optional<ProcessLock> lock(Path directory, Disk held) throws IOException {
        return ProcessLock.tryTake(held.through(directory.resolve(LOCK)));
    }

    /** Is it on this host? Its name is one of a kind, so the directory itself says it: hosts change their names, and
     * containers have several. A directory that was put in its place has no lock. */
    public static boolean isHere(JournalRow row) {
        return Files.exists(Path.of(row.directory(), LOCK));
    }

    /** Was this process the last that had it? Its lock says so. */
    public static boolean isOf(JournalRow row, long pid) throws IOException {
        return ProcessLock.holder(Path.of(row.directory(), LOCK)).equals(Long.toString(pid));
    }

    /** The row of one that is here, with what its files hold now. */
    public static JournalRow counted(JournalRow row, Disk disk, InstantSource clock) throws IOException {
        try (var journal = Journal.open(row.id(), Path.of(row.directory()), disk, clock)) {
            return row.counted(clock.instant(), journal.blocks().size(), journal.bytes(),
                    journal.oldest().orElse(row.oldest()));
        }
    }

    /** One that a process left; empty if that process still runs, or if the directory is gone. */
    public static Optional<JournalDirectory> adopt(JournalRow row, Disk disk, InstantSource clock) throws IOException {
        if (!isHere(row)) {
            return Optional.empty();
        }
        var directory = Path.of(row.directory());
        Disk held;
        try {
            held = disk.hold(directory);
        } catch (UntrustedException untrusted) {
            Log.LOG.log(Level.WARNING,
                    "the journal %s of another process is left alone: %s".formatted(directory, untrusted.told()));
            return Optional.empty();
        } catch (NoSuchFileException gone) {
            return Optional.empty();
        }
        var lock = lock(directory, held);
        if (lock.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new JournalDirectory(Journal.open(row.id(), directory, held, clock), lock.get()));
        } catch (IOException | RuntimeException failed) {
            lock.get().close();
            throw failed;
        }
    }

    /** Removes it, if nothing is in it any more. */
    void remove() throws IOException {
        var directory = journal.directory();
        var disk = journal.disk();
        journal.tidy();
        if (disk.list(directory).stream().allMatch(file -> file.name().equals(LOCK))) {
            disk.delete(directory.resolve(LOCK));
            Files.deleteIfExists(directory);
        }
    }
}
