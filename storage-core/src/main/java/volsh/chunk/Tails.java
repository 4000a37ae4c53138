package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import volsh.fs.BlockRow;
import volsh.fs.Content;

/**
 * The small last extent of a file, which a flush that continues it takes over: a log that is written in small pieces, each
 * flushed, has few extents and not as many as pieces. Whether the extent is still there is found out when the flush is
 * committed; here it may be wrong.
 *
 * <p>Only a flush that begins within a window can continue anything. So a file that is written from front to back costs
 * nothing here; nor does one that is written in its middle, but for the first time.
 */
final class Tails {
    private final long ino;
    private final Chunks chunks;
    private final ReadsInFlight inFlight;
    private volatile long size;   // as far as is known: it may have become shorter

    Tails(long ino, Chunks chunks, ReadsInFlight inFlight) {
        this.inFlight = inFlight;
        this.ino = ino;
        this.chunks = chunks;
    }

    /** A commit found, or left, the file with this size. */
    void hasSize(long found) {
        size = found;
    }

    /**
     * The tail that these bytes continue, loaded to its place before them in the window's memory, which is theirs alone.
     * None if they continue none; nor if it cannot be read, which is no trouble of who appends.
     */
    Optional<Tail> take(Dirty dirty, ByteRanges ranges) {
        if (ranges.first() == 0 || chunks.settings().tailBytes() == 0 || dirty.end(ranges) < size || !dirty.previous().isDone()) {
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
        var block = chunks.blocks().reader().describe(content.blocks().get(part.block()));
        chunks.frames().read(block, Math.toIntExact(part.offset()), dirty.view(tail.from(dirty), to));
        chunks.rewrites().tookTail();
        return Optional.of(tail);
    }

    /** A block with a tail in it is stored: if the next flush is going to take it over again, it need not come from the store. */
    void stored(BlockRow row, ByteBuffer raw) throws IOException {
        if (row.rawSize() < chunks.settings().tailBytes()) {
            chunks.frames().keep(chunks.blocks().reader().describe(row), raw);
        }
    }
}
