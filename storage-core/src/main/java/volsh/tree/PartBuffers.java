package volsh.tree;

import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/** Memory for parts that are sent whole: at most this many bytes at once, or one part. */
final class PartBuffers {
    private final long most;
    private final Deque<ByteBuffer> free = new ArrayDeque<>();   // guarded by this, as all below
    private long used;

    PartBuffers(long most) {
        this.most = most;
    }

    /** Waits for memory; give it back. */
    synchronized ByteBuffer take(int length) throws InterruptedIOException {
        while (used > 0 && used + length > most) {
            try {
                wait();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("cancelled");
            }
        }
        used += length;
        for (var each : free) {
            if (each.capacity() == length) {
                free.remove(each);
                return each.clear();
            }
        }
        return ByteBuffer.allocate(length);
    }

    synchronized void giveBack(ByteBuffer buffer) {
        used -= buffer.capacity();
        free.clear();
        free.add(buffer);
        notifyAll();
    }
}
