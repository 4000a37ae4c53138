package volsh.engine.sqlite;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Whether an engine may continue. Not after a close, and no writes after a failed sync: the operating system forgets
 * which bytes did not reach the disk, so a later successful sync proves nothing.
 */
final class EngineHealth {
    private final Path path;
    private final AtomicReference<@Nullable IOException> lost = new AtomicReference<>();
    private volatile boolean closed;

    EngineHealth(Path path) {
        this.path = path;
    }

    void requireOpen() throws IOException {
        if (closed) {
            throw new IOException("%s: the metadata engine is closed".formatted(path));
        }
    }

    void requireWritable() throws IOException {
        requireOpen();
        var cause = lost.get();
        if (cause != null) {
            throw new IOException(
                    "%s: the metadata is read-only because a sync failed; check the disk, then reopen the volume"
                    .formatted(path), cause);
        }
    }

    void syncLost(IOException cause) {
        lost.compareAndSet(null, cause);
    }

    /** False if it was already closed. */
    synchronized boolean close() {
        boolean first = !closed;
        closed = true;
        return first;
    }

    boolean isClosed() {
        return closed;
    }
}
