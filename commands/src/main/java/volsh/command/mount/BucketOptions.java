package volsh.command.mount;

import java.nio.file.Path;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import volsh.assembly.CacheSettings;
import volsh.bucketfs.BucketSettings;
import volsh.catalog.Refusal;
import volsh.command.Session;
import volsh.command.store.BucketFlags;
import volsh.fs.Owner;
import volsh.fuse.Appearance;
import volsh.fuse.MountFlag;
import volsh.mount.BucketSpec;
import volsh.object.ObjectUpload;
import volsh.tree.NoSuchStoreException;
import volsh.tree.Place;
import volsh.tree.Places;
import volsh.unit.ByteSize;
import volsh.unit.Span;
import volsh.volume.Volumes;

/** The options of a mount that are for buckets. */
final class BucketOptions {
    private static final long PART_MAX = 128 << 20;

    @Option(names = "--ttl", paramLabel = "TIME",
            description = {"Bucket: use what is known of names for this long without asking the bucket (default: 1m).",
            "Within this time, changes by others may stay unseen; 0s asks each time."})
    private @Nullable Span ttl;

    @Option(names = "--immutable",
            description = "Bucket: never ask again for objects that are known; use it if none ever changes.")
    private boolean immutable;

    @Option(names = "--keep-attributes",
            description = "Bucket: keep modes, owners and times in the metadata of objects, as s3fs and rclone do.")
    private boolean keepAttributes;

    @Option(names = "--part", paramLabel = "SIZE",
            description = "Bucket: send large files in parts of this size, 5MiB to 128MiB (default: 8MiB).")
    private @Nullable ByteSize part;

    @Option(names = "--write-buffer", paramLabel = "SIZE",
            description = {"Bucket: keep this much of a file being written in memory, where it can be written in any"
                    + " order",
            "(default: 32MiB). Larger files can be written in order, and replaced, but not changed."})
    private @Nullable ByteSize buffer;

    @Option(names = "--rename-max", paramLabel = "COUNT",
            description = "Bucket: rename directories of up to this many objects (default: 10000).")
    private @Nullable Integer renameMax;

    @Option(names = "--timeout", paramLabel = "TIME",
            description = "Bucket: retry a failing request for this long, then fail with EIO (default: 30s).")
    private @Nullable Span timeout;

    @Mixin
    private BucketFlags bucket = new BucketFlags();

    /** Refuses these options for a volume. */
    void requireNone() {
        var all = new TreeMap<>(bucket.given());
        BucketFlags.put(all, "ttl", ttl == null ? null : "");
        BucketFlags.put(all, "immutable", immutable ? "" : null);
        BucketFlags.put(all, "keep-attributes", keepAttributes ? "" : null);
        BucketFlags.put(all, "part", part == null ? null : "");
        BucketFlags.put(all, "write-buffer", buffer == null ? null : "");
        BucketFlags.put(all, "rename-max", renameMax == null ? null : "");
        BucketFlags.put(all, "timeout", timeout == null ? null : "");
        if (!all.isEmpty()) {
            throw new IllegalArgumentException("--%s is for buckets, such as s3://bucket/prefix".formatted(
                    all.firstKey()));
        }
    }

    BucketSpec spec(Session session, String source, Path mountPoint, Set<MountFlag> flags, Appearance appearance,
            CacheSettings caching) throws Exception {
        var place = place(session, source);
        String prefix = place.key().isEmpty() || place.key().endsWith("/") ? place.key() : place.key() + "/";
        return new BucketSpec(source, place.bucket().url(), bucket.given(), prefix, mountPoint, flags,
                appearance, caching, settings(session, flags.contains(MountFlag.READ_ONLY), caching),
                timeout == null ? BucketSpec.PATIENCE : timeout.duration());
    }

    private Place.InBucket place(Session session, String source) throws Exception {
        try {
            var stores = session.service(Volumes.class).stores();
            return switch (new Places(name -> stores.list().stream()
                    .filter(entry -> entry.name().equals(name)).findFirst(), bucket.given()).of(source)) {
                case Place.InBucket bucket -> bucket;
                case Place.Local directory -> throw new IllegalArgumentException(
                        "%s is a directory: its files can be used without a mount".formatted(directory));
                case Place.InVolume volume -> throw new IllegalArgumentException("not a bucket: " + volume);
            };
        } catch (NoSuchStoreException none) {
            throw new Refusal(Refusal.Reason.NOT_FOUND, none.getMessage(), "volsh store list");
        }
    }

    private BucketSettings settings(Session session, boolean readOnly, CacheSettings caching)
            throws Exception {
        var parts = part == null ? BucketSettings.PART : part;
        if (parts.bytes() < ObjectUpload.PART_BYTES_MIN || parts.bytes() > PART_MAX) {
            throw new IllegalArgumentException("--part is from 5MiB to 128MiB, not " + parts);
        }
        if (renameMax != null && renameMax < 0) {
            throw new IllegalArgumentException("--rename-max is a number of objects, not " + renameMax);
        }
        return new BucketSettings(ttl == null ? BucketSettings.TTL : ttl.duration(), immutable, readOnly,
                keepAttributes, session.service(Owner.class), parts, buffer == null ? BucketSettings.BUFFER : buffer,
                caching.readahead(), renameMax == null ? BucketSettings.RENAME_MAX : renameMax);
    }
}
