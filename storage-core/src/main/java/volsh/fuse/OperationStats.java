package volsh.fuse;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import volsh.unit.LatencyHistogram;

/** Counts, latencies and bytes of the operations of a mount. Cheap enough for every request. */
public final class OperationStats {
    private final LongAdder readBytes = new LongAdder();
    private final LongAdder writtenBytes = new LongAdder();
    private final String[] names;
    private final LongAdder[] asked;
    private final LongAdder[] failures;
    private final LatencyHistogram[] latencies;
    private final Map<Class<?>, Failed> failed = new ConcurrentHashMap<>();   // the last one for each kind of cause
    private volatile @Nullable RequestRecording recording;   // null unless requests are being recorded

    /** {@code names} are the operations by number; null where there is none. */
    public OperationStats(String[] names) {
        this.names = names.clone();
        this.asked = new LongAdder[names.length];
        this.failures = new LongAdder[names.length];
        this.latencies = new LatencyHistogram[names.length];
        for (int i = 0; i < names.length; i++) {
            asked[i] = new LongAdder();
            failures[i] = new LongAdder();
            latencies[i] = new LatencyHistogram();
        }
    }

    /** Statistics of one operation; times in nanoseconds, accurate to a fifth, except {@code total}, the exact sum. */
    public record Row(String operation, long count, long failed, long p50, long p99, long max, long total) {}

    /** A request that failed through no fault of the program: when, which request, and why. */
    public record Failed(Instant at, String request, Throwable cause) {}

    /** Remembers it, replacing the last one with the same kind of cause. */
    public void failed(String request, Throwable why) {
        var root = why;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        failed.put(root.getClass(), new Failed(Instant.now(), request, why));
    }

    /** The last failure of each kind of cause. */
    public List<Failed> failed() {
        return List.copyOf(failed.values());
    }

    /** Counts a request for the operation. */
    public void ask(int operation) {
        if (operation >= 0 && operation < names.length) {
            asked[operation].increment();
        }
    }

    /** How many requests there were for the operation, answered or not. */
    public long asked(int operation) {
        return asked[operation].sum();
    }

    /** Counts an answer of the operation. */
    public void count(int operation, long took, boolean failed) {
        if (operation >= 0 && operation < names.length) {
            latencies[operation].add(took);
            if (failed) {
                failures[operation].increment();
            }
        }
    }

    /** Sends every request to this recording from now on; null for none. */
    public void record(@Nullable RequestRecording to) {
        recording = to;
    }

    /** The current recording; null if there is none. */
    public @Nullable RequestRecording recording() {
        return recording;
    }

    /** Adds a request to the recording; ends a recording that is no longer read. */
    public void tell(RequestRecording of, Asked asked) {
        if (!of.add(asked) && recording == of) {
            recording = null;
        }
    }

    /** The name of an operation; null if there is no such operation. */
    public @Nullable String name(int operation) {
        return operation >= 0 && operation < names.length ? names[operation] : null;
    }

    public void read(long bytes) {
        readBytes.add(bytes);
    }

    public void written(long bytes) {
        writtenBytes.add(bytes);
    }

    public long readBytes() {
        return readBytes.sum();
    }

    public long writtenBytes() {
        return writtenBytes.sum();
    }

    /** The operations with at least one request. */
    public List<Row> rows() {
        var rows = new ArrayList<Row>();
        for (int i = 0; i < names.length; i++) {
            var row = row(i);
            if (row.count() > 0 && names[i] != null) {
                rows.add(row);
            }
        }
        return rows;
    }

    private Row row(int operation) {
        var took = latencies[operation].summary();
        return new Row(names[operation], took.count(), failures[operation].sum(), took.p50(), took.p99(), took.max(),
                took.total());
    }
}
