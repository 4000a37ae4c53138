package volsh.cache.disk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Memory for frames that are to be written to the disk, reused, with a fixed limit. Thread-safe. */
final class FillBuffers {
    private static final int LEAST = 64 << 10;

    private final long most;
    private final List<ByteBuffer> idle = new ArrayList<>();
    private long idleBytes;
    private long usedBytes;

    FillBuffers(long most) {
        this.most = most;
    }

    private static int capacity(int length) {
        return length <= LEAST ? LEAST : Integer.highestOneBit(length - 1) << 1;
    }

    /** Room for {@code length} bytes, from position 0 on; null if too much is in use. */
    synchronized @Nullable ByteBuffer take(int length) {
        int capacity = capacity(length);
        if (capacity < length || usedBytes + capacity > most) {
            return null;
        }
        usedBytes += capacity;
        for (int i = idle.size() - 1; i >= 0; i--) {
            if (idle.get(i).capacity() == capacity) {
                idleBytes -= capacity;
                return idle.remove(i).clear().limit(length);
            }
        }
        if (usedBytes + idleBytes > most) {
            idle.clear();
            idleBytes = 0;
        }
        return ByteBuffer.allocateDirect(capacity).limit(length);
    }

    synchronized void giveBack(ByteBuffer buffer) {
        usedBytes -= buffer.capacity();
        idleBytes += buffer.capacity();
        idle.add(buffer);
    }
}
