package volsh.vfs;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;
import volsh.chunk.Chunks;
import volsh.fs.Unwritten;

/** The written bytes that only this process has: not flushed yet, or kept because a flush failed. Thread-safe. */
public final class UnwrittenBytes {
    private final Chunks chunks;
    private final Locking locking;
    private final List<LongConsumer> lossListeners = new CopyOnWriteArrayList<>();

    UnwrittenBytes(Chunks chunks, Locking locking) {
        this.chunks = chunks;
        this.locking = locking;
    }

    /** The unwritten bytes, file by file. */
    public List<Unwritten> files() {
        return chunks.unwritten();
    }

    /** Whether this file has unwritten bytes. */
    public boolean has(long ino) {
        return chunks.isDirty(ino);
    }

    /** Flushes the files again whose last flush failed; false if there were none. Failures stay with the bytes. */
    public boolean retryFailed() {
        return chunks.retryFailed();
    }

    /**
     * Drops the bytes that conflict with what others may have done since they ended this session, and returns which.
     * Their writers get an error from the next write, flush or close.
     */
    public List<Unwritten> dropConflicting() throws IOException {
        var lost = chunks.dropConflicting(locking.hasLost());
        lost.forEach(each -> lossListeners.forEach(listener -> listener.accept(each.ino())));
        return lost;
    }

    /** Calls the listener with the inode of every file whose bytes {@link #dropConflicting} drops, until closed. */
    public Vfs.Watch onLoss(LongConsumer listener) {
        lossListeners.add(listener);
        return () -> lossListeners.remove(listener);
    }

    /** Drops all of them, for good. */
    public void discard() {
        chunks.discardUnwritten();
    }
}
