package volsh.command.mount;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import volsh.assembly.CacheSettings;
import volsh.block.StoreUrl;
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
    private BucketFlags flags = new BucketFlags();

    private final SortedMap<String, String> listed = new TreeMap<>();   // flags out of a list

    /** Takes options of buckets out of a list as in fstab, where they have underscores; returns the others. */
    String taken(String list) {
        var others = new ArrayList<String>();
        for (var option : list.split(",")) {
            int equals = option.indexOf('=');
            boolean known = equals < 0 ? flag(option.strip())
                    : value(option.substring(0, equals).strip(), option.substring(equals + 1).strip());
            if (!known) {
                others.add(option);
            }
        }
        return String.join(",", others);
    }

    private boolean flag(String name) {
        switch (name) {
            case "immutable" -> immutable = true;
            case "keep_attributes" -> keepAttributes = true;
            case "path_style", "anonymous", "insecure" -> listed.put(name.replace('_', '-'), "true");
            default -> {
                return false;
            }
        }
        return true;
    }

    private boolean value(String name, String value) {
        switch (name) {
            case "ttl" -> ttl = Span.of(value);
            case "part" -> part = ByteSize.of(value);
            case "write_buffer" -> buffer = ByteSize.of(value);
            case "timeout" -> timeout = Span.of(value);
            case "endpoint", "region", "profile" -> listed.put(name, value);
            default -> {
                return false;
            }
        }
        return true;
    }

    private SortedMap<String, String> given() {
        var given = new TreeMap<>(listed);
        given.putAll(flags.given());
        return given;
    }

    /** Refuses these options for a volume. */
    void requireNone() {
        var all = new TreeMap<>(given());
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

    BucketSpec spec(Session session, String source, Path mountPoint, Set<MountFlag> kernel, Appearance appearance,
            CacheSettings caching) throws Exception {
        boolean readOnly = kernel.contains(MountFlag.READ_ONLY);
        String prefix = "";
        var url = switch (place(session, source)) {
            case Place.InBucket(var bucket, var key) -> {
                prefix = key.isEmpty() || key.endsWith("/") ? key : key + "/";
                yield bucket.url();
            }
            case Place.Local local when readOnly -> StoreUrl.of("file://" + local.path().toAbsolutePath().normalize());
            case Place.Local local -> throw new IllegalArgumentException(
                    "%s is a directory, which is mounted with --read-only only".formatted(local.path()));
            case Place.InVolume volume -> throw new IllegalArgumentException("not a bucket: " + volume);
        };
        return new BucketSpec(source, url, given(), prefix, mountPoint, kernel, appearance, caching,
                settings(session, readOnly, caching), timeout == null ? BucketSpec.PATIENCE : timeout.duration());
    }

    private Place place(Session session, String source) throws Exception {
        try {
            var stores = session.service(Volumes.class).stores();
            return new Places(name -> stores.list().stream()
                    .filter(entry -> entry.name().equals(name)).findFirst(), given()).of(source);
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
