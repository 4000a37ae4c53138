package volsh.fuse.kernel;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import volsh.fs.Attributes;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;

/** Which version of each file the kernel's page cache was filled with: it is kept across opens only while that is current. */
final class PageCaches {
    private final Map<Long, Long> versions = new ConcurrentHashMap<>();

    /** Is what the kernel may still hold of this file current? Remembers the version either way. */
    boolean isCurrent(Attributes attributes) {
        Long before = versions.put(attributes.ino(), attributes.version());
        return before != null && before == attributes.version();
    }

    /**
     * Was what the kernel may hold of this file changed elsewhere since? Then the caller makes the kernel forget it: longer,
     * it would show zeros in the page where it ended. Only of files that have been opened.
     */
    boolean isOutdated(Vfs vfs, Attributes found) {
        Long known = versions.get(found.ino());
        if (known == null || known == found.version()) {
            return false;
        }
        long own = vfs.coherence().versionBehind(found.ino(), known);
        return versions.replace(found.ino(), known, found.version()) && own != found.version();
    }

    /** This mount's own writes are in the page cache already: if nobody else wrote meanwhile, the cache is current. */
    void written(OpenFile file) {
        versions.computeIfPresent(file.ino(), (ino, known) -> file.versionBehind(known));
    }

    void forget(long ino) {
        versions.remove(ino);
    }
}
