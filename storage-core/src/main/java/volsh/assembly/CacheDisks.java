package volsh.assembly;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import volsh.cache.disk.CacheDirectories;
import volsh.cache.disk.CacheDirectory;
import volsh.cache.disk.CacheSpace;
import volsh.cache.disk.DiskTier;
import volsh.catalog.CacheLock;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.disk.Disk;
import volsh.disk.UntrustedException;
import volsh.fs.ShellWord;
import volsh.fuse.MountTable;
import volsh.unit.ByteSize;

/**
 * Opens the cache directories of a volume for this process alone: below each, the volume has a directory named by its
 * id.
 */
public final class CacheDisks {
    /** A cache leaves a twentieth of a file system free, at most {@link #FLOOR_MAX}. */
    private static final int FLOOR_PART = 20;
    private static final long FLOOR_MAX = 10 * ByteSize.GIB;
    private static final long LAST_WRITES_SECONDS = 2;

    private final Disk disk;

    public CacheDisks(Disk disk) {
        this.disk = disk;
    }

    /** @throws Refusal if one of them cannot be used, or another process uses it */
    public DiskTier open(CacheSettings caching, UUID volume) throws IOException {
        if (caching.directories().isEmpty()) {
            return DiskTier.NONE;
        }
        var places = new ArrayList<CacheDirectories.Place>();
        try {
            for (var directory : caching.directories()) {
                places.add(open(directory, caching, volume));
            }
            return new CacheDirectories(places);
        } catch (IOException | RuntimeException refused) {
            places.forEach(CacheDirectories.Place::close);
            throw refused;
        }
    }

    private CacheDirectories.Place open(Path directory, CacheSettings caching, UUID volume) throws IOException {
        var root = directory.resolve(volume.toString());
        Disk held;
        try {
            requireElsewhere(directory);
            held = disk.makeHeld(directory).makeHeld(root);
        } catch (Refusal refused) {
            throw refused;
        } catch (UntrustedException untrusted) {
            throw Refusal.untrusted("the cache directory " + directory, untrusted);
        } catch (IOException unusable) {
            throw new Refusal(Reason.INVALID, "the cache directory %s is not usable: %s"
                    .formatted(directory, unusable.getMessage()), unusable, "mkdir -m 700 " + ShellWord.of(directory));
        }
        var lock = CacheLock.take(root, held);
        var writer = Executors.newSingleThreadExecutor(Thread.ofPlatform().name("cache-writer").daemon().factory());
        try {
            var fileSystem = Files.getFileStore(root);
            var room = new CacheSpace(caching.quotaBytes(fileSystem.getTotalSpace()),
                    floor(fileSystem), fileSystem::getUsableSpace);
            var tier = new CacheDirectory(held, root, room, writer);
            return new CacheDirectories.Place(directory.toString().hashCode(), tier,
                    List.of(() -> end(writer), lock::close));
        } catch (IOException | RuntimeException failed) {
            writer.shutdown();
            lock.close();
            throw failed;
        }
    }

    /** Whether that many more bytes leave free what a cache in this directory leaves free. */
    public static boolean fits(Path directory, long bytes) throws IOException {
        var fileSystem = Files.getFileStore(directory);
        return fileSystem.getUsableSpace() - bytes >= floor(fileSystem);
    }

    private static long floor(FileStore fileSystem) throws IOException {
        return Math.min(fileSystem.getTotalSpace() / FLOOR_PART, FLOOR_MAX);
    }

    /** A cache on a volsh mount would read through itself, or through another's cache. */
    private static void requireElsewhere(Path directory) throws IOException {
        var place = directory;
        while (!Files.exists(place) && place.getParent() != null) {
            place = place.getParent();
        }
        if (Files.getFileStore(place).type().equals(MountTable.TYPE)) {
            throw new Refusal(Reason.INVALID,
                    "the cache directory %s is on a volsh mount; a cache is for a local disk".formatted(directory));
        }
    }

    private static void end(ExecutorService writer) {
        writer.shutdown();
        try {
            if (!writer.awaitTermination(LAST_WRITES_SECONDS, TimeUnit.SECONDS)) {
                writer.shutdownNow();
            }
        } catch (InterruptedException stop) {
            writer.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
