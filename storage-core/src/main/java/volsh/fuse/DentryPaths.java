package volsh.fuse;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import volsh.fs.Name;
import volsh.meta.Way;

/**
 * The paths by which the kernel may get to directories from its cache: for as long as it was allowed to cache them, and
 * a good while longer. A FORGET from the kernel does not shorten this, because it sends one for every reply it has no
 * use for. A lookup below a directory checks whether the paths to it still exist.
 */
final class DentryPaths {
    private static final long REMEMBERED_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final int DEEPEST = 200;
    private static final int MOST = 100_000;

    private final Map<Long, Told> told = new ConcurrentHashMap<>();
    private final Set<EntryName> places = ConcurrentHashMap.newKeySet();   // and former places of directories

    private record Told(Way way, long nanos) {
        boolean isOld(long now) {
            return now - nanos > REMEMBERED_NANOS;
        }
    }

    /**
     * Called before the kernel is told of this directory. True if the kernel may still know another path there, which
     * no longer exists then.
     */
    boolean add(long parent, Name name, long directory) {
        long now = System.nanoTime();
        if (told.size() >= MOST && !told.containsKey(directory)) {
            told.values().removeIf(one -> one.isOld(now));
            if (told.size() >= MOST) {
                return false;   // too many: not remembered
            }
        }
        var way = new Way(parent, name, directory);
        var before = told.put(directory, new Told(way, now));
        if (places.size() >= 2 * MOST) {
            places.clear();
        }
        places.add(new EntryName(parent, name));
        return before != null && !before.isOld(now) && !before.way().equals(way);
    }

    /** Whether the kernel may have been told of a directory under this name. */
    boolean contains(EntryName place) {
        return places.contains(place);
    }

    /** The name under which the kernel was told of this directory; null if it was not. */
    @Nullable EntryName of(long directory) {
        var one = told.get(directory);
        return one == null ? null : new EntryName(one.way().directory(), one.way().name());
    }

    boolean contains(long directory) {
        return told.containsKey(directory);
    }

    /** The path to this directory and to its ancestors. */
    Chain to(long directory) {
        var ways = new ArrayList<Way>();
        var directories = new HashSet<>(Set.of(directory));
        long now = System.nanoTime();
        for (var one = told.get(directory); one != null && !one.isOld(now) && ways.size() < DEEPEST;
                one = told.get(one.way().directory())) {
            ways.add(one.way());
            if (!directories.add(one.way().directory())) {
                break;   // a cycle: not all of it can exist
            }
        }
        return new Chain(directories, ways);
    }

    /**
     * A name was moved through this mount: whatever the kernel has cached there, it reaches by the new name from now
     * on, and by the old one if the two were exchanged.
     */
    void renamed(EntryName from, EntryName to, boolean exchanged) {
        if (places.contains(from)) {
            places.add(to);
        }
        told.replaceAll((ino, one) -> {
            var place = new EntryName(one.way().directory(), one.way().name());
            var now = place.equals(from) ? to : exchanged && place.equals(to) ? from : place;
            return now.equals(place) ? one : new Told(new Way(now.directory(), now.name(), ino), one.nanos());
        });
    }

    /** The kernel no longer uses this path. */
    void remove(Way way) {
        told.computeIfPresent(way.ino(), (ino, one) -> one.way().equals(way) ? null : one);
    }

    void clear() {
        places.clear();
        told.clear();
    }
}
