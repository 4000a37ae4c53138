package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import volsh.fs.BlockRow;
import volsh.fs.Content;

/**
 * The small last extent of a file, which a flush that continues it stores again with its own bytes: a log that is
 * written in small pieces, each flushed, therefore has few extents. The extent may have changed in the meantime; the
 * commit of the flush finds out.
 *
 * <p>Only a flush that begins within a window can continue a tail, so writing a file sequentially costs nothing here,
 * and writing in its middle costs something once.
 */
final class Tails {
    private final long ino;
    private final Chunks chunks;
    private final ReadsInFlight inFlight;
    private volatile long size;   // as far as is known: the file may be shorter by now

    Tails(long ino, Chunks chunks, ReadsInFlight inFlight) {
        this.inFlight = inFlight;
        this.ino = ino;
        this.chunks = chunks;
    }

    /** Remembers the size that a commit found or made. */
    void hasSize(long found) {
        size = found;
    }

    /**
     * The tail that these bytes continue, loaded to its place before them in the memory of the window, which only this
     * flush uses. None if they continue none, or if it cannot be read, which must not fail an append.
     */
    Optional<Tail> take(Dirty dirty, ByteRanges ranges) {
        if (ranges.first() == 0 || chunks.settings().tailBytes() == 0 || dirty.end(ranges) < size
                || !dirty.previous().isDone()) {
            return Optional.empty();
        }
        int epoch = inFlight.begin();
        try {
            long at = dirty.start + ranges.first();
            var content = chunks.table().content(ino, at - 1, at);
            hasSize(content.attributes().size());
            return dirty.end(ranges) < size ? Optional.empty() : load(content, dirty, ranges.first());
        } catch (IOException unreadable) {
            return Optional.empty();
        } finally {
            inFlight.end(epoch);
        }
    }

    private Optional<Tail> load(Content content, Dirty dirty, int to) throws IOException {
        if (content.extents().isEmpty()) {
            return Optional.empty();
        }
        var extent = content.extents().getFirst();
        var part = extent.clip(dirty.start, dirty.start + to);
        if (part.length() >= chunks.settings().tailBytes()) {
            return Optional.empty();
        }
        var tail = new Tail(extent, part.start(), part.length());
        var block = chunks.blocks().reader().describe(content.block(part));
        chunks.frames().read(block, Math.toIntExact(part.offset()), dirty.view(tail.from(dirty), to));
        chunks.rewrites().tookTail();
        return Optional.of(tail);
    }

    /** Keeps a stored block with a tail in the cache, so that the next flush need not read it from the store. */
    void stored(BlockRow row, ByteBuffer raw) throws IOException {
        if (row.rawSize() < chunks.settings().tailBytes()) {
            chunks.frames().keep(chunks.blocks().reader().describe(row), raw);
        }
    }
}
