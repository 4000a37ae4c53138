package volsh.block.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.MissingStoreException;
import volsh.block.NoSuchBlockException;
import volsh.block.PutsOnce;
import volsh.block.UnfinishedPut;
import volsh.disk.Disk;
import volsh.fs.NoSpaceException;
import volsh.proc.ProcessMark;

/**
 * Keeps each block in a file of its own below a directory, named by its key.
 *
 * <p>A put writes a file with a temporary name, syncs it, renames it and syncs the directory, in this order: the key
 * never names a part of a block, and when the put returns neither bytes nor name can be lost. Temporary names start
 * with a dot, which no key does, and name the writing process; what a crash left of them is never listed, but is
 * reported by {@link #unfinished}, and removed by {@link #list} once a day old. The tree below the root is used only as
 * far as it consists of real directories.
 *
 * <p>A store that {@link #existing has to exist} never creates its own directory: without it, the path may be the mount
 * point of a disk that is not mounted.
 */
public final class FileBlockStore implements BlockStore, PutsOnce {
    private static final String TEMPORARY = ".put-";
    private static final Duration LEFTOVER_AGE = Duration.ofDays(1);
    /** A writer that has used this many directories will use more: several are created at once, to save syncs. */
    private static final int FEW = 6;
    private static final int AT_ONCE = 16;

    private final Path root;
    private final Optional<Existing> existing;
    private final Disk disk;
    private final InstantSource clock;
    private final SharedSync directorySync;
    private final Set<Path> found = ConcurrentHashMap.newKeySet();
    private final Set<Path> made = ConcurrentHashMap.newKeySet();
    private final AtomicLong puts = new AtomicLong();
    private final String unique = Long.toHexString(ThreadLocalRandom.current().nextLong());

    public FileBlockStore(Path root, Disk disk) {
        this(root, disk, InstantSource.system());
    }

    FileBlockStore(Path root, Disk disk, InstantSource clock) {
        this(root, Optional.empty(), disk, clock);
    }

    private FileBlockStore(Path root, Optional<Existing> existing, Disk disk, InstantSource clock) {
        this.root = root.toAbsolutePath().normalize();
        this.existing = existing;
        this.disk = disk;
        this.clock = clock;
        this.directorySync = new SharedSync(disk);
    }

    /** What has to exist before a block can be called absent: the directory {@code part}, at or below the root. */
    private record Existing(String store, Path part) {}

    /**
     * The store named {@code store}, of which only what is below {@code part} is used. While that directory is missing
     * every call fails with a {@link MissingStoreException}.
     */
    public static FileBlockStore existing(String store, Path root, String part, Disk disk) {
        var absolute = root.toAbsolutePath().normalize();
        return new FileBlockStore(absolute, Optional.of(new Existing(store, absolute.resolve(part))), disk,
                InstantSource.system());
    }

    private void requireExisting() throws IOException {
        if (existing.isPresent() && isMissing(existing.get().part())) {
            throw new MissingStoreException(existing.get().store(), root, existing.get().part(), isMissing(root));
        }
    }

    /** A link counts as existing, and is refused on writing. */
    private boolean isMissing(Path directory) throws IOException {
        return !disk.isDirectory(directory) && disk.stamp(directory).isEmpty();
    }

    private NoSuchBlockException noSuchBlock(BlockKey key) throws IOException {
        requireExisting();
        return new NoSuchBlockException(key);
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        if (offset < 0) {
            throw new IllegalArgumentException("negative offset: " + offset);
        }
        Path path = path(key);
        if (!isDirectory(Disk.directoryOf(path))) {
            throw noSuchBlock(key);
        }
        try (Disk.File file = disk.open(path)) {
            return file.read(target, offset);
        } catch (NoSuchFileException absent) {
            throw noSuchBlock(key);
        } catch (IOException failed) {
            throw isDirectory(path) ? new NoSuchBlockException(key) : failed;
        }
    }

    @Override
    public void put(BlockKey key, ByteBuffer data) throws IOException {
        put(key, data, disk::rename);
    }

    /** Like {@link #put}, but the complete and synced file gets its name by a link, of which there can be only one. */
    @Override
    public boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException {
        try {
            put(key, data, this::link);
            return true;
        } catch (TakenException taken) {
            var found = ByteBuffer.allocate(data.remaining() + 1);
            get(key, 0, found);
            boolean mine = found.flip().equals(data);
            directorySync.sync(Disk.directoryOf(path(key)));   // its writer may not have come this far
            return mine;
        }
    }

