package volsh.cache;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/** A lease of a frame, which keeps it from being evicted. Close it. */
public final class FrameLease implements AutoCloseable {
    private final MemoryCache cache;
    private final CachedFrame frame;
    private final AtomicBoolean closed = new AtomicBoolean();

    FrameLease(MemoryCache cache, CachedFrame frame) {
        this.cache = cache;
        this.frame = frame;
    }

    /** A fresh view of the frame's raw bytes, read-only and off-heap. Not to be used after close. */
    public ByteBuffer bytes() {
        if (closed.get()) {
            throw new IllegalStateException("the lease of %s is closed".formatted(frame.key()));
        }
        return frame.bytes().asReadOnlyBuffer();
    }

    /** Ends the lease; closing it again has no effect. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            cache.release(frame);
        }
    }
}
