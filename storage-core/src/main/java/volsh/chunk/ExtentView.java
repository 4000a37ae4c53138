package volsh.chunk;

import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What is known here of the extents of one open file, so that not every read asks the metadata. All of it is of one version
 * of the file; hearing of another one makes it forget.
 *
 * <p>Whoever changes the file's rows here {@link #suspend suspends} it before and {@link #resume resumes} it afterwards: in
 * between nobody finds anything, and what is read from the metadata in between, or was before, is not taken in. So who
 * finds no written bytes in the buffers any more finds them in what this view says. Changes by others are found when
 * the file is opened or its attributes are asked for; until then their old blocks are kept for us, as this file is open.
 */
final class ExtentView {
    /** Extents that all views of a volume may hold: about 30 MiB. */
    static final long WEIGHT_MAX = 100_000;

    private static final long WEIGHT_OF_ONE_MAX = WEIGHT_MAX / 10;
    private static final long SPAN_MIN = 1 << 20;
    private static final long SPAN_MAX = 64 << 20;
    private static final long NEVER = -1;

    private final AtomicLong total;
    private final TreeMap<Long, FileSegment> segments = new TreeMap<>();
    private long version;
    private long weight;
    private long span = SPAN_MIN;
    private long changes;
    private int changing;

    /** {@code total} counts the extents in all views. */
    ExtentView(AtomicLong total) {
        this.total = total;
    }

    /** What is known of the file at {@code offset}; null if nothing is. */
    synchronized FileSegment find(long offset) {
        var entry = changing == 0 ? segments.floorEntry(offset) : null;
        return entry != null && entry.getValue().covers(offset) ? entry.getValue() : null;
    }

    /** To be asked before the metadata is, and brought to {@link #add} with what it said. */
    synchronized long moment() {
        return changing == 0 ? changes : NEVER;
    }

    /** How much of the file to ask the metadata for at once: more each time. */
    synchronized long span() {
        return span;
    }

    /** Remembers what the metadata said, unless the file has changed since that moment. */
    synchronized void add(FileSegment segment, long moment) {
        if (moment == NEVER || moment != changes || changing > 0) {
            return;
        }
        if (segment.version() != version || weight + segment.weight() > WEIGHT_OF_ONE_MAX) {
            clear();
            version = segment.version();
        }
        remove(segment);
        if (total.addAndGet(segment.weight()) > WEIGHT_MAX) {
            total.addAndGet(-segment.weight());
            return;
        }
        weight += segment.weight();
        segments.put(segment.from(), segment);
        boolean dense = segment.weight() > 100;
        span = Math.clamp(dense ? span / 4 : span * 2, SPAN_MIN >> 4, SPAN_MAX);
    }

    /** What starts within the new segment is said by it, too. */
    private void remove(FileSegment added) {
        var within = segments.subMap(added.from(), added.to());
        for (var old : within.values()) {
            weight -= old.weight();
            total.addAndGet(-old.weight());
        }
        within.clear();
    }

    /** The file is of this version now. What is being asked for meanwhile may be older: it is not taken in. */
    synchronized void saw(long current) {
        if (current != version) {
            clear();
            version = current;
            changes++;
        }
    }

    synchronized void suspend() {
        changing++;
    }

    synchronized void resume() {
        changing--;
        changes++;
        clear();
    }

    /** What was asked for before now is no longer to be found, nor taken in when the answer comes. */
    synchronized void forget() {
        changes++;
        clear();
    }

    /** Forgets everything. */
    synchronized void clear() {
        total.addAndGet(-weight);
        weight = 0;
        segments.clear();
    }

    /** Nobody has the file open any more: forgets everything, for good. */
    synchronized void close() {
        changing++;
        clear();
    }
}
