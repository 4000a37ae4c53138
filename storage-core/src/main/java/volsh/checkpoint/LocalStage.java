package volsh.checkpoint;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import volsh.disk.Disk;
import volsh.disk.LocalTrees;
import volsh.disk.OsDisk;
import volsh.transfer.TransferThreads;

/**
 * Copies of checkpoints to save, on a local disk, so that the job can go on and overwrite the original. A returned copy
 * is complete and survives power loss; an incomplete copy of a killed process has a name that says so, and is removed
 * after a day.
 */
public final class LocalStage {
    private static final String HALF = ".half";
    private static final Duration FORGOTTEN = Duration.ofDays(1);
    /** The tolerance between process start times and file creation times. */
    private static final Duration CLOCKS = Duration.ofSeconds(5);
    /** Concurrent syncs of several files share those of the disk. */
    private static final int AT_A_TIME = 4;

    private final Path directory;
    private final Syncing syncing;

    /** Makes the content of a file, or the names in a directory, survive power loss. */
    interface Syncing {
        void sync(Path path) throws IOException;
    }

    public LocalStage(Path directory) {
        this(directory, LocalStage::force);
    }

    LocalStage(Path directory, Syncing syncing) {
        this.directory = directory;
        this.syncing = syncing;
    }

    /** What a copy is for; encoded in its name, for when its process is gone. */
    public record Purpose(String volume, String run, long step, OptionalInt rank) {
        private static final Pattern NAME = Pattern.compile("([^@]+)@([^@]+)@(\\d+)(?:-(\\d+))?@(\\d+)@[0-9a-f-]{36}");

        public Purpose(String volume, String run, long step) {
            this(volume, run, step, OptionalInt.empty());
        }

        private String name() {
            String shard = rank.isPresent() ? "-" + rank.getAsInt() : "";
            return "%s@%s@%d%s@%d@%s".formatted(volume, run, step, shard, ProcessHandle.current().pid(),
                    UUID.randomUUID());
        }
    }

    /**
     * A complete copy.
     *
     * @param pid   the process that made it
     * @param alive whether that process still runs
     */
    public record Copy(Path path, Purpose purpose, Instant since, long pid, boolean alive) {}

    /** All complete copies, the oldest first. */
    public List<Copy> list() throws IOException {
        var found = new ArrayList<Copy>();
        try (var names = Files.newDirectoryStream(directory)) {
            for (Path path : names) {
                var name = Purpose.NAME.matcher(path.getFileName().toString());
                if (name.matches()) {
                    add(path, name, found);
                }
            }
        } catch (NoSuchFileException none) {
            // there never was a copy
        }
        found.sort(Comparator.comparing(Copy::since));
        return found;
    }

    private static void add(Path path, Matcher name, List<Copy> found) throws IOException {
        try {
            found.add(look(path, name));
        } catch (NoSuchFileException saved) {
            // removed at this moment
        }
    }

