package volsh.chunk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Unwritten;

/**
 * The written bytes of one file that no metadata names yet: at most one open {@link Dirty} per block-sized window,
 * which takes writes, and the sealed ones, being flushed or failed, oldest first. Also knows when the file was last
 * written and how often it was truncated. Thread-safe; the lock is never held during I/O.
 */
final class Windows {
    private final int blockSize;
    private final ReentrantLock lock = new ReentrantLock();
    private final TreeMap<Long, Dirty> open = new TreeMap<>();
    private final List<Dirty> sealed = new ArrayList<>();
    private long sequence;
    private long mtime;
    private @Nullable Throwable lastFailure;   // of bytes that are still unwritten; null if none failed
    private volatile boolean appends;   // may be true when there are none

    Windows(int blockSize) {
        this.blockSize = blockSize;
    }

    /** Runs this while no buffer changes. */
    <R extends @Nullable Object> R locked(Supplier<R> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    /** Runs this while no buffer changes. */
    void locked(Runnable work) {
        lock.lock();
        try {
            work.run();
        } finally {
            lock.unlock();
        }
    }

    // ---- writing

    /** The result of a write. */
    sealed interface Written {
        /** The window takes further bytes. */
        record Open() implements Written {}

        /** The window is full and sealed; the caller flushes it. */
        record Full(Dirty window) implements Written {}

        /** Nothing is written. */
        enum Refused implements Written {
            /** The window has too little memory, and there is no slab to enlarge it. */
            TOO_SMALL,
            /** The window holds bytes of the other kind, appended or not, which have to be flushed first. */
            OTHER_KIND
        }
    }

    private static final Written OPEN = new Written.Open();

    /** Writes all bytes or none. The slab, if there is one, is used to enlarge the window, or returned. */
    Written write(long window, int at, ByteBuffer source, int needed, @Nullable Slab slab, boolean appended, long now) {
        lock.lock();
        try {
            var there = open.get(window);
            if (there != null && there.isAppended() != appended) {
                if (slab != null) {
                    slab.close();
                }
                return Written.Refused.OTHER_KIND;
            }
            var dirty = open(window, needed, slab, appended, now);
            if (dirty == null) {
                return Written.Refused.TOO_SMALL;
            }
            dirty.write(at, source);
            mtime = now;
            return dirty.ranges().covers(0, blockSize) ? new Written.Full(seal(dirty)) : OPEN;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The window with space for {@code needed} bytes; null if it has too little and there is no slab. The slab is used
     * or returned.
     */
    private @Nullable Dirty open(long window, int needed, @Nullable Slab slab, boolean appended, long now) {
        var dirty = open.get(window);
        boolean fits = dirty != null && dirty.capacity() >= needed;
        if (slab == null) {
            return fits ? dirty : null;
        }
        if (fits) {
            slab.close();
        } else if (dirty != null) {
            dirty.grow(slab);
        } else {
            dirty = new Dirty(window, slab, appended, now);
            open.put(window, dirty);
            appends = appends || appended;
        }
        return dirty;
    }

    /** Seals the window; the caller flushes it. */
    private Dirty seal(Dirty dirty) {
        open.remove(dirty.start);
        dirty.seal(sealed.stream()
                .filter(other -> other.start == dirty.start || other.isAppended() && dirty.isAppended())
                .reduce((first, second) -> second).orElse(null));
        sealed.add(dirty);
        return dirty;
    }

    /** The windows just sealed, to be flushed, and the futures of all that are being flushed. */
    record Sealed(List<Dirty> fresh, List<CompletableFuture<@Nullable Void>> all) {}

    /** Seals all windows. */
    Sealed sealAll() {
        return locked(() -> {
            var fresh = new ArrayList<Dirty>();
            while (!open.isEmpty()) {
                var dirty = open.firstEntry().getValue();
                if (dirty.ranges().isEmpty()) {
                    open.remove(dirty.start);
                    dirty.retire();
                } else {
                    fresh.add(seal(dirty));
                }
            }
            return new Sealed(fresh, sealed.stream().map(Dirty::flushed).toList());
        });
    }

    /** Reopens windows whose flush failed, with older bytes below newer ones. */
    void reopenFailed() {
        while (true) {
            List<CompletableFuture<@Nullable Void>> behind;
            lock.lock();
            try {
                behind = behindFailed();
                if (behind.isEmpty()) {
                    sealed.reversed().stream().filter(Dirty::hasFailed).toList().forEach(this::reopen);
                    return;
                }
            } finally {
                lock.unlock();
            }
            behind.forEach(flushed -> flushed.handle((done, failure) -> null).join());
        }
    }

    /** The flushes behind a window that failed: they fail, too, and have to be reopened first, to lie above it. */
    private List<CompletableFuture<@Nullable Void>> behindFailed() {
        var failed = sealed.stream().filter(Dirty::hasFailed).map(dirty -> dirty.start).collect(Collectors.toSet());
        boolean appended = sealed.stream().anyMatch(dirty -> dirty.hasFailed() && dirty.isAppended());
        return sealed.stream()
                .filter(dirty -> failed.contains(dirty.start) || appended && dirty.isAppended())
                .map(Dirty::flushed).filter(flushed -> !flushed.isDone()).toList();
    }

    private void reopen(Dirty dirty) {
        sealed.remove(dirty);
        var newer = open.get(dirty.start);
        lastFailure = dirty.failure();
        dirty.reopen();
        if (newer == null) {
            open.put(dirty.start, dirty);
        } else if (newer.capacity() >= dirty.ranges().end()) {
            newer.underlay(dirty);
            dirty.retire();
        } else {
            newer.ranges().each((from, to) -> dirty.write(from, newer.view(from, to)));
            open.put(dirty.start, dirty);
            newer.retire();
        }
    }

    /** The dirty ranges as they are now: truncate may have cut them. */
    ByteRanges rangesOf(Dirty dirty) {
        return locked(() -> new ByteRanges(dirty.ranges()));
    }

    /** The metadata has these bytes now, and readers find them there. Runs {@code then} before any reader looks. */
    void committed(Dirty dirty, Runnable then) {
        locked(() -> {
            sealed.remove(dirty);
            dirty.retire();
            appends = appends && all().anyMatch(Dirty::isAppended);
            lastFailure = null;
            then.run();
        });
    }

    /** Drops the bytes behind {@code size}, as the file was truncated. */
    void cut(long size) {
        locked(() -> {
            sequence++;
            all().forEach(dirty -> dirty.cut(size));
        });
    }

    /**
     * Drops every byte. Flushes under way find no ranges to commit. With {@code all} their futures fail at once, and
     * their memory is given up.
     */
    void drop(boolean all) {
        locked(() -> {
            sequence++;
            mtime = 0;
            open.values().forEach(dirty -> dirty.cut(0));
            open.values().forEach(Dirty::retire);
            open.clear();
            sealed.forEach(dirty -> dirty.cut(0));
            for (var dirty : List.copyOf(sealed)) {
                if (dirty.flushed().isDone()) {
                    sealed.remove(dirty);
                    dirty.retire();
                } else if (all) {
                    sealed.remove(dirty);
                    dirty.flushed().completeExceptionally(
                            new FsException(FsError.IO, "unwritten bytes were discarded"));
                }
            }
            appends = false;
        });
    }

    /** The unwritten bytes; null if there are none. */
    @Nullable Unwritten unwritten(long ino) {
        return locked(() -> {
            var waiting = all().filter(dirty -> !dirty.ranges().isEmpty()).toList();
            return waiting.isEmpty() ? null : new Unwritten(ino, waiting.stream().mapToLong(dirty -> dirty.ranges()
                    .bytes()).sum(), waiting.stream().mapToLong(Dirty::since).min().orElseThrow(), Optional.ofNullable(
                    waiting.stream().map(Dirty::failure).filter(Objects::nonNull).findFirst().orElse(lastFailure)));
        });
    }

    // ---- reading

    /** The unwritten bytes over {@code [from, to)} now. Close it. */
    Overlay overlay(long from, long to) {
        return locked(() -> {
            var found = overlapping(from, to);
            found.forEach(Dirty::retain);
            return new Overlay(this, found, dirtyEnd(), sequence);
        });
    }

    /** An overlay without bytes, which need not be closed; null if there are unwritten bytes in the range. */
    @Nullable Overlay noneWithin(long from, long to) {
        return locked(() -> overlapping(from, to).isEmpty() ? new Overlay(this, List.of(), dirtyEnd(), sequence)
                : null);
    }

    /** Runs this while no buffer changes, unless the file was truncated since then. */
    <R extends @Nullable Object> R unlessCutSince(long since, Supplier<R> work, R otherwise) {
        return locked(() -> sequence == since ? work.get() : otherwise);
    }

    /** The overlapping buffers, oldest first, so that newer bytes are copied over older ones. */
    private List<Dirty> overlapping(long from, long to) {
        var found = new ArrayList<Dirty>();
        for (var dirty : sealed) {
            if (dirty.start < to && dirty.end() > from) {
                found.add(dirty);
            }
        }
        var first = open.floorKey(from);
        for (var dirty : open.tailMap(first == null ? from : first, true).values()) {
            if (dirty.start >= to) {
                break;
            }
            found.add(dirty);
        }
        return found;
    }

    private Stream<Dirty> all() {
        return Stream.concat(sealed.stream(), open.values().stream());
    }

    private long dirtyEnd() {
        long end = 0;
        for (var dirty : sealed) {
            end = Math.max(end, dirty.ranges().isEmpty() ? 0 : dirty.end());
        }
        for (var dirty : open.values()) {
            end = Math.max(end, dirty.ranges().isEmpty() ? 0 : dirty.end());
        }
        return end;
    }

    // ---- state

    /** When the file was last written; empty if its time was set since. */
    OptionalLong writtenAt() {
        return locked(() -> mtime == 0 ? OptionalLong.empty() : OptionalLong.of(mtime));
    }

    /** Forgets that the file was last written at {@code known}, because its time was set since. */
    void forgetTime(long known) {
        locked(() -> {
            mtime = mtime == known ? 0 : mtime;
        });
    }

    FileState.Pending pending() {
        return locked(() -> isEmpty() ? FileState.Pending.NOTHING : new FileState.Pending(dirtyEnd(), mtime));
    }

    /** Whether there are appended bytes, whose offset is not known yet. */
    boolean hasAppended() {
        return appends && locked(() -> all().anyMatch(Dirty::isAppended));
    }

    /** Whether there are bytes with an offset. */
    boolean hasPlaced() {
        return locked(() -> all().anyMatch(dirty -> !dirty.isAppended()));
    }

    boolean isDirty() {
        return locked(() -> !isEmpty());
    }

    private boolean isEmpty() {
        return open.isEmpty() && sealed.isEmpty();
    }

    boolean hasFailed() {
        return locked(() -> sealed.stream().anyMatch(Dirty::hasFailed));
    }

    /** Whether a window is being flushed. */
    boolean isWriting() {
        return locked(() -> sealed.stream().anyMatch(dirty -> !dirty.flushed().isDone()));
    }

    /** Memory of open windows, in bytes. */
    long openBytes() {
        return locked(() -> open.values().stream().mapToLong(Dirty::capacity).sum());
    }
}
