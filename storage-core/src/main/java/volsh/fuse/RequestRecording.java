package volsh.fuse;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The requests of a mount, kept until somebody takes them. It holds so many at most: what does not fit is counted and let go, and no
 * request ever
 * waits for it. One that nobody takes from for {@value #PATIENCE_SECONDS} seconds is over. Thread-safe.
 */
public final class RequestRecording {
    private static final int PATIENCE_SECONDS = 15;
    private static final Duration PATIENCE = Duration.ofSeconds(PATIENCE_SECONDS);

    private final int capacity;
    private final long began = System.nanoTime();
    private final AtomicLong dropped = new AtomicLong();
    private List<Asked> kept = new ArrayList<>();
    private long taken = began;

    /** Of {@code capacity} requests. */
    public RequestRecording(int capacity) {
        this.capacity = capacity;
    }

    /** The time of the recording at this moment of {@link System#nanoTime}. */
    public long time(long nanos) {
        return nanos - began;
    }

    /** False if nobody has taken anything for long. */
    boolean add(Asked asked) {
        synchronized (this) {
            if (began + asked.end() - taken > PATIENCE.toNanos()) {
                return false;
            }
            if (kept.size() < capacity) {
                kept.add(asked);
                return true;
            }
        }
        dropped.incrementAndGet();
        return true;
    }

    /** What came since it was last asked. */
    public synchronized List<Asked> take() {
        var some = kept;
        kept = new ArrayList<>();
        taken = System.nanoTime();
        return some;
    }

    /** Requests that did not fit so far. */
    public long dropped() {
        return dropped.get();
    }

    /** Has nobody taken anything for long? */
    public synchronized boolean isForgotten() {
        return System.nanoTime() - taken > PATIENCE.toNanos();
    }
}
