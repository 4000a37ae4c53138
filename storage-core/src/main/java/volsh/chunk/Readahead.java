package volsh.chunk;

import java.util.ArrayList;
import java.util.List;

/**
 * Notices who reads an open file from front to back, at several places at once perhaps, and has the cache filled ahead of
 * them. A stream begins with the second read that continues another, or with a large one at the start of the file; its window
 * grows fourfold whenever a part of it is used up, so that a store that answers late is busy after three answers, up to what
 * is set and to a fair part of the cache among all who read so. Reads here and there begin none, and cause no more than they
 * ask for. Thread-safe.
 */
public final class Readahead implements AutoCloseable {
    private static final int STREAMS = 8;
    private static final int STREAK_MIN = 2;
    /** Who begins a file with a read like this wants more of it than its header. */
    private static final int WHOLE_MIN = 64 << 10;
    /** Reads of one stream may overtake each other by so many of their length. */
    private static final int DISORDER = 4;
    private static final long WINDOW_MIN = 512 << 10;
    private static final int GROWTH = 4;
    /** All windows together take at most this part of the cache. */
    private static final int CACHE_PART = 4;
    private static final long PIECE = 4 << 20;

    private final FileState state;
    private final Chunks chunks;
    private final Stream[] streams = new Stream[STREAMS];
    private int oldest;
    private long last = -1;
    private boolean counted;

    Readahead(FileState state, Chunks chunks) {
        this.state = state;
        this.chunks = chunks;
    }

    /** Where a reader is, and how far it is read ahead of him. */
    private static final class Stream {
        private long next;
        private long ahead;
        private long window;
        private int streak;

        boolean isContinuedBy(long offset, long length) {
            return Math.abs(offset - next) <= (streak < STREAK_MIN ? 0 : DISORDER * length);
        }

        /** A quarter of the window is used up: the rest keeps the store busy while the next is asked for. */
        boolean wantsMore() {
            return ahead - next < window - window / 4;
        }

        /** How far to read ahead now; a wide window ends where a piece does, so that pieces are whole. */
        long reach() {
            long end = next + window;
            return window < 2 * PIECE ? end : end - end % PIECE;
        }
    }

    private record Piece(long from, long to) {}

    /** Somebody is about to read {@code length} bytes from {@code offset} on. May be told twice. */
    public void reads(long offset, int length) {
        if (Math.min(chunks.settings().cacheBytes() / CACHE_PART, chunks.settings().readaheadBytes()) >= WINDOW_MIN) {
            next(offset, length).forEach(piece -> chunks.prefetch(state, piece.from(), piece.to()));
        }
    }

    private synchronized List<Piece> next(long offset, int length) {
        if (offset == last) {
            return List.of();
        }
        last = offset;
        var stream = streamAt(offset, length);
        stream.next = Math.max(stream.next, offset + length);
        stream.streak += offset == 0 && length >= WHOLE_MIN ? STREAK_MIN : 1;
        if (stream.streak < STREAK_MIN || !stream.wantsMore()) {
            return List.of();
        }
        stream.window = Math.clamp(GROWTH * Math.max(stream.window, length), WINDOW_MIN, windowMax());
        return pieces(stream);
    }

    private long windowMax() {
        if (!counted) {
            counted = true;
            chunks.sequentialReaders().incrementAndGet();
        }
        long part = chunks.settings().cacheBytes() / CACHE_PART / chunks.sequentialReaders().get();
        return Math.max(WINDOW_MIN, Math.min(chunks.settings().readaheadBytes(), part));
    }

    /** Nobody reads any more. */
    @Override
    public synchronized void close() {
        if (counted) {
            counted = false;
            chunks.sequentialReaders().decrementAndGet();
        }
    }

    private Stream streamAt(long offset, int length) {
        for (var stream : streams) {
            if (stream != null && stream.isContinuedBy(offset, length)) {
                return stream;
            }
        }
        var stream = new Stream();
        stream.next = offset;
        streams[oldest] = stream;
        oldest = (oldest + 1) % STREAMS;
        return stream;
    }

    /** Up to the end of the window, as far as there are threads to load it now. */
    private List<Piece> pieces(Stream stream) {
        var pieces = new ArrayList<Piece>();
        long end = stream.reach();
        stream.ahead = Math.max(stream.ahead, stream.next);
        while (stream.ahead < end && !state.endsBefore(stream.ahead) && chunks.mayPrefetch()) {
            long to = Math.min(end, stream.ahead - stream.ahead % PIECE + PIECE);
            pieces.add(new Piece(stream.ahead, to));
            stream.ahead = to;
        }
        return pieces;
    }
}
