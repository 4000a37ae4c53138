package volsh.bucketfs;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Finds out whether the entries of a directory are used in the order of its listing, and how far it pays to work ahead:
 * twice as far with each that is used in turn, up to a limit; nothing after one that is not. Not thread-safe.
 */
final class WalkOrder {
    static final WalkOrder UNKNOWN = new WalkOrder(NameCache.NEVER, List.of());
    private static final int MOST = 8;

    private final long since;
    private final List<DirectoryItem> items;
    private final Map<String, Integer> places;
    private int last = -1;
    private int window = 1;
    private int done;   // worked ahead up to here

    /** Of a listing that began at {@code since}. */
    WalkOrder(long since, List<DirectoryItem> items) {
        this.since = since;
        this.items = items;
        this.places = HashMap.newHashMap(items.size());
        for (int i = 0; i < items.size(); i++) {
            places.put(items.get(i).name(), i);
        }
    }

    long since() {
        return since;
    }

    /** This one is used: begins to fetch those that should come now, as long as {@code begins} can. */
    void used(String name, Predicate<DirectoryItem> begins) {
        int place = places.getOrDefault(name, -1);
        int before = last;
        if (place < 0 || place == before) {
            return;
        }
        last = place;
        done = Math.max(done, place + 1);
        if (place < before || place > before + MOST) {
            window = 1;
            done = place + 1;
            return;
        }
        window = Math.min(MOST, window * 2);
        int end = Math.min(items.size(), place + 1 + window);
        while (done < end && begins.test(items.get(done))) {
            done++;
        }
    }
}
