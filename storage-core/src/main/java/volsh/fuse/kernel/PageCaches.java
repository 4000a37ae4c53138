package volsh.fuse.kernel;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import volsh.fs.Attributes;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;

/** The version of each file in the kernel's page cache, which is kept across opens only while that is current. */
final class PageCaches {
    private final Map<Long, Long> versions = new ConcurrentHashMap<>();

    /** Whether the kernel's cached pages of this file are current. Remembers the version either way. */
    boolean isCurrent(Attributes attributes) {
        Long before = versions.put(attributes.ino(), attributes.version());
        return before != null && before == attributes.version();
    }

    /**
     * Whether the file was changed elsewhere since the kernel cached it. If so the caller invalidates the cache: once
     * the file is longer, the page of its old end would show zeros. Only for files that have been opened.
     */
    boolean isOutdated(Vfs vfs, Attributes found) {
        Long known = versions.get(found.ino());
        if (known == null || known == found.version()) {
            return false;
        }
        long own = vfs.coherence().versionBehind(found.ino(), known);
        return versions.replace(found.ino(), known, found.version()) && own != found.version();
    }

    /** This mount's own writes are already in the page cache: without other writers, the cache is current. */
    void written(OpenFile file) {
        versions.computeIfPresent(file.ino(), (ino, known) -> file.versionBehind(known));
    }

    /** The version has the bytes of the one before: pages of that are current. */
    void sameBytes(long ino, long version) {
        versions.replace(ino, version - 1, version);
    }

    void forget(long ino) {
        versions.remove(ino);
    }
}
