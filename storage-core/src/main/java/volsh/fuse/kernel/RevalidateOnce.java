package volsh.fuse.kernel;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Distinguishes opening an unlinked file by a stale cached name, because it was replaced elsewhere, from opening it by
 * a handle through {@code /proc/self/fd}. Both get ESTALE at first. The kernel then retries: the former finds the new
 * file under the name, the latter comes back for the same file.
 */
final class RevalidateOnce {
    private static final int REMEMBERED = 1000;

    private final Map<Integer, Long> refused = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Long> eldest) {
            return size() > REMEMBERED;
        }
    };

    /** Whether this thread was refused this very file the last time. */
    synchronized boolean isOne(int thread, long node) {
        if (refused.remove(thread, node)) {
            return true;
        }
        refused.put(thread, node);
        return false;
    }
}
