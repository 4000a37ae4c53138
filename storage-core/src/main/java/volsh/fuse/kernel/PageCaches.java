package volsh.fuse.kernel;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import volsh.fs.Attributes;
import volsh.vfs.OpenFile;

/** Which version of each file the kernel's page cache was filled with: it is kept across opens only while that is current. */
final class PageCaches {
    private final Map<Long, Long> versions = new ConcurrentHashMap<>();

    /** Is what the kernel may still hold of this file current? Remembers the version either way. */
    boolean isCurrent(Attributes attributes) {
        Long before = versions.put(attributes.ino(), attributes.version());
        return before != null && before == attributes.version();
    }

    /** This mount's own writes are in the page cache already: if nobody else wrote meanwhile, the cache is current. */
    void written(OpenFile file) {
        versions.computeIfPresent(file.ino(), (ino, known) -> file.versionBehind(known));
    }

    void forget(long ino) {
        versions.remove(ino);
    }
}