    private void link(Path temporary, Path path) throws IOException {
        try {
            disk.link(temporary, path);
        } catch (FileAlreadyExistsException taken) {
            throw new TakenException(taken);
        }
        disk.delete(temporary);
    }

    /** The key already exists. */
    private static final class TakenException extends IOException {
        TakenException(IOException cause) {
            super(cause);
        }
    }

    /** How a finished file gets its name. */
    private interface Naming {
        void name(Path temporary, Path path) throws IOException;
    }

    private void put(BlockKey key, ByteBuffer data, Naming naming) throws IOException {
        Path path = path(key);
        Path temporary = path.resolveSibling(TEMPORARY + ProcessMark.own().text() + "-" + unique + "-"
                + puts.incrementAndGet());
        try (Disk.File file = create(temporary, data.remaining())) {
            file.write(data.duplicate(), 0);
            file.sync();
            naming.name(temporary, path);
        } catch (IOException failed) {
            discard(temporary, failed);
            throw NoSpaceException.isBehind(failed) ? full(failed) : named(failed);
        } catch (RuntimeException failed) {
            discard(temporary, failed);
            throw failed;
        }
        directorySync.sync(Disk.directoryOf(path));
    }

    /** Names the directory of the store: the name of a temporary file means nothing to a user. */
    private IOException named(IOException failed) {
        IOException named = failed instanceof AccessDeniedException ? new AccessDeniedException(root.toString())
                : failed.getClass() == FileSystemException.class
                        ? new FileSystemException(root.toString(), null, ((FileSystemException) failed).getReason())
                        : failed;
        if (named != failed) {
            named.addSuppressed(failed);
        }
        return named;
    }

    private NoSpaceException full(IOException failed) {
        var full = new NoSpaceException("%s: %s".formatted(root, NoSpaceException.words(failed)), null);
        full.addSuppressed(failed);
        return full;
    }

    private Disk.File create(Path temporary, long size) throws IOException {
        makeDirectory(Disk.directoryOf(temporary));
        try {
            return disk.create(temporary, size);
        } catch (NoSuchFileException directoryRemovedMeanwhile) {
            made.clear();
            makeDirectory(Disk.directoryOf(temporary));
            return disk.create(temporary, size);
        }
    }

    private void discard(Path temporary, Exception reason) {
        try {
            disk.delete(temporary);
        } catch (IOException left) {
            reason.addSuppressed(left);
        }
    }

    @Override
    public void delete(BlockKey key) throws IOException {
        Path path = path(key);
        if (isDirectory(Disk.directoryOf(path))) {
            disk.delete(path);
        }
        requireExisting();
    }

    /** Walks the tree as the stream is read; one directory at a time is in memory. */
    @Override
    public Stream<Listed> list(String prefix) {
        return list(root, "", prefix);
    }

    private Stream<Listed> list(Path directory, String parent, String prefix) {
        return children(directory, parent).stream()
                .filter(child -> reaches(child, prefix))
                .flatMap(child -> child.listed().directory()
                        ? list(directory.resolve(child.listed().name()), child.order(), prefix)
                        : Stream.of(listed(child)));
    }

    /** A name below the root; {@code order} is its key, followed by a slash if it is a directory, as keys sort. */
    private record Child(String order, Disk.Listed listed) {}

