package volsh.tree;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import volsh.block.RetryPolicy;
import volsh.block.StoreUrl;
import volsh.bucket.OpenBuckets;
import volsh.catalog.VolumePath;
import volsh.fs.Closeables;
import volsh.fs.Owner;
import volsh.object.ObjectStore;
import volsh.volume.Volume;

/** The trees that one command works on. Buckets are opened once each, and closed with this; volumes are not. */
public final class OpenTrees implements AutoCloseable {
    private final Volumes volumes;
    private final Owner owner;
    private final RetryPolicy retries;
    private final UploadRecords records;
    private final Map<StoreUrl, ObjectStore> buckets = new LinkedHashMap<>();

    /** Opens the volume of a path, now or in the past, or finds it open; its owner closes it. */
    public interface Volumes {
        Volume of(VolumePath path) throws IOException;
    }

    /** {@code owner} owns new files of volumes; {@code records} are the uploads that this machine has begun. */
    public OpenTrees(Volumes volumes, Owner owner, UploadRecords records) {
        this(volumes, owner, OpenBuckets.PATIENCE, records);
    }

    public OpenTrees(Volumes volumes, Owner owner, RetryPolicy retries, UploadRecords records) {
        this.volumes = volumes;
        this.owner = owner;
        this.retries = retries;
        this.records = records;
    }

    /** Opens the place; nothing need be there. */
    public FileTree of(Place place) throws IOException {
        return switch (place) {
            case Place.Local local -> new LocalTree(local.path());
            case Place.InVolume(var path) -> new VolumeTree(volumes.of(path), path, owner);
            case Place.InBucket object -> new BucketTree(bucket(object), object, records);
        };
    }

    /** The bucket of a place. */
    public synchronized ObjectStore bucket(Place.InBucket place) throws IOException {
        var url = place.bucket().url();
        var open = buckets.get(url);
        if (open == null) {
            open = OpenBuckets.open(url, retries);
            buckets.put(url, open);
        }
        return open;
    }

    /** Begins an object of unknown length, sent in parts of this length. Close it. */
    public ObjectStream stream(Place.InBucket object, int part) throws IOException {
        BucketNames.require(object.key(), object.bucket().shown());
        return new ObjectStream(bucket(object), object.bucket().url(), object.key(), part, records);
    }

    @Override
    public void close() throws IOException {
        try {
            Closeables.closeAll(List.copyOf(buckets.values()), ObjectStore::close);
        } finally {
            buckets.clear();
        }
    }
}
