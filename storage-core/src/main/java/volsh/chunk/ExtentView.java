package volsh.chunk;

import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The extents of one open file that are known here, so that not every read asks the metadata. All of them are of one
 * version of the file; news of another version clears the view.
 *
 * <p>Code that changes the rows of the file here {@link #suspend suspends} the view before and {@link #resume resumes}
 * it afterwards. In between the view is empty, and answers of the metadata that were asked for before or in between are
 * not added. A reader that no longer finds bytes in the write buffers therefore finds them through this view. Changes
 * made elsewhere are noticed when the file is opened or its attributes are read; until then the old blocks are kept,
 * because the file is open.
 */
final class ExtentView {
    /** The number of extents in all views of a volume: about 30 MiB. */
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
    synchronized @Nullable FileSegment find(long offset) {
        var entry = changing == 0 ? segments.floorEntry(offset) : null;
        return entry != null && entry.getValue().covers(offset) ? entry.getValue() : null;
    }

    /** A mark to take before the metadata is asked, and to pass to {@link #add} with its answer. */
    synchronized long moment() {
        return changing == 0 ? changes : NEVER;
    }

    /** How much of the file to read from the metadata at once; grows with every call. */
    synchronized long span() {
        return span;
    }

    /** Adds an answer of the metadata, unless the file has changed since that moment. */
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

    /** Removes the segments that start within the new one. */
    private void remove(FileSegment added) {
        var within = segments.subMap(added.from(), added.to());
        for (var old : within.values()) {
            weight -= old.weight();
            total.addAndGet(-old.weight());
        }
        within.clear();
    }

    /** The file has this version now. Answers that are still under way may be older and are not added. */
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

    /** Clears the view; answers to earlier questions are not added. */
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

    /** The file is no longer open here: clears the view for good. */
    synchronized void close() {
        changing++;
        clear();
    }
}
