package volsh.place;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Direct memory for a moment, used again and again; a few buffers are kept. Thread-safe. */
final class Scratch {
    private static final int KEPT = 12;

    private final List<ByteBuffer> idle = new ArrayList<>();

    /** So many bytes. Give them back: what is not is only slower, not lost. */
    ByteBuffer take(int length) {
        var found = smallest(length);
        return (found == null ? ByteBuffer.allocateDirect(length) : found).clear().limit(length);
    }

    /** The smallest of those that are long enough: the long ones are for those who need them. */
    private synchronized ByteBuffer smallest(int length) {
        int best = -1;
        for (int i = 0; i < idle.size(); i++) {
            int capacity = idle.get(i).capacity();
            if (capacity >= length && (best < 0 || capacity < idle.get(best).capacity())) {
                best = i;
            }
        }
        return best < 0 ? null : idle.remove(best);
    }

    /** When there are enough, the one goes that has been idle for longest. */
    synchronized void giveBack(ByteBuffer buffer) {
        if (idle.size() == KEPT) {
            idle.removeFirst();
        }
        idle.add(buffer);
    }
}
