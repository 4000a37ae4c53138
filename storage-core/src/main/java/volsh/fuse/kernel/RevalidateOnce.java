package volsh.fuse.kernel;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Tells who opens a file without a name because it was replaced elsewhere from who opens it by a handle, through
 * {@code /proc/self/fd}. Both are refused as stale at first. The kernel then looks again: the one finds the new file
 * under the name, the other comes back for the same.
 */
final class RevalidateOnce {
    private static final int REMEMBERED = 1000;

    private final Map<Integer, Long> refused = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Long> eldest) {
            return size() > REMEMBERED;
        }
    };

    /** Was this thread refused this very file the last time? */
    synchronized boolean isOne(int thread, long node) {
        if (refused.remove(thread, node)) {
            return true;
        }
        refused.put(thread, node);
        return false;
    }
}
