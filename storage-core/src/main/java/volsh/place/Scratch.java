package volsh.place;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/** Direct memory for a moment, used again and again; a few buffers are kept. Thread-safe. */
final class Scratch {
    private static final int KEPT = 12;

    private final ArrayDeque<ByteBuffer> idle = new ArrayDeque<>();

    /** So many bytes. Give them back: what is not is only slower, not lost. */
    ByteBuffer take(int length) {
        ByteBuffer found;
        synchronized (idle) {
            found = idle.pollFirst();
        }
        return (found == null || found.capacity() < length ? ByteBuffer.allocateDirect(length) : found).clear().limit(length);
    }

    void giveBack(ByteBuffer buffer) {
        synchronized (idle) {
            if (idle.size() < KEPT) {
                idle.addFirst(buffer);
            }
        }
    }
}
