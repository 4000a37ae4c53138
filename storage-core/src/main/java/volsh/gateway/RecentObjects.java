package volsh.gateway;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Objects that were asked for, by key, in bounded memory: those of two generations, of which the older one is dropped
 * when the younger one is full. They may be outdated; the caller finds that out.
 */
final class RecentObjects {
    private static final int ENTRY_BYTES = 700;   // keys, attributes and tables, about

    private final long bytesMax;
    private volatile Generation young = new Generation();
    private volatile Generation old = new Generation();

    private static final class Generation {
        private final Map<String, Bucket.Located> objects = new ConcurrentHashMap<>();
        private final AtomicLong bytes = new AtomicLong();
    }

    RecentObjects(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    Bucket.@Nullable Located get(String key) {
        var known = young.objects.get(key);
        if (known != null) {
            return known;
        }
        var before = old.objects.remove(key);
        if (before != null) {
            put(key, before);
        }
        return before;
    }

    void put(String key, Bucket.Located object) {
        var into = young;
        var replaced = into.objects.put(key, object);
        long bytes = into.bytes.addAndGet(size(key, object) - (replaced == null ? 0 : size(key, replaced)));
        if (bytes > bytesMax / 2) {
            turn(into);
        }
    }

    private synchronized void turn(Generation full) {
        if (young == full) {
            old = full;
            young = new Generation();
        }
    }

    private static long size(String key, Bucket.Located object) {
        return ENTRY_BYTES + 2L * key.length() + object.bytes().map(bytes -> bytes.length).orElse(0);
    }

    /** Those that are kept, about; for tests. */
    int count() {
        return young.objects.size() + old.objects.size();
    }
}
