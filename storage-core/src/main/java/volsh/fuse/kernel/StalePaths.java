package volsh.fuse.kernel;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fuse.Policies;
import volsh.meta.Way;
import volsh.meta.WayLostException;

/**
 * Detects path walks through stale cached directories. Where a cached directory was moved or removed elsewhere, a
 * thread that has come through it gets ESTALE: the kernel then walks the whole path again and looks up every name in
 * it. It tries a cached name twice before it does so.
 *
 * <p>A thread that did not come by names, but from a working directory or an open one, comes back to the same place
 * without having looked up anything above it: it is let through. As long as the kernel may still go through the stale
 * name, every thread is stopped that has not looked up the directory since.
 */
final class StalePaths {
    private static final int KNOWN_MAX = 1000;
    /** Longer than the kernel caches a directory plus the duration of a walk through it. */
    private static final long LOST_NANOS = Policies.DIRECTORIES_KEPT.multipliedBy(5).toNanos();
    private static final long WALK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Policies policies;
    private final Map<Long, Lost> lost = new ConcurrentHashMap<>();
    private final Map<Integer, Refused> refused = new ConcurrentHashMap<>();

    StalePaths(Policies policies) {
        this.policies = policies;
    }

    /** A directory that has moved; {@code aware} threads have looked it up since, or were let through. */
    private record Lost(long nanos, Set<Integer> aware) {}

    /** A thread that was refused in this directory this many times in a row. */
    private record Refused(long directory, int times, long nanos) {}

    interface Step<R> {
        R run(List<Way> ways) throws IOException;
    }

    /**
     * Runs a step for a thread that the kernel has brought to this directory, and that asks up to {@code times} times
     * in one walk.
     *
     * @throws FsException STALE if the thread has to walk again
     */
    <R> R come(int thread, long directory, int times, Step<R> step) throws IOException {
        while (true) {
            var chain = policies.chainTo(directory);
            var passed = unaware(thread, chain.directories());
            if (passed.isEmpty()) {
                try {
                    R result = step.run(chain.ways());
                    if (!refused.isEmpty()) {
                        refused.remove(thread);
                    }
                    return result;
                } catch (WayLostException none) {
                    none.lost().forEach(this::lose);
                    passed = unaware(thread, chain.directories());
                }
            }
            refuse(thread, directory, times);
            for (long one : passed) {
                lost.computeIfPresent(one, (ino, known) -> {
                    known.aware().add(thread);
                    return known;
                });
            }
        }
    }

    /**
     * Called when a lookup of this thread tells the kernel what is under this name. If the kernel knew another path
     * there, that one is stale.
     */
    Attributes told(int thread, long directory, Name name, Attributes found) {
        boolean moved = policies.leads(directory, name, found);
        if (moved) {
            lost.put(found.ino(), new Lost(System.nanoTime(), ConcurrentHashMap.newKeySet()));
        }
        if (!lost.isEmpty() && found.isDirectory()) {
            var one = lost.get(found.ino());
            if (one != null) {
                one.aware().add(thread);
            }
        }
        return found;
    }

    /**
     * Records a stale path. The kernel is not notified: it may hold a lock until this very request is answered, and the
     * entry expires by itself.
     */
    private void lose(Way way) {
        lost.put(way.ino(), new Lost(System.nanoTime(), ConcurrentHashMap.newKeySet()));
        policies.lost(way);
    }

    private Set<Long> unaware(int thread, Set<Long> directories) {
        if (lost.isEmpty()) {
            return Set.of();
        }
        long now = System.nanoTime();
        lost.values().removeIf(one -> now - one.nanos() > LOST_NANOS);
        var found = new HashSet<Long>();
        for (long directory : directories) {
            var one = lost.get(directory);
            if (one != null && !one.aware().contains(thread)) {
                found.add(directory);
            }
        }
        return found;
    }

    /** Returns if the thread has come back without walking. @throws FsException STALE if it has to walk again */
    private void refuse(int thread, long directory, int times) throws FsException {
        long now = System.nanoTime();
        var before = refused.get(thread);
        if (before != null && now - before.nanos() >= WALK_NANOS) {
            before = null;
        }
        if (before != null && (before.directory() != directory || before.times() >= times)) {
            refused.remove(thread);
            return;
        }
        if (refused.size() >= KNOWN_MAX) {
            refused.values().removeIf(old -> now - old.nanos() >= WALK_NANOS);
        }
        refused.put(thread, new Refused(directory, before == null ? 1 : before.times() + 1, now));
        throw new FsException(FsError.STALE);
    }
}
