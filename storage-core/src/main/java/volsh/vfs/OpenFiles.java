package volsh.vfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import volsh.chunk.Chunks;
import volsh.fs.Attributes;
import volsh.meta.Namespace;

/**
 * The files that this process has open, and the ticks of the past that they keep: no block that died in such a tick or
 * later is deleted, anywhere. Thread-safe.
 */
public final class OpenFiles {
    /** How many open files {@link #refresh} looks at in one call. */
    private static final int REFRESHED_MAX = 10_000;

    private final Vfs vfs;
    private final Namespace names;
    private final Chunks chunks;
    private final HeldTicks held;
    private final List<LongConsumer> listeners = new CopyOnWriteArrayList<>();
    private final LongAdder openedFiles = new LongAdder();
    private final LongAdder openedBytes = new LongAdder();

    OpenFiles(Vfs vfs, Namespace names, Chunks chunks, HeldTicks held) {
        this.vfs = vfs;
        this.names = names;
        this.chunks = chunks;
        this.held = held;
    }

    /** Finds or makes the file to open. */
    interface Opening {
        Attributes find() throws IOException;
    }

    /** Opens a file. The tick is held before the file is looked up, so that the blocks it is found with stay. */
    OpenFile open(Opening opening) throws IOException {
        var hold = held.take();
        try {
            var found = opening.find();
            var file = new OpenFile(vfs, chunks.acquire(found.ino()), found, hold);
            held.belongs(hold, file);
            listeners.forEach(listener -> listener.accept(found.ino()));
            openedFiles.increment();
            openedBytes.add(found.size());
            return file;
        } catch (IOException | RuntimeException | Error refused) {
            held.release(hold);
            throw refused;
        }
    }

    void closed(OpenFile file, HeldTicks.Hold hold) {
        chunks.release(file.state());
        held.release(hold);
    }

    /** Whether this file is open here, or has bytes left to write after it was closed. */
    public boolean contains(long ino) {
        return chunks.isOpen(ino);
    }

    /** Calls the listener with the inode of each regular file that is opened, in the opening thread, until closed. */
    public Vfs.Watch onOpen(LongConsumer listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /** How many regular files were opened or made so far, each time counted. */
    public long opened() {
        return openedFiles.sum();
    }

    /** The sizes that those files had when they were opened, added up. */
    public long openedBytes() {
        return openedBytes.sum();
    }

    /**
     * Files that are opened from now on hold {@code tick}, which no later change can be before. Returns the oldest tick
     * that is held: blocks that died before it are not needed here.
     */
    public long advance(long tick) {
        held.advance(tick);
        return held.oldest();
    }

    /**
     * As {@link #advance}; and open files that hold a tick before {@code oldest} let go of it, each as soon as no read
     * of it is under way that began earlier. So a file that stays open keeps the deleted blocks of no other file. A
     * file without a name is kept by a change of the metadata, which needs a session that writes.
     */
    public long refresh(long tick, long oldest) throws IOException {
        held.advance(tick);
        var movable = held.before(oldest, REFRESHED_MAX);
        var inos = movable.stream().map(each -> each.file().ino()).distinct().toList();
        var kept = new HashSet<Long>();   // looked up while the tick runs: later unlinks are in it or in later ticks
        var unnamed = new ArrayList<Long>();
        for (var file : names.attributes(inos)) {
            if (file.links() > 0) {
                kept.add(file.ino());
            } else {
                unnamed.add(file.ino());
            }
        }
        if (vfs.writes() && !unnamed.isEmpty()) {
            kept.addAll(names.keepUnnamed(unnamed));
        }
        for (var each : movable) {
            if (kept.contains(each.file().ino())) {
                held.move(each.hold(), each.file().state().advance(tick));
            }
        }
        return held.oldest();
    }
}
