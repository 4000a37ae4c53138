package volsh.volume;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import volsh.block.BlockStore;
import volsh.block.Hedged;
import volsh.block.Patience;
import volsh.block.Pause;
import volsh.block.Prefixed;
import volsh.block.Retrying;
import volsh.block.StoreUrl;
import volsh.block.file.FileBlockStore;
import volsh.block.memory.MemoryBlockStore;
import volsh.block.s3.S3BlockStore;
import volsh.disk.Disk;
import volsh.disk.FreeInodes;
import volsh.disk.OsDisk;
import volsh.meta.MetaEngine;
import volsh.meta.sqlite.SqliteMetaEngine;

/** The one place that names concrete parts: which engine serves the metadata, which store a URL means. */
final class Assembly {
    private final Disk disk = new OsDisk();
    private final Map<String, MemoryBlockStore> memories = new ConcurrentHashMap<>();

    static void ahead() {
        SqliteMetaEngine.loadDriver();
    }

    Disk disk() {
        return disk;
    }

    CacheDisks cacheDisks() {
        return new CacheDisks(disk);
    }

    /** The store a URL names, with the behaviour its options ask for. */
    BlockStore store(StoreUrl url) throws IOException {
        return store(url, Patience.USUAL);
    }

    private BlockStore store(StoreUrl url, Patience patience) throws IOException {
        return url.storeOptions().wrap(switch (url.scheme()) {
            case FILE -> new FileBlockStore(Path.of(url.path()), disk);
            case MEM -> memories.computeIfAbsent(url.path(), name -> new MemoryBlockStore());
            case S3 -> new Retrying(bucket(url), patience, Pause.REAL, new Random());
        });
    }

    private static BlockStore bucket(StoreUrl url) throws IOException {
        var bucket = S3BlockStore.open(url);
        return url.s3Options().hedge() ? new Hedged(bucket) : bucket;
    }

    /** Removes what deleted blocks leave behind below a prefix: empty directories. */
    void tidy(StoreUrl url, String prefix) throws IOException {
        if (url.scheme() == StoreUrl.Scheme.FILE) {
            removeEmpty(Path.of(url.path()).resolve(prefix));
        }
    }

    private void removeEmpty(Path directory) throws IOException {
        for (var child : disk.list(directory)) {
            if (child.directory()) {
                removeEmpty(directory.resolve(child.name()));
            }
        }
        try {
            Files.deleteIfExists(directory);
        } catch (DirectoryNotEmptyException inUse) {
            // something of somebody's is there
        }
    }

    /** How many bytes a store can still take; empty where nobody knows. */
    OptionalLong free(StoreUrl url) throws IOException {
        var place = existing(url);
        return place.isPresent() ? OptionalLong.of(FreeInodes.isExhausted(place.get()) ? 0 : Files.getFileStore(place.get()).getUsableSpace()) : OptionalLong.empty();
    }

    /** Whether the disk of a store in a directory has no inode left, and so no room for another block. */
    boolean hasNoInodes(StoreUrl url) {
        return existing(url).filter(FreeInodes::isExhausted).isPresent();
    }

    /** What a store in a directory lies on, or will once it is made. */
    Optional<FileStore> fileStore(StoreUrl url) throws IOException {
        var place = existing(url);
        return place.isPresent() ? Optional.of(Files.getFileStore(place.get())) : Optional.empty();
    }

    private static Optional<Path> existing(StoreUrl url) {
        if (url.scheme() != StoreUrl.Scheme.FILE) {
            return Optional.empty();
        }
        var place = Path.of(url.path());
        while (!Files.exists(place) && place.getParent() != null) {
            place = place.getParent();
        }
        return Optional.of(place);
    }

    /** The part of a store that belongs to one volume, which has the same elsewhere: nobody waits long for this one. */
    BlockStore redundantStore(StoreUrl url, String prefix) throws IOException {
        return new Prefixed(store(url, Patience.BRIEF), prefix);
    }

    /** The part of a store that belongs to one volume. */
    BlockStore store(StoreUrl url, String prefix) throws IOException {
        return new Prefixed(store(url), prefix);
    }

    SharedMetadata sharedMetadata() {
        return new SharedMetadata(disk);
    }

    MetaEngine createMetadata(Path directory) throws IOException {
        return SqliteMetaEngine.create(metadata(directory));
    }

    MetaEngine openMetadata(Path directory) throws IOException {
        return SqliteMetaEngine.open(metadata(directory));
    }

    Optional<Path> setLogAside(Path directory, String ending) throws IOException {
        return SqliteMetaEngine.setLogAside(metadata(directory), ending);
    }

    List<String> inspectDatabase(Path directory, boolean deep) throws IOException {
        return SqliteMetaEngine.inspect(metadata(directory), deep);
    }

    boolean hasDamagedLog(Path directory) throws IOException {
        return SqliteMetaEngine.hasDamagedLog(metadata(directory));
    }

    static Path metadata(Path directory) {
        return directory.resolve("meta.db");
    }
}