    private List<Child> children(Path directory, String parent) {
        try {
            return entries(directory).stream()
                    .filter(each -> isBlockOrDirectory(directory, each))
                    .map(each -> new Child(parent + each.name() + (each.directory() ? "/" : ""), each))
                    .sorted(Comparator.comparing(Child::order))
                    .toList();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** A missing directory has no entries, unless the whole store is missing. */
    private List<Disk.Listed> entries(Path directory) throws IOException {
        var entries = disk.list(directory);
        if (entries.isEmpty()) {
            requireExisting();
        }
        return entries;
    }

    /** Whether this is a block with the prefix, or a directory that may contain some. */
    private static boolean reaches(Child child, String prefix) {
        return child.order().startsWith(prefix) || child.listed().directory() && prefix.startsWith(child.order());
    }

    private static Listed listed(Child child) {
        var modified = Instant.ofEpochMilli(child.listed().modifiedMillis());
        return new Listed(new BlockKey(child.order()), child.listed().size(), modified);
    }

    private boolean isBlockOrDirectory(Path directory, Disk.Listed each) {
        boolean temporary = each.name().startsWith(TEMPORARY) && !each.directory();
        if (temporary && clock.millis() - each.modifiedMillis() > LEFTOVER_AGE.toMillis()) {
            removeLeftover(directory.resolve(each.name()));
        }
        return BlockKey.isKey(each.name());
    }

    private void removeLeftover(Path temporary) {
        try {
            disk.delete(temporary);
        } catch (IOException left) {
            throw new UncheckedIOException(left);
        }
    }

    @Override
    public List<UnfinishedPut> unfinished(String prefix) throws IOException {
        var found = new ArrayList<UnfinishedPut>();
        findUnfinished(root, "", prefix, found);
        return found;
    }

    private void findUnfinished(Path directory, String parent, String prefix, List<UnfinishedPut> found)
            throws IOException {
        for (var each : entries(directory)) {
            if (each.directory() && BlockKey.isKey(each.name())) {
                String below = parent + each.name() + "/";
                if (below.startsWith(prefix) || prefix.startsWith(below)) {
                    findUnfinished(directory.resolve(each.name()), below, prefix, found);
                }
            } else if (!each.directory() && each.name().startsWith(TEMPORARY) && parent.startsWith(prefix)) {
                found.add(new UnfinishedPut(parent + each.name(), each.size(),
                        Instant.ofEpochMilli(each.modifiedMillis()), writer(each.name())));
            }
        }
    }

    private static UnfinishedPut.Writer writer(String temporary) {
        int end = temporary.indexOf('-', TEMPORARY.length());
        return switch (new ProcessMark(temporary.substring(TEMPORARY.length(), Math.max(end, TEMPORARY.length())))
                .state()) {
            case ALIVE -> UnfinishedPut.Writer.ALIVE;
            case GONE -> UnfinishedPut.Writer.GONE;
            case UNKNOWN -> UnfinishedPut.Writer.UNKNOWN;
        };
    }

    @Override
    public void discard(UnfinishedPut left) throws IOException {
        int end = left.name().lastIndexOf('/') + 1;
        Path directory = end == 0 ? root : path(new BlockKey(left.name().substring(0, end - 1)));
        String name = left.name().substring(end);
        if (!name.startsWith(TEMPORARY)) {
            throw new IllegalArgumentException("invalid name of an unfinished put: " + left.name());
        }
        if (isDirectory(directory)) {
            disk.delete(directory.resolve(name));
        }
        requireExisting();
    }

    @Override
    public void close() {}

    private Path path(BlockKey key) {
        return root.resolve(key.text());
    }

    /** Creates the directory, level by level from the root so that none of them is a link; once. */
    private void makeDirectory(Path directory) throws IOException {
        if (!made.contains(directory)) {
            makeMissing(directory);
        }
    }

    /** One thread at a time: threads that start together need the same few. */
    private synchronized void makeMissing(Path directory) throws IOException {
        if (made.contains(directory)) {
            return;
        }
        if (existing.isPresent() && existing.get().part().startsWith(directory)) {
            requireExisting();
        }
        if (!directory.equals(root)) {
            makeDirectory(Disk.directoryOf(directory));
        }
        if (made.size() < FEW || !madeWithNext(directory)) {
            makeOne(directory);
            made.add(directory);
        }
    }

    /** If the store has to exist, no parent is created: it may vanish at any moment. */
    private void makeOne(Path directory) throws IOException {
        if (existing.isPresent() && !directory.equals(root)) {
            disk.makeDirectories(Disk.directoryOf(directory), List.of(directory.getFileName().toString()));
        } else {
            disk.makeDirectories(directory);
        }
    }

    /** Creates this directory and the next ones; false if there are none, or not all of them can be created. */
    private boolean madeWithNext(Path directory) {
        var names = following(directory.getFileName().toString());
        try {
            if (!names.isEmpty()) {
                disk.makeDirectories(Disk.directoryOf(directory), names);
                names.forEach(name -> made.add(directory.resolveSibling(name)));
            }
            return !names.isEmpty();
        } catch (IOException oneOfThem) {
            return false;
        }
    }

    /** The names of this and the following block directories, whose numbers ascend; empty if it is none of them. */
    private static List<String> following(String name) {
        if (!name.matches("[0-9a-f]{2}")) {
            return List.of();
        }
        int first = HexFormat.fromHexDigits(name);
        return IntStream.range(first, Math.min(first + AT_ONCE, 256))
                .mapToObj(number -> HexFormat.of().toHexDigits((byte) number)).toList();
    }

    /** Whether this and all its parents up to the root are directories. Checks each on the disk once. */
    private boolean isDirectory(Path directory) throws IOException {
        if (directory.equals(root) || found.contains(directory)) {
            return true;
        }
        boolean there = isDirectory(Disk.directoryOf(directory)) && disk.isDirectory(directory);
        if (there) {
            found.add(directory);
        }
        return there;
    }
}
