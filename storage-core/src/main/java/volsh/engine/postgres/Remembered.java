package volsh.engine.postgres;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaKey;
import volsh.engine.postgres.PostgresReads.Scan;

/**
 * A cache of rows, and of missing rows, until the {@link ChangeLog} reports that they have changed. What is taken from
 * here may be stale: its user asks the log afterwards, or has the database compare versions.
 *
 * <p>The log is read in rounds, which are counted. A reader of a database row notes the {@link #round} before: if the
 * log has reported the row since, the result may be older than that, and is not cached.
 */
final class Remembered {
    private static final int ROWS_MAX = 40_000;
    private static final int SCANS_MAX = 4_000;
    private static final int SCAN_ROWS_MAX = 512;
    private static final int VALUE_MAX = 512;
    private static final int CHANGES_MAX = 10_000;
    private static final int GROUP_LENGTH = 9;
    /** Kinds of rows that the log does not report. */
    private static final String UNKNOWN_KINDS = "sct";

    /** The round while nothing is remembered. */
    static final long NEVER = -1;

    private final long calmNanos;
    private final Map<MetaKey, Optional<Found>> rows = new LinkedHashMap<>(16, 0.75f, true);
    // by the prefix of their keys
    private final Map<MetaKey, Map<Range, Scan>> scans = new LinkedHashMap<>(16, 0.75f, true);
    private final SequencedMap<MetaKey, Heard> heard = new LinkedHashMap<>();
    private final SequencedMap<MetaKey, Heard> heardGroups = new LinkedHashMap<>();
    private int scanRows;
    private long round;
    private long since;          // changes in this round and before may be unknown
    private boolean following;

    /** The round in which a key was last reported, and when that was. */
    private record Heard(long round, long nanos) {}

    private record Range(MetaKey from, MetaKey to, int limit) {}

    Remembered(LogPace pace) {
        this.calmNanos = pace.calm().toNanos();
    }

    /** From now on every change is reported. */
    synchronized void begin() {
        forgetAll();
        following = true;
    }

    /** Changes are no longer reported. */
    synchronized void end() {
        following = false;
        forgetAll();
    }

    private void forgetAll() {
        rows.clear();
        scans.clear();
        scanRows = 0;
        heard.clear();
        heardGroups.clear();
        since = ++round;
    }

    /** How many rounds were read; {@link #NEVER} while the log is not followed. */
    synchronized long round() {
        return following ? round : NEVER;
    }

    /** These rows were changed or deleted. */
    synchronized void changed(Collection<MetaKey> keys) {
        if (keys.isEmpty()) {
            return;
        }
        var now = new Heard(++round, System.nanoTime());
        for (var key : keys) {
            forget(key);
            note(heard, key, now);
            note(heardGroups, group(key), now);
        }
    }

    private void note(SequencedMap<MetaKey, Heard> target, MetaKey key, Heard now) {
        target.putLast(key, now);
        if (target.size() > CHANGES_MAX) {
            since = Math.max(since, target.pollFirstEntry().getValue().round());
        }
    }

    /** More has changed than is reported in detail. */
    synchronized void muchChanged() {
        if (following) {
            forgetAll();
        }
    }

    /** This client has written these rows itself: their cached values are useless. */
    synchronized void written(Collection<MetaKey> keys) {
        keys.forEach(this::forget);
    }

    private void forget(MetaKey key) {
        rows.remove(key);
        var near = scans.get(group(key));
        if (near != null) {
            near.entrySet().removeIf(one -> {
                boolean within = contains(one.getKey(), key);
                scanRows -= within ? weight(one.getValue()) : 0;
                return within;
            });
            if (near.isEmpty()) {
                scans.remove(group(key));
            }
        }
    }

    private static boolean contains(Range range, MetaKey key) {
        return range.from().compareTo(key) <= 0 && key.compareTo(range.to()) < 0;
    }

    private static MetaKey group(MetaKey key) {
        return key.bytes().length <= GROUP_LENGTH ? key : MetaKey.of(Arrays.copyOf(key.bytes(), GROUP_LENGTH));
    }

    /** Adds what is cached of a key to the target; false if nothing is. */
    synchronized boolean recall(MetaKey key, Map<MetaKey, Optional<Found>> target) {
        var known = rows.get(key);
        if (known != null) {
            target.put(key, known);
        }
        return known != null;
    }

    /** The result of a scan; empty if it is not cached. */
    synchronized Optional<Scan> recall(MetaKey from, MetaKey to, int limit) {
        var near = scans.get(group(from));
        return near == null ? Optional.empty() : Optional.ofNullable(near.get(new Range(from, to, limit)));
    }

    /** Caches what was read after the given round, except rows that change all the time. */
    synchronized void learn(long asked, MetaKey key, Optional<Found> found) {
        boolean small = found.isEmpty() || found.get().value().length <= VALUE_MAX;
        if (small && isLogged(key) && !mayHaveChanged(asked) && !isNew(asked, heard.get(key), calmNanos)) {
            rows.put(key, found);
            dropOldest();
        }
    }

    synchronized void learn(long asked, Scan scan) {
        boolean small = scan.found().size() <= SCAN_ROWS_MAX
                && scan.found().stream().allMatch(row -> row.value().length <= VALUE_MAX);
        if (small && isLogged(scan) && !mayHaveChanged(asked)
                && !isNew(asked, heardGroups.get(group(scan.from())), calmNanos)) {
            var range = new Range(scan.from(), scan.to(), scan.limit());
            var before = scans.computeIfAbsent(group(scan.from()), none -> new HashMap<>()).put(range, scan);
            scanRows += weight(scan) - (before == null ? 0 : weight(before));
            dropOldest();
        }
    }

    /** Whether changes of this row are reported. */
    static boolean isLogged(MetaKey key) {
        return UNKNOWN_KINDS.indexOf((char) key.bytes()[0]) < 0;
    }

    /** Whether changes of the scanned range are reported, and found by the prefix of the keys. */
    static boolean isLogged(Scan scan) {
        return isLogged(scan.from()) && Locks.isWithinGroup(scan);
    }

    /** An empty result takes space, too. */
    private static int weight(Scan scan) {
        return scan.found().size() + 1;
    }

    private void dropOldest() {
        while (rows.size() + scanRows > ROWS_MAX && !rows.isEmpty()) {
            rows.remove(rows.keySet().iterator().next());
        }
        while (scans.size() > SCANS_MAX || scanRows > ROWS_MAX) {
            var oldest = scans.values().iterator();
            oldest.next().values().forEach(scan -> scanRows -= weight(scan));
            oldest.remove();
        }
    }

    /** Whether any of this was reported since the given round, or may have been. All of it is logged. */
    synchronized boolean hasChanged(long asked, Collection<MetaKey> keys, Collection<Scan> ranges) {
        return mayHaveChanged(asked)
                || keys.stream().anyMatch(key -> isNew(asked, heard.get(key), 0))
                || ranges.stream().anyMatch(scan -> isNew(asked, heardGroups.get(group(scan.from())), 0));
    }

    /** Whether changes since then are no longer known. */
    private boolean mayHaveChanged(long asked) {
        return !following || asked < since;
    }

    private static boolean isNew(long asked, @Nullable Heard last, long calm) {
        return last != null && (last.round() > asked || calm > 0 && System.nanoTime() - last.nanos() < calm);
    }

    /** How many rows are cached. */
    synchronized int size() {
        return rows.size() + scanRows;
    }
}
