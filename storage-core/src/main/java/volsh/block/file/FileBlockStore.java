package volsh.block.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.NoSuchBlockException;
import volsh.disk.Disk;

/**
 * Keeps each block in a file of its own below a directory, named by its key.
 *
 * <p>A put writes a file with a temporary name, syncs it, renames it and syncs the directory, in this order: at no
 * moment does the key name a part of the block, and when the put returns neither bytes nor name can be lost. Temporary
 * names start with a dot, which no key does; what a crash left of them is never listed, and removed in passing by
 * {@link #list} once a day old. The tree below the root is used only as far as it is made of real directories.
 */
public final class FileBlockStore implements BlockStore {
    private static final String TEMPORARY = ".put-";
    private static final Duration LEFTOVER_AGE = Duration.ofDays(1);

    private final Path root;
    private final Disk disk;
    private final InstantSource clock;
    private final SharedSync directorySync;
    private final Set<Path> known = ConcurrentHashMap.newKeySet();
    private final AtomicLong puts = new AtomicLong();
    private final String unique = Long.toHexString(ThreadLocalRandom.current().nextLong());

    public FileBlockStore(Path root, Disk disk) {
        this(root, disk, InstantSource.system());
    }

    FileBlockStore(Path root, Disk disk, InstantSource clock) {
        this.root = root.toAbsolutePath().normalize();
        this.disk = disk;
        this.clock = clock;
        this.directorySync = new SharedSync(disk);
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        if (offset < 0) {
            throw new IllegalArgumentException("negative offset: " + offset);
        }
        Path path = path(key);
        if (!isDirectory(path.getParent())) {
            throw new NoSuchBlockException(key);
        }
        try (Disk.File file = disk.open(path)) {
            return file.read(target, offset);
        } catch (NoSuchFileException absent) {
            throw new NoSuchBlockException(key);
        } catch (IOException failed) {
            throw isDirectory(path) ? new NoSuchBlockException(key) : failed;
        }
    }

    @Override
    public void put(BlockKey key, ByteBuffer data) throws IOException {
        Path path = path(key);
        Path temporary = path.resolveSibling(TEMPORARY + unique + "-" + puts.incrementAndGet());
        try (Disk.File file = create(temporary)) {
            file.write(data.duplicate(), 0);
            file.sync();
            disk.rename(temporary, path);
        } catch (IOException | RuntimeException failed) {
            discard(temporary, failed);
            throw failed;
        }
        directorySync.sync(path.getParent());
    }

    private Disk.File create(Path temporary) throws IOException {
        makeDirectory(temporary.getParent());
        try {
            return disk.create(temporary);
        } catch (NoSuchFileException directoryRemovedMeanwhile) {
            known.clear();
            makeDirectory(temporary.getParent());
            return disk.create(temporary);
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
        if (isDirectory(path.getParent())) {
            disk.delete(path);
        }
    }

    /** Walks the tree as the stream is read; a directory at a time is in memory. */
    @Override
    public Stream<Listed> list(String prefix) {
        return list(root, "", prefix);
    }

    private Stream<Listed> list(Path directory, String parent, String prefix) {
        return children(directory, parent).stream().flatMap(child -> child.listed().directory()
                ? reaches(child.order(), prefix) ? list(directory.resolve(child.listed().name()), child.order(), prefix) : Stream.of()
                : child.order().startsWith(prefix) ? Stream.of(listed(child)) : Stream.of());
    }

    /** A name below the root; {@code order} is its key, with a slash behind it if it is a directory, as keys sort. */
    private record Child(String order, Disk.Listed listed) {}

    private List<Child> children(Path directory, String parent) {
        try {
            return disk.list(directory).stream()
                    .filter(found -> isBlockOrDirectory(directory, found))
                    .map(found -> new Child(parent + found.name() + (found.directory() ? "/" : ""), found))
                    .sorted(Comparator.comparing(Child::order))
                    .toList();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static boolean reaches(String directory, String prefix) {
        return directory.startsWith(prefix) || prefix.startsWith(directory);
    }

    private static Listed listed(Child child) {
        return new Listed(new BlockKey(child.order()), child.listed().size(), Instant.ofEpochMilli(child.listed().modifiedMillis()));
    }

    private boolean isBlockOrDirectory(Path directory, Disk.Listed found) {
        boolean temporary = found.name().startsWith(TEMPORARY) && !found.directory();
        if (temporary && clock.millis() - found.modifiedMillis() > LEFTOVER_AGE.toMillis()) {
            removeLeftover(directory.resolve(found.name()));
        }
        return BlockKey.isKey(found.name());
    }

    private void removeLeftover(Path temporary) {
        try {
            disk.delete(temporary);
        } catch (IOException left) {
            throw new UncheckedIOException(left);
        }
    }

    @Override
    public void close() {}

    private Path path(BlockKey key) {
        return root.resolve(key.text());
    }

    /** Makes the directory, level by level from the root so that none of them is a link; once. */
    private void makeDirectory(Path directory) throws IOException {
        if (!known.contains(directory)) {
            if (!directory.equals(root)) {
                makeDirectory(directory.getParent());
            }
            disk.makeDirectories(directory);
            known.add(directory);
        }
    }

    /** Whether this is a directory, and so is all above it up to the root. */
    private boolean isDirectory(Path directory) throws IOException {
        if (directory.equals(root) || known.contains(directory)) {
            return true;
        }
        String name = directory.getFileName().toString();
        boolean found = isDirectory(directory.getParent())
                && disk.list(directory.getParent()).stream().anyMatch(each -> each.directory() && each.name().equals(name));
        if (found) {
            known.add(directory);
        }
        return found;
    }
}
