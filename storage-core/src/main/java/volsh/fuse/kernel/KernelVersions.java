package volsh.fuse.kernel;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The version of each file in the kernel's page cache, which is kept across opens only while that is current. */
final class KernelVersions {
    private final Map<Long, Long> versions = new ConcurrentHashMap<>();

    /** Whether the kernel's cached pages of this file are current. Remembers the version either way. */
    boolean isCurrent(long node, long version) {
        Long before = versions.put(node, version);
        return before != null && before == version;
    }

    void forget(long node) {
        versions.remove(node);
    }
}
