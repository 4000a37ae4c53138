package volsh.catalog;

import java.io.IOException;
import java.nio.file.Path;
import volsh.cache.disk.CacheDirectory;
import volsh.catalog.Refusal.Reason;
import volsh.disk.Disk;

/** The right to fill a cache directory of a volume. It ends with the process. */
public final class CacheLock {
    private CacheLock() {}

    /** Takes the lock of a directory that is held. @throws Refusal BUSY, naming the process that has it */
    public static ProcessLock take(Path root, Disk held) throws IOException {
        var file = root.resolve(CacheDirectory.LOCK);
        var lock = ProcessLock.tryTake(held.through(file));
        if (lock.isEmpty()) {
            var holder = ProcessLock.holder(file);
            throw new Refusal(Reason.BUSY, "the cache directory %s is in use by another mount of this volume%s"
                    .formatted(root.getParent(), holder.isEmpty() ? "" : ", process " + holder),
                    "give this mount a --cache-dir of its own");
        }
        return lock.get();
    }
}
