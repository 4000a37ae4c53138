package volsh.cache.disk;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import volsh.disk.Disk;

/**
 * The files of the cached blocks of a volume, in 256 directories by the lowest byte of their numbers. {@link
 * CacheDirectory#LOCK} shows that the disk is mounted: without it no file is made, because it would end up below the
 * mount point of an unmounted disk.
 */
final class BlockFiles {
    private static final Pattern SHELF = Pattern.compile("[0-9a-f]{2}");
    private static final Pattern FILE = Pattern.compile("[0-9a-f]{16}");
    private static final List<String> SHELVES = IntStream.range(0, 256).mapToObj("%02x"::formatted).toList();
    private static final int LISTERS = 4;
    private static final int SHELVES_FOR_ONE = 32;

    private final Disk disk;
    private final Path root;
    private final int volume;
    private final boolean[] seen = new boolean[SHELVES.size()];   // as directories, not links

    BlockFiles(Disk disk, Path root) {
        this.disk = disk;
        this.root = root;
        this.volume = root.getFileName().toString().hashCode();
    }

    BlockFile form(long block) {
        return new BlockFile(volume, block);
    }

    Path root() {
        return root;
    }

    /** @throws NoSuchFileException if there is no directory for it */
    private Path path(long block) throws IOException {
        int number = (int) block & 0xff;
        var shelf = root.resolve(SHELVES.get(number));
        if (!seen[number]) {
            if (!disk.isDirectory(shelf)) {
                throw new NoSuchFileException(shelf.toString());
            }
            seen[number] = true;
        }
        return shelf.resolve(HexFormat.of().toHexDigits(block));
    }

    /** @throws NoSuchFileException if it is not here */
    Disk.File open(long block) throws IOException {
        return disk.open(path(block));
    }

    /** @throws NoSuchFileException if it is not here */
    Disk.Stamp stamp(long block) throws IOException {
        var path = path(block);
        return disk.stamp(path).orElseThrow(() -> new NoSuchFileException(path.toString()));
    }

    Disk.File edit(long block) throws IOException {
        return disk.edit(path(block));
    }

    /** A new file, in place of what a crash may have left. */
    Disk.File create(long block) throws IOException {
        try {
            return disk.create(path(block));
        } catch (FileAlreadyExistsException leftOver) {
            disk.delete(path(block));
            return disk.create(path(block));
        } catch (NoSuchFileException noShelf) {
            requireDisk();
            disk.makeDirectories(root, SHELVES);   // all at once: one by one, each would take a listing and a sync
            return disk.create(path(block));
        }
    }

    /** Looks for the name only: opening and closing a file that this process has locked would unlock it. */
    private void requireDisk() throws IOException {
        if (!isMarked()) {
            throw new NoSuchFileException(root.resolve(CacheDirectory.LOCK).toString());
        }
    }

    boolean isMarked() throws IOException {
        return disk.list(root).stream().anyMatch(file -> file.name().equals(CacheDirectory.LOCK));
    }

    void delete(long block) throws IOException {
        try {
            disk.delete(path(block));
        } catch (NoSuchFileException noShelf) {
            // an empty mount point
        }
    }

    /** Visits cached blocks. */
    interface Visitor {
        void found(long block, long size, long modifiedMillis) throws IOException;
    }

    /**
     * Visits every block, by the names of files alone. Lists several directories in parallel: a million files are a
     * million calls.
     */
    void visit(Visitor visitor) throws IOException {
        var shelves = shelves();
        if (shelves.size() < SHELVES_FOR_ONE) {
            for (var shelf : shelves) {
                visit(disk.list(shelf), visitor);
            }
            return;
        }
        var threads = Executors.newFixedThreadPool(LISTERS,
                Thread.ofPlatform().daemon().name("cache-lister-", 0).factory());
        try {
            var coming = new ArrayDeque<Future<List<Disk.Listed>>>();
            for (var shelf : shelves) {
                coming.add(threads.submit(() -> disk.list(shelf)));
                if (coming.size() > 2 * LISTERS) {
                    visit(listed(coming.remove()), visitor);
                }
            }
            for (var last : coming) {
                visit(listed(last), visitor);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static List<Disk.Listed> listed(Future<List<Disk.Listed>> coming) throws IOException {
        try {
            return coming.get();
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException reason ? reason : new IOException(failed.getCause());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while listing a cache directory");
        }
    }

    private static void visit(List<Disk.Listed> shelf, Visitor visitor) throws IOException {
        for (var file : shelf) {
            var block = block(file);
            if (block.isPresent()) {
                visitor.found(block.getAsLong(), file.size(), file.modifiedMillis());
            }
        }
    }

    private List<Path> shelves() throws IOException {
        return disk.list(root).stream()
                .filter(listed -> listed.directory() && SHELF.matcher(listed.name()).matches())
                .map(listed -> root.resolve(listed.name())).toList();
    }

    private static OptionalLong block(Disk.Listed file) {
        return file.directory() || !FILE.matcher(file.name()).matches()
                ? OptionalLong.empty() : OptionalLong.of(HexFormat.fromHexDigitsToLong(file.name()));
    }
}
