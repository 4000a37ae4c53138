package volsh.bucketfs;

import java.io.IOException;
import java.util.concurrent.Semaphore;
import volsh.bucketfs.ObjectFrames.Content;

/**
 * Reads an open object ahead of a sequential reader: twice as far with each read that continues, up to a limit. The
 * kernel's own requests come a little out of order.
 */
final class ReadsAhead {
    private static final long DISORDER = 1 << 20;
    private static final long FIRST = 1 << 20;
    private static final long STEP = (long) ObjectFrames.FRAME * ObjectFrames.BLOCK_FRAMES;

    private final ObjectFrames frames;
    private final Semaphore permits;
    private final long most;
    private long expected;
    private long window;
    private long done;   // loaded or being loaded up to here

    ReadsAhead(ObjectFrames frames, Semaphore permits, long most) {
        this.frames = frames;
        this.permits = permits;
        this.most = frames.isOn() ? most : 0;
    }

    /** A read is about to come. */
    void reads(Content content, long offset, int length) throws IOException {
        if (most == 0) {
            return;
        }
        if (begins(offset)) {
            frames.ahead(content, 0, Math.min(content.state().size(), FIRST));
        }
        while (true) {
            long from;
            long to;
            synchronized (this) {
                long target = Math.min(content.state().size(), expected + window);
                if (window == 0 || done >= target || target - done < STEP && target < content.state().size()
                        || !permits.tryAcquire()) {
                    break;
                }
                from = done;
                to = Math.min(content.state().size(), (from / STEP + 1) * STEP);
                done = to;
            }
            Thread.ofVirtual().name("bucket-ahead").start(() -> load(content, from, to));
        }
        synchronized (this) {
            boolean continues = Math.abs(offset - expected) <= DISORDER;
            window = continues ? Math.min(most, Math.max(FIRST, window * 2)) : 0;
            if (!continues) {
                done = offset + length;
            }
            expected = continues ? Math.max(expected, offset + length) : offset + length;
            done = Math.max(done, expected);
        }
    }

    private synchronized boolean begins(long offset) {
        return offset == 0 && expected == 0 && window == 0;
    }

    private void load(Content content, long from, long to) {
        try {
            frames.ahead(content, from, to);
        } catch (IOException later) {
            // the reader meets it by itself
        } finally {
            permits.release();
        }
    }
}
