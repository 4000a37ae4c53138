package volsh.chunk;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Written bytes of one block-sized window of a file that no metadata names yet. Guarded by the lock of its
 * {@link Windows}, but for the bytes themselves once it is sealed: those never change again.
 */
final class Dirty {
    final long start;
    /** When the first of its bytes was written, in nanoseconds since the epoch. */
    private final long since;
    private final ByteRanges ranges = new ByteRanges();
    private @Nullable Slab slab;   // null once its memory is given back
    private final boolean appended;
    private int readers;
    private boolean retired;
    private CompletableFuture<@Nullable Void> previous = CompletableFuture.completedFuture(null);
    private CompletableFuture<@Nullable Void> flushed = new CompletableFuture<>();

    /**
     * {@code appended} bytes go to the end of the file as it is when they are committed; until then they lie where the
     * end seemed to be.
     */
    Dirty(long start, Slab slab, boolean appended, long since) {
        this.since = since;
        this.start = start;
        this.slab = slab;
        this.appended = appended;
    }

    long since() {
        return since;
    }

    boolean isAppended() {
        return appended;
    }

    int capacity() {
        return slab().capacity();
    }

    /** Its memory, which must not be given back yet. */
    private Slab slab() {
        return Objects.requireNonNull(slab);
    }

    ByteRanges ranges() {
        return ranges;
    }

    /** First byte of the file behind the dirty ones. */
    long end() {
        return start + ranges.end();
    }

    /** The same for ranges that were dirty at an earlier moment. */
    long end(ByteRanges then) {
        return start + then.end();
    }

    void write(int at, ByteBuffer source) {
        int to = at + source.remaining();
        slab().view(at, to).put(source);
        ranges.add(at, to);
    }

    /** Moves into a larger slab. */
    void grow(Slab larger) {
        var smaller = slab();
        ranges.each((from, to) -> larger.view(from, to).put(smaller.view(from, to)));
        smaller.close();
        slab = larger;
    }

    /** Takes the bytes of {@code older} that this one lacks: bytes whose flush failed come back below newer ones. */
    void underlay(Dirty older) {
        var missing = new ByteRanges(older.ranges);
        ranges.each(missing::remove);
        missing.each((from, to) -> {
            view(from, to).put(older.view(from, to));
            ranges.add(from, to);
        });
    }

    ByteBuffer view(int from, int to) {
        return slab().view(from, to);
    }

    /**
     * Copies the dirty bytes within {@code [offset, offset + target.limit())} of the file to their place in the target.
     */
    void overlay(long offset, ByteBuffer target, int length) {
        long from = Math.max(offset, start) - start;
        long to = Math.min(offset + length - start, Integer.MAX_VALUE);
        if (from >= to) {
            return;
        }
        ranges.within((int) from, (int) to, (first, last) ->
                target.put((int) (start + first - offset), view(first, last), 0, last - first));
    }

    /** Drops the bytes behind {@code size}, as the file was truncated. */
    void cut(long size) {
        if (end() > size) {
            ranges.remove((int) Math.max(0, size - start), Integer.MAX_VALUE);
        }
    }

    void retain() {
        readers++;
    }

    void release() {
        readers--;
        closeIfUnused();
    }

    /** Committed or no longer wanted: the memory goes back when the last reader is done. */
    void retire() {
        retired = true;
        closeIfUnused();
    }

    private void closeIfUnused() {
        if (retired && readers == 0 && slab != null) {
            slab.close();
            slab = null;
        }
    }

    /** Sealed behind {@code earlier}, which must be committed first; null if there is none. */
    void seal(@Nullable Dirty earlier) {
        previous = earlier == null ? CompletableFuture.completedFuture(null) : earlier.flushed;
    }

    /** Completes when this one may be committed; fails if the one before it could not be. */
    CompletableFuture<@Nullable Void> previous() {
        return previous;
    }

    /** Opens it for writing again after a failed flush. Code that waits for that flush has its future, which fails. */
    void reopen() {
        flushed = new CompletableFuture<>();
    }

    /** Completes when committed, or fails with the reason. Each {@link #reopen} makes a new one. */
    CompletableFuture<@Nullable Void> flushed() {
        return flushed;
    }

    /** Why its flush failed; null if it did not. */
    @Nullable Throwable failure() {
        return flushed.isCompletedExceptionally() ? flushed.exceptionNow() : null;
    }

    boolean hasFailed() {
        return flushed.isCompletedExceptionally();
    }
}
