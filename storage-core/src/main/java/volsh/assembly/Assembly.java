package volsh.assembly;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import volsh.block.Ability;
import volsh.block.BlockStore;
import volsh.block.Hedged;
import volsh.block.Pause;
import volsh.block.Prefixed;
import volsh.block.RetryPolicy;
import volsh.block.Retrying;
import volsh.block.StoreUrl;
import volsh.block.file.FileBlockStore;
import volsh.block.memory.MemoryBlockStore;
import volsh.block.s3.S3BlockStore;
import volsh.catalog.StoreEntry;
import volsh.disk.Disk;
import volsh.disk.FreeInodes;
import volsh.disk.OsDisk;
import volsh.engine.MetaEngine;
import volsh.engine.sqlite.SqliteMetaEngine;

/** The one place that names concrete parts: which engine serves the metadata, which store a URL means. */
public final class Assembly {
    private final Disk disk;
    private final UnaryOperator<BlockStore> overStores;
    private final UnaryOperator<MetaEngine> overEngines;
    private final Map<String, MemoryBlockStore> memories = new ConcurrentHashMap<>();

    public Assembly() {
        this(new OsDisk(), UnaryOperator.identity(), UnaryOperator.identity());
    }

    /** Uses this disk, and lays something over every store and every embedded engine that it opens. */
    public Assembly(Disk disk, UnaryOperator<BlockStore> overStores, UnaryOperator<MetaEngine> overEngines) {
        this.disk = disk;
        this.overStores = overStores;
        this.overEngines = overEngines;
    }

    public static void ahead() {
        SqliteMetaEngine.loadDriver();
    }

    public Disk disk() {
        return disk;
    }

    public CacheDisks cacheDisks() {
        return new CacheDisks(disk);
    }

    /** The store a URL names, with the behaviour its options ask for; its directory has to exist. */
    public BlockStore store(StoreUrl url) throws IOException {
        return store(new Place(url.toString(), url, "", true), RetryPolicy.USUAL);
    }

    /** The same for a store with a name. The built-in one is made when it is first used. */
    public BlockStore store(StoreEntry entry) throws IOException {
        return store(new Place(entry.name(), entry.url(), "", !entry.builtIn()), RetryPolicy.USUAL);
    }

    /** Where a store is, and what of it is used: {@code exists} if that is never made anew. */
    private record Place(String name, StoreUrl url, String part, boolean exists) {
        FileBlockStore directory(Disk disk) {
            var root = Path.of(url.path());
            return exists ? FileBlockStore.existing(name, root, part, disk) : new FileBlockStore(root, disk);
        }
    }

    private BlockStore store(Place place, RetryPolicy patience) throws IOException {
        var url = place.url();
        return overStores.apply(url.storeOptions().wrap(switch (url.scheme()) {
            case FILE -> place.directory(disk);
            case MEM -> memories.computeIfAbsent(url.path(), name -> new MemoryBlockStore());
            case S3 -> new Retrying(bucket(url), patience, Pause.REAL, new Random());
        }));
    }

    private static BlockStore bucket(StoreUrl url) throws IOException {
        var bucket = S3BlockStore.open(url);
        return url.s3Options().hedge() ? new Hedged(bucket) : bucket;
    }

    /** What the server of a bucket can do; nothing for other stores. */
    public List<Ability> abilities(StoreUrl url, String prefix, Set<Ability.Kind> kinds) throws IOException {
        if (url.scheme() != StoreUrl.Scheme.S3) {
            return List.of();
        }
        try (var bucket = S3BlockStore.open(url)) {
            return bucket.abilities(prefix, kinds);
        }
    }

    /** Removes what deleted blocks leave behind below a prefix: empty directories. */
    public void tidy(StoreUrl url, String prefix) throws IOException {
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
            // something else is there
        }
    }

    /** How many bytes a store can still take; empty if that is unknown. */
    public OptionalLong free(StoreEntry store) throws IOException {
        var place = existing(store);
        return place.isPresent() ? OptionalLong.of(FreeInodes.isExhausted(place.get())
                ? 0 : Files.getFileStore(place.get()).getUsableSpace()) : OptionalLong.empty();
    }

    /** Whether the disk of a store in a directory has no inode left, and so no room for another block. */
    public boolean hasNoInodes(StoreEntry store) {
        return existing(store).filter(FreeInodes::isExhausted).isPresent();
    }

    /**
     * What a store in a directory lies on; of the built-in one, what it will once it is made. Empty if the directory is
     * missing.
     */
    Optional<FileStore> fileStore(StoreEntry store) throws IOException {
        var place = existing(store);
        return place.isPresent() ? Optional.of(Files.getFileStore(place.get())) : Optional.empty();
    }

    private static Optional<Path> existing(StoreEntry store) {
        var place = Path.of(store.url().path());
        if (store.url().scheme() != StoreUrl.Scheme.FILE || !store.builtIn() && !Files.exists(place)) {
            return Optional.empty();
        }
        while (!Files.exists(place) && place.getParent() != null) {
            place = place.getParent();
        }
        return Optional.of(place);
    }

    /** Which directories of a store have to exist; the others are made by the first put. */
    public enum Needs {
        NOTHING,
        STORE,
        /** Also that of the volume. */
        PART
    }

    /**
     * The part of a store that belongs to one volume. Retries are few if the same data is elsewhere
     * ({@code redundant}).
     */
    public BlockStore part(StoreEntry entry, String prefix, Needs needs, boolean redundant) throws IOException {
        var place = new Place(entry.name(), entry.url(), needs == Needs.PART ? prefix : "", needs != Needs.NOTHING);
        return new Prefixed(store(place, redundant ? RetryPolicy.BRIEF : RetryPolicy.USUAL), prefix);
    }

    /** The same for a probe: a request that fails is not tried again. */
    public BlockStore probed(StoreEntry entry, String prefix, Needs needs) throws IOException {
        return new Prefixed(store(new Place(entry.name(), entry.url(), "", needs != Needs.NOTHING), RetryPolicy.ONCE),
                prefix);
    }

    /** The same for a store without a name. */
    public BlockStore part(StoreUrl url, String prefix) throws IOException {
        return new Prefixed(store(new Place(url.toString(), url, prefix, true), RetryPolicy.USUAL), prefix);
    }

    /** Makes the directory of a store, if it is in one. */
    void makeDirectory(StoreUrl url) throws IOException {
        if (url.scheme() == StoreUrl.Scheme.FILE) {
            disk.makeDirectories(Path.of(url.path()));
        }
    }

    public SharedMetadata sharedMetadata() {
        return new SharedMetadata(disk);
    }

    public MetaEngine createMetadata(Path directory) throws IOException {
        return SqliteMetaEngine.create(metadata(directory));
    }

    MetaEngine openMetadata(Path directory) throws IOException {
        return overEngines.apply(SqliteMetaEngine.open(metadata(directory)));
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

    public static Path metadata(Path directory) {
        return directory.resolve("meta.db");
    }
}