    private static Copy look(Path path, Matcher name) throws IOException {
        var since = ((FileTime) Files.getAttribute(path, "unix:ctime")).toInstant();
        var rank = name.group(4) == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(name.group(4)));
        long pid = Long.parseLong(name.group(5));
        boolean alive = Workplace.isRunning(pid) && ProcessHandle.of(pid).flatMap(process ->
                process.info().startInstant()).map(start -> start.minus(CLOCKS).isBefore(since)).orElse(false);
        return new Copy(path, new Purpose(name.group(1), name.group(2), Long.parseLong(name.group(3)), rank), since,
                pid, alive);
    }

    /** Copies a file or a directory into a new directory, and returns that. */
    public Path copy(Path source, Purpose purpose) throws IOException {
        Saving.requireSource(source);
        prepare();
        Path whole = directory.resolve(purpose.name());
        Path half = whole.resolveSibling(whole.getFileName() + HALF);
        Files.createDirectory(half);
        try {
            if (Files.isDirectory(source)) {
                copyTree(source.toRealPath(), half);
            } else {
                copyFile(source.toRealPath(), half.resolve(source.getFileName()));
                syncing.sync(half);
            }
            Files.move(half, whole, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException | RuntimeException failed) {
            LocalTrees.remove(half);
            throw failed;
        }
        return named(whole);
    }

    /** A copy counts only once its name is durable, too. */
    private Path named(Path whole) throws IOException {
        try {
            syncing.sync(directory);
            return whole;
        } catch (IOException | RuntimeException failed) {
            LocalTrees.remove(whole);
            throw failed;
        }
    }

    /** Creates the directory if necessary, and removes incomplete copies. */
    private void prepare() throws IOException {
        new OsDisk().makePrivateDirectories(directory);
        var limit = FileTime.from(Instant.now().minus(FORGOTTEN));
        var left = new ArrayList<Path>();
        try (var names = Files.newDirectoryStream(directory, "*" + HALF)) {
            names.forEach(left::add);
        }
        for (Path half : left) {
            if (Files.getLastModifiedTime(half).compareTo(limit) < 0) {
                LocalTrees.remove(half);
            }
        }
    }

    /**
     * Like {@link #copy}, but moves a source on the same disk after syncing it, so the job must not touch it again. A
     * source on another disk is copied and then removed.
     */
    public Path take(Path source, Purpose purpose) throws IOException {
        Saving.requireSource(source);
        if (Files.isSymbolicLink(source)
                || !Files.getFileStore(source).equals(Files.getFileStore(existing(directory)))) {
            Path copy = copy(source, purpose);
            LocalTrees.remove(source);
            return copy;
        }
        prepare();
        Path whole = directory.resolve(purpose.name());
        syncTree(source);
        Path taken = whole;
        if (Files.isRegularFile(source)) {
            Files.createDirectory(whole);
            taken = whole.resolve(source.getFileName());
        }
        Files.move(source, taken, StandardCopyOption.ATOMIC_MOVE);
        try {
            if (!taken.equals(whole)) {
                syncing.sync(whole);
            }
            syncing.sync(directory);
            syncing.sync(Disk.directoryOf(source.toAbsolutePath()));
            return whole;
        } catch (IOException | RuntimeException failed) {
            Files.move(taken, source, StandardCopyOption.ATOMIC_MOVE);
            LocalTrees.remove(whole);
            throw failed;
        }
    }

    private static Path existing(Path path) {
        Path found = path.toAbsolutePath();
        while (!Files.exists(found)) {
            found = Disk.directoryOf(found);
        }
        return found;
    }

    private void syncTree(Path source) throws IOException {
        syncAll(each(source, (path, attributes) -> {
            if (attributes.isRegularFile()) {
                syncing.sync(path);
            }
        }));
    }

    private void copyTree(Path source, Path target) throws IOException {
        var copied = each(source, (path, attributes) -> {
            Path copy = target.resolve(source.relativize(path).toString());
            if (!attributes.isDirectory()) {
                copyFile(path, copy);
            } else if (!copy.equals(target)) {
                Files.createDirectory(copy);
            }
        });
        syncAll(copied.stream().map(path -> target.resolve(source.relativize(path).toString())).toList());
    }

    /** Syncs the contents of directories before their names. */
    private void syncAll(List<Path> directories) throws IOException {
        for (Path each : directories.reversed()) {
            syncing.sync(each);
        }
    }

    /** The action for each file and directory. */
    private interface Visit {
        void of(Path path, BasicFileAttributes attributes) throws IOException;
    }

    /** Visits directories one by one before their contents, files several at a time; returns the directories. */
    private static List<Path> each(Path top, Visit visit) throws IOException {
        var directories = new ArrayList<Path>();
        try (var crew = new TransferThreads(AT_A_TIME)) {
            Files.walkFileTree(top, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path found, BasicFileAttributes attributes)
                throws IOException {
                    visit.of(found, attributes);
                    directories.add(found);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    crew.submit(() -> visit.of(file, attributes));
                    return FileVisitResult.CONTINUE;
                }
            });
            crew.finish();
        }
        return directories;
    }

    private void copyFile(Path file, Path copy) throws IOException {
        var before = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        Files.copy(file, copy, LinkOption.NOFOLLOW_LINKS, StandardCopyOption.COPY_ATTRIBUTES);
        if (before.isRegularFile()) {
            syncing.sync(copy);
            var after = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (before.size() != after.size() || !before.lastModifiedTime().equals(after.lastModifiedTime())) {
                throw new IOException("%s changed while it was being copied; nothing was saved".formatted(file));
            }
        }
    }

    private static void force(Path path) throws IOException {
        try (var channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
