package volsh.gateway;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import volsh.assembly.CacheSettings;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.fs.Owner;
import volsh.unit.ByteSize;
import volsh.volume.OpeningRequest;
import volsh.volume.Volumes;

/**
 * The volumes of a gateway, each open from its first request on. A snapshot is a bucket of its own, {@code data@v1}; of
 * these only the last {@value #SNAPSHOTS_MAX} used stay open.
 */
final class Buckets implements AutoCloseable {
    private static final int SNAPSHOTS_MAX = 8;
    private static final String PURPOSE = "gateway";

    private final Volumes volumes;
    private final GatewaySettings settings;
    private final Map<String, Bucket> open = new LinkedHashMap<>();
    private final Map<String, Bucket> past = new LinkedHashMap<>(16, 0.75f, true);
    private boolean closed;

    /** A bucket as it is listed. */
    record Visible(String name, Instant created) {}

    Buckets(Volumes volumes, GatewaySettings settings) {
        this.volumes = volumes;
        this.settings = settings;
    }

    List<Visible> visible(AccessKey key) throws IOException {
        var visible = new ArrayList<Visible>();
        for (String name : settings.volumes()) {
            if (key.opens(name)) {
                visible.add(new Visible(name, volumes.find(name).created()));
            }
        }
        return visible;
    }

    /**
     * The bucket of this name, until the exchange ends. One that its key does not open is as one that is missing.
     */
    synchronized Bucket open(String name, S3Exchange exchange) throws IOException {
        var key = exchange.accessKey();
        if (closed) {
            throw new S3Refusal(503, "ServiceUnavailable", "the gateway is stopping");
        }
        int at = name.indexOf('@');
        String volume = at < 0 ? name : name.substring(0, at);
        if (!settings.volumes().contains(volume) || !key.opens(volume)) {
            throw new S3Refusal(404, "NoSuchBucket", "no bucket '%s' for this access key".formatted(name));
        }
        var bucket = at < 0 ? present(name) : snapshot(name);
        exchange.uses(bucket);
        return bucket;
    }

    /** Aborts uploads in parts to a volume that were begun before this; returns how many. */
    int expireUploads(String name, Instant before) throws IOException {
        Bucket bucket;
        synchronized (this) {
            if (closed) {
                return 0;
            }
            bucket = present(name);
        }
        return bucket.writes() ? new MultipartUploads(bucket).expire(before) : 0;
    }

    private Bucket present(String name) throws IOException {
        var known = open.get(name);
        if (known != null) {
            return known;
        }
        var request = OpeningRequest.of(name, settings.readOnly() ? Access.READ : Access.WRITE, PURPOSE)
                .cached(caching());
        var opened = new Bucket(name, volumes.open(settings.readOnly() ? request : request.lasting()), owner());
        open.put(name, opened);
        return opened;
    }

    private CacheSettings caching() {
        return CacheSettings.ofMemory(new ByteSize(settings.cacheBytes()));
    }

    private Bucket snapshot(String name) throws IOException {
        var known = past.get(name);
        if (known != null) {
            return known;
        }
        VolumePath place;
        try {
            place = VolumePath.whole(name);
        } catch (IllegalArgumentException notASnapshot) {
            throw new S3Refusal(404, "NoSuchBucket", "'%s' names no snapshot".formatted(name));
        }
        var opened = new Bucket(name, volumes.open(OpeningRequest.past(place.volume(), place.moment().orElseThrow(),
                PURPOSE).cached(caching())), owner());
        past.put(name, opened);
        return opened;
    }

    private Owner owner() {
        return settings.owner();
    }

    /** An exchange has ended; closes the snapshots that were used longest ago, if they are too many. */
    synchronized void release(S3Exchange exchange) throws IOException {
        exchange.endUses();
        Iterator<Bucket> oldest = past.values().iterator();
        while (past.size() > SNAPSHOTS_MAX && oldest.hasNext()) {
            var bucket = oldest.next();
            if (!bucket.isUsed()) {
                oldest.remove();
                bucket.close();
            }
        }
    }

    void requireKey(AccessKey access, String key) throws S3Refusal {
        if (!key.startsWith(access.prefix())) {
            throw S3Refusal.denied("the access key opens only what begins with '%s'".formatted(access.prefix()));
        }
    }

    @Override
    public void close() throws IOException {
        List<Bucket> all;
        synchronized (this) {
            closed = true;
            all = new ArrayList<>(past.values());
            all.addAll(open.values());
            past.clear();
            open.clear();
        }
        IOException failed = null;
        for (var bucket : all) {
            try {
                bucket.close();
            } catch (IOException each) {
                if (failed == null) {
                    failed = each;
                } else {
                    failed.addSuppressed(each);
                }
            }
        }
        if (failed != null) {
            throw failed;
        }
    }
}
