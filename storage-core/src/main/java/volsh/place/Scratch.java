package volsh.place;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A small pool of temporary direct buffers. Thread-safe. */
final class Scratch {
    private static final int KEPT = 12;

    private final List<ByteBuffer> idle = new ArrayList<>();

    /** Takes a buffer of this length. Give it back: otherwise it is only slower, not leaked. */
    ByteBuffer take(int length) {
        var found = smallest(length);
        return (found == null ? ByteBuffer.allocateDirect(length) : found).clear().limit(length);
    }

    /** The smallest buffer that is long enough, so that long ones stay available. */
    private synchronized @Nullable ByteBuffer smallest(int length) {
        int best = -1;
        for (int i = 0; i < idle.size(); i++) {
            int capacity = idle.get(i).capacity();
            if (capacity >= length && (best < 0 || capacity < idle.get(best).capacity())) {
                best = i;
            }
        }
        return best < 0 ? null : idle.remove(best);
    }

    /** When the pool is full, the buffer that has been idle the longest is dropped. */
    synchronized void giveBack(ByteBuffer buffer) {
        if (idle.size() == KEPT) {
            idle.removeFirst();
        }
        idle.add(buffer);
    }
}
