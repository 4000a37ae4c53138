package volsh.bucketfs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What is known of names, present and absent, for as long as it may be believed; and whole directories that are not too
 * large. Changes made by this mount are known at once; an answer that was asked for before such a change is not
 * believed. Thread-safe.
 */
final class NameCache {
    private static final int NAMES_MAX = 100_000;
    private static final int LISTED_MAX = 400_000;
    /** Larger directories are listed each time. */
    static final int DIRECTORY_MAX = 50_000;
    private static final int COUNTED_MAX = 10_000;
    /** In place of a time. */
    static final long NEVER = Long.MIN_VALUE;
    private static final Duration FOREVER = Duration.ofDays(1);

    private final long ttlNanos;
    private final boolean immutable;
    private final LongSupplier clock;
    private final LinkedHashMap<Place, Known> names = new LinkedHashMap<>(16, 0.75f, true);
    private final LinkedHashMap<String, Listing> listings = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<String, Long> changes = new HashMap<>();
    private long changesBefore;   // of directories that are not counted any more
    private int listed;

    private record Place(String prefix, String name) {}

    private record Listing(Map<String, DirectoryItem> items, long since) {}

    /** What a name stood for at some time; nothing if there is no item. */
    record Known(@Nullable DirectoryItem item, long since) {}

    NameCache(Duration ttl, boolean immutable, LongSupplier clock) {
        this.ttlNanos = ttl.toNanos();
        this.immutable = immutable;
        this.clock = clock;
    }

    long now() {
        return clock.getAsLong();
    }

    /** Whether anything is believed for a while. */
    boolean remembers() {
        return ttlNanos > 0;
    }

    boolean isFresh(long since) {
        return now() - since < ttlNanos;
    }

    /** Whether what was known then of an object, or that it did not exist, may still be used. */
    boolean isFresh(Known known) {
        return isFresh(known.since) || immutable && known.item != null;
    }

    /** How long the kernel may believe it. */
    Duration valid(long since, boolean exists) {
        return immutable && exists ? FOREVER : Duration.ofNanos(Math.max(0, ttlNanos - (now() - since)));
    }

    synchronized @Nullable Known find(String prefix, String name) {
        var known = names.get(new Place(prefix, name));
        var listing = listings.get(prefix);
        if (listing != null && (known == null || listing.since - known.since > 0)) {
            known = new Known(listing.items.get(name), listing.since);
        }
        return known != null && isFresh(known) ? known : null;
    }

    /** The answer of a request that began at {@code since}. */
    synchronized void found(String prefix, String name, @Nullable DirectoryItem item, long since) {
        var place = new Place(prefix, name);
        var before = names.get(place);
        if (before == null || since - before.since > 0) {
            put(place, new Known(item, since));
        }
    }

    private void put(Place place, Known known) {
        names.put(place, known);
        if (names.size() > NAMES_MAX) {
            names.pollFirstEntry();
        }
    }

    /** This mount has changed what a name stands for. */
    synchronized void changed(String prefix, String name, @Nullable DirectoryItem item) {
        put(new Place(prefix, name), new Known(item, now()));
        if (changes.size() > COUNTED_MAX) {
            changesBefore += changes.values().stream().mapToLong(Long::longValue).sum();
            changes.clear();
        }
        changes.merge(prefix, 1L, Long::sum);
        var listing = listings.get(prefix);
        if (listing != null) {
            var before = item == null ? listing.items.remove(name) : listing.items.put(name, item);
            listed += (item == null ? 0 : 1) - (before == null ? 0 : 1);
        }
    }

    /** Believes nothing of what is below this prefix any more. */
    synchronized void forget(String prefix) {
        names.keySet().removeIf(place -> place.prefix.startsWith(prefix));
        for (var each = listings.entrySet().iterator(); each.hasNext();) {
            var listing = each.next();
            if (listing.getKey().startsWith(prefix)) {
                listed -= listing.getValue().items.size();
                each.remove();
            }
        }
        changesBefore++;
    }

    synchronized void forget(String prefix, String name) {
        names.remove(new Place(prefix, name));
        var listing = listings.remove(prefix);
        listed -= listing == null ? 0 : listing.items.size();
        changesBefore++;
    }

    /** A number that grows with every change of this directory by this mount. */
    synchronized long changes(String prefix) {
        return changesBefore + changes.getOrDefault(prefix, 0L);
    }

    /** A whole directory, whose listing began at {@code since}, when the number of its changes was this. */
    synchronized void listed(String prefix, List<DirectoryItem> items, long since, long changesThen) {
        if (changes(prefix) != changesThen || items.size() > DIRECTORY_MAX || ttlNanos == 0) {
            return;
        }
        var all = new LinkedHashMap<String, DirectoryItem>();
        items.forEach(item -> all.put(item.name(), item));
        var before = listings.put(prefix, new Listing(all, since));
        listed += all.size() - (before == null ? 0 : before.items.size());
        while (listed > LISTED_MAX && listings.size() > 1) {
            listed -= listings.pollFirstEntry().getValue().items.size();
        }
    }

    /** The entries of a directory and the time of its listing; null if it has to be listed. */
    synchronized @Nullable Listed listing(String prefix) {
        var listing = listings.get(prefix);
        return listing == null || !isFresh(listing.since) ? null
                : new Listed(new ArrayList<>(listing.items.values()), listing.since);
    }

    /** When the listing of a directory began that can be used; {@link #NEVER} if it has to be listed. */
    synchronized long listedSince(String prefix) {
        var listing = listings.get(prefix);
        return listing == null || !isFresh(listing.since) ? NEVER : listing.since;
    }

    record Listed(List<DirectoryItem> items, long since) {}
}
