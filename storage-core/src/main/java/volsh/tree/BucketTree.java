package volsh.tree;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import volsh.fs.Attributes;
import volsh.fs.FileKind;
import volsh.object.NoSuchObjectException;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectInfo;
import volsh.object.ObjectQuery;
import volsh.object.ObjectStore;

/**
 * Objects of a bucket. The place {@code s3://b/data} is the object of this key if there is one, and else what is below
 * {@code data/}. A key that ends with a slash is a marker of a directory. Does not own the store.
 */
final class BucketTree implements FileTree {
    private final ObjectStore store;
    private final Place.InBucket place;
    private final UploadRecords records;

    BucketTree(ObjectStore store, Place.InBucket place, UploadRecords records) {
        this.store = store;
        this.place = place;
        this.records = records;
    }

    ObjectStore store() {
        return store;
    }

    @Override
    public String name(String path) {
        return place.at(key(path)).toString();
    }

    /** The key of a path. */
    String key(String path) {
        return path.isEmpty() ? place.key() : prefix("") + path;
    }

    /** How keys begin that are below a path. */
    private String prefix(String path) {
        String key = path.isEmpty() ? place.key() : key(path);
        return key.isEmpty() || key.endsWith("/") ? key : key + '/';
    }

    static TreeEntry file(String path, ObjectInfo info) {
        return new TreeEntry(path, attributes(FileKind.REGULAR, info.size(), info.modified()), info.etag(),
                new TreeEntry.Origin.Key(info.key()));
    }

    static TreeEntry directory(String path, String key, Instant modified) {
        return new TreeEntry(path, attributes(FileKind.DIRECTORY, 0, modified), "", new TreeEntry.Origin.Key(key));
    }

    private static Attributes attributes(FileKind kind, long size, Instant modified) {
        long nanos = TimeUnit.SECONDS.toNanos(modified.getEpochSecond()) + modified.getNano();
        return new Attributes(0, kind, 0, 0, 0, 1, size, size, nanos, nanos, nanos, 0, 0);
    }

    @Override
    public Optional<TreeEntry> find(String path) throws IOException {
        String key = key(path);
        if (!key.isEmpty() && !key.endsWith("/")) {
            try {
                return Optional.of(file(path, store.head(key)));
            } catch (NoSuchObjectException none) {
                // there may be something below it
            }
        }
        var first = store.list(new ObjectQuery(prefix(path), false, "", 1));
        boolean any = key.isEmpty() || !first.objects().isEmpty();
        return any ? Optional.of(directory(path, key, Instant.EPOCH)) : Optional.empty();
    }

    @Override
    public TreeCursor children(String path) {
        return new BucketListing(store, prefix(path), path, true);
    }

    @Override
    public TreeCursor below(String path) {
        return new BucketListing(store, prefix(path), path, false);
    }

    static String keyOf(TreeEntry entry) {
        if (entry.origin() instanceof TreeEntry.Origin.Key(var key)) {
            return key;
        }
        throw new IllegalArgumentException("not an object: " + entry);
    }

    @Override
    public TreeReader open(TreeEntry file) {
        return new BucketReader(store, file, place.at(keyOf(file)).toString());
    }

    @Override
    public Map<String, String> metadata(TreeEntry file) throws IOException {
        return file.isDirectory() ? Map.of() : store.head(keyOf(file)).metadata();
    }

    @Override
    public long originalModified(TreeEntry file) throws IOException {
        return OriginalTime.in(metadata(file)).orElse(file.modified());
    }

    @Override
    public String target(TreeEntry link) {
        throw new UnsupportedOperationException("a bucket has no links");
    }

    @Override
    public TreeWriter create(NewEntry file) throws IOException {
        String key = key(file.path());
        BucketNames.require(key, place.bucket().shown());
        return new BucketWriter(store, place.bucket().url(), key, file, records);
    }

    @Override
    public void makeDirectory(String path) {
        // keys need none
    }

    @Override
    public void makeLink(String path, String target) {
        throw new UnsupportedOperationException("a bucket has no links");
    }

    @Override
    public void remove(List<TreeEntry> entries) throws IOException {
        if (!entries.isEmpty()) {
            store.delete(entries.stream().map(BucketTree::keyOf).toList());
        }
    }

    @Override
    public boolean copyTo(TreeEntry file, FileTree target, NewEntry copy) throws IOException {
        if (!(target instanceof BucketTree other) || !other.place.bucket().url().equals(place.bucket().url())) {
            return false;
        }
        String key = other.key(copy.path());
        BucketNames.require(key, place.bucket().shown());
        store.copy(keyOf(file), key, copy.metadata().isEmpty() ? null : ObjectHeaders.of(copy.metadata()));
        return true;
    }

    @Override
    public boolean keepsAttributes() {
        return false;
    }

    /** What a bucket has acknowledged is safe; uploads that were left there long ago are not continued. */
    @Override
    public void sync() throws IOException {
        records.sweep(place.bucket().url(), store, key -> false);
    }

    @Override
    public void complete() throws IOException {
        records.sweep(place.bucket().url(), store, key -> key.equals(place.key()) || key.startsWith(prefix("")));
    }

    @Override
    public void close() {}
}
