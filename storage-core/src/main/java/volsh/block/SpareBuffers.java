package volsh.block;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Optional;

/** A few reusable buffers; each grows to the largest requested size. Thread-safe. */
final class SpareBuffers {
    private final int lengthMax;
    private final ArrayDeque<ByteBuffer> idle = new ArrayDeque<>();

    SpareBuffers(int count, int lengthMax) {
        this.lengthMax = lengthMax;
        for (int i = 0; i < count; i++) {
            idle.add(ByteBuffer.allocate(0));
        }
    }

    /** A buffer with {@code length} bytes remaining; empty if none is idle, or if that is too much. */
    synchronized Optional<ByteBuffer> take(int length) {
        if (length > lengthMax || idle.isEmpty()) {
            return Optional.empty();
        }
        var last = idle.removeLast();
        return Optional.of((last.capacity() < length ? ByteBuffer.allocate(length) : last).clear().limit(length));
    }

    synchronized void giveBack(ByteBuffer buffer) {
        idle.addLast(buffer);
    }

    synchronized int idle() {
        return idle.size();
    }
}
