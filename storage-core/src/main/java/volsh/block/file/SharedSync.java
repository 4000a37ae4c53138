package volsh.block.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import volsh.disk.Disk;
import volsh.disk.Shared;

/** Syncs of directories, each {@link Shared} by its callers: what a caller had renamed is durable when it returns. */
final class SharedSync {
    private final Disk disk;
    private final ConcurrentMap<Path, Shared> directories = new ConcurrentHashMap<>();

    SharedSync(Disk disk) {
        this.disk = disk;
    }

    void sync(Path directory) throws IOException {
        try {
            directories.computeIfAbsent(directory, each -> new Shared(() -> disk.syncDirectory(each))).run();
        } catch (IOException failure) {
            throw new IOException("cannot sync %s: %s".formatted(directory, failure.getMessage()), failure);
        }
    }
}
