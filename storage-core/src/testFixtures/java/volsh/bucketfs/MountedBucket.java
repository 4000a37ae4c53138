package volsh.bucketfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import volsh.block.StoreUrl;
import volsh.bucket.OpenBuckets;
import volsh.cache.MemoryCache;
import volsh.cache.disk.DiskTier;
import volsh.fs.Owner;
import volsh.fuse.TestMount;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectQuery;
import volsh.object.ObjectStore;
import volsh.object.PutCondition;
import volsh.s3test.S3Server;

/** A new bucket of a real server, mounted in this process; another program reaches it through {@link #store}. */
public final class MountedBucket implements AutoCloseable {
    private final ObjectStore store;
    private final ObjectStore own;
    private final BucketFileSystem files;
    private final TestMount mount;

    private MountedBucket(ObjectStore store, ObjectStore own, BucketFileSystem files, TestMount mount) {
        this.store = store;
        this.own = own;
        this.files = files;
        this.mount = mount;
    }

    public static BucketSettings settings() {
        return BucketSettings.of(new Owner(0, 0));
    }

    public static MountedBucket of(Path parent) throws IOException {
        return of(parent, settings());
    }

    public static MountedBucket of(Path parent, BucketSettings settings) throws IOException {
        return of(parent, settings, newBucket(), DiskTier.NONE);
    }

    /** Mounts a bucket that others reach as the same object. */
    public static MountedBucket of(Path parent, BucketSettings settings, ObjectStore store) throws IOException {
        return of(parent, settings, store, store, DiskTier.NONE);
    }

    /** A new bucket, by its URL. */
    public static String newBucket() throws IOException {
        var server = S3Server.shared();
        return "s3://%s?endpoint=%s&anonymous=true".formatted(server.newBucket(), server.endpoint());
    }

    public static MountedBucket of(Path parent, BucketSettings settings, String url, DiskTier disk)
            throws IOException {
        var own = OpenBuckets.open(StoreUrl.of(url));
        return of(parent, settings, own, OpenBuckets.open(StoreUrl.of(url)), disk);
    }

    /** Mounts {@code own}; {@code store} is how others reach the same bucket. */
    public static MountedBucket of(Path parent, BucketSettings settings, ObjectStore own, ObjectStore store,
            DiskTier disk) throws IOException {
        var files = new BucketFileSystem(own, settings, new MemoryCache(32 << 20, 128 << 10), disk,
                UploadLog.open(Files.createTempDirectory(parent, "uploads")), InstantSource.system());
        return new MountedBucket(store, own, files, TestMount.of(files, parent));
    }

    /** Nothing is believed without asking. */
    public static BucketSettings asking() {
        return settings().withTtl(Duration.ZERO);
    }

    public Path directory() {
        return mount.directory();
    }

    public ObjectStore store() {
        return store;
    }

    public BucketFileSystem files() {
        return files;
    }

    public TestMount mount() {
        return mount;
    }

    public void put(String key, String text) throws IOException {
        store.put(key, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), ObjectHeaders.NONE,
                PutCondition.ALWAYS);
    }

    public void put(String key, byte[] bytes) throws IOException {
        store.put(key, ByteBuffer.wrap(bytes), ObjectHeaders.NONE, PutCondition.ALWAYS);
    }

    public byte[] get(String key) throws IOException {
        var target = ByteBuffer.allocate((int) store.head(key).size());
        store.get(key, 0, target, null);
        return target.array();
    }

    /** All keys of the bucket. */
    public List<String> keys() throws IOException {
        var keys = new ArrayList<String>();
        for (var query = ObjectQuery.all(""); ; ) {
            var page = store.list(query);
            page.objects().forEach(object -> keys.add(object.key()));
            if (page.next().isEmpty()) {
                return keys;
            }
            query = query.following(page.next().get());
        }
    }

    @Override
    public void close() throws IOException {
        try (store; own; files) {
            mount.close();
        }
    }
}
