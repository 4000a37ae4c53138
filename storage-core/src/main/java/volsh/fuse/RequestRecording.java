package volsh.fuse;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A bounded buffer of the requests of a mount, until they are taken. Requests that do not fit are counted and dropped;
 * no request ever waits. It ends when nothing is taken from it for {@value #PATIENCE_SECONDS} seconds. Thread-safe.
 */
public final class RequestRecording {
    private static final int PATIENCE_SECONDS = 15;
    private static final Duration PATIENCE = Duration.ofSeconds(PATIENCE_SECONDS);

    private final int capacity;
    private final long began = System.nanoTime();
    private final AtomicLong dropped = new AtomicLong();
    private List<Asked> kept = new ArrayList<>();
    private long taken = began;

    /** Holds up to {@code capacity} requests. */
    public RequestRecording(int capacity) {
        this.capacity = capacity;
    }

    /** The time of the recording at this value of {@link System#nanoTime}. */
    public long time(long nanos) {
        return nanos - began;
    }

    /** False if nothing has been taken for too long. */
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

    /** The requests since the last call. */
    public synchronized List<Asked> take() {
        var some = kept;
        kept = new ArrayList<>();
        taken = System.nanoTime();
        return some;
    }

    /** The number of requests dropped so far. */
    public long dropped() {
        return dropped.get();
    }

    /** Whether nothing has been taken for too long. */
    public synchronized boolean isForgotten() {
        return System.nanoTime() - taken > PATIENCE.toNanos();
    }
}
