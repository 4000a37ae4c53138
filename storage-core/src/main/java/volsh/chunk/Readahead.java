package volsh.chunk;

import java.util.ArrayList;
import java.util.List;

/**
 * Notices sequential readers of an open file, up to {@value #STREAMS} at a time, and loads the cache ahead of them. A
 * stream begins with the second read that continues another one, or with a large read at the start of the file. Its
 * window grows fourfold whenever a quarter of it is used up, so that a distant store is busy after three answers; it is
 * limited by the settings and by a fair share of the cache. Random reads begin no stream and load no more than they ask
 * for. Thread-safe.
 */
public final class Readahead implements AutoCloseable {
    private static final int STREAMS = 8;
    private static final int STREAK_MIN = 2;
    /** A first read of this size wants more of the file than its header. */
    private static final int WHOLE_MIN = 64 << 10;
    /** How far reads of one stream may overtake each other, in multiples of their length. */
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

    /** The position of a reader, and how far ahead of it data is loaded. */
    private static final class Stream {
        private long next;
        private long ahead;
        private long window;
        private int streak;

        boolean isContinuedBy(long offset, long length) {
            return Math.abs(offset - next) <= (streak < STREAK_MIN ? 0 : DISORDER * length);
        }

        /**
         * Whether a quarter of the window is used up: the rest keeps the store busy while the next part is requested.
         */
        boolean wantsMore() {
            return ahead - next < window - window / 4;
        }

        /** How far to load ahead now; a wide window ends where a piece does, so that pieces are whole. */
        long reach() {
            long end = next + window;
            return window < 2 * PIECE ? end : end - end % PIECE;
        }
    }

    private record Piece(long from, long to) {}

    /** To be called before {@code length} bytes are read from {@code offset} on; may be called twice for one read. */
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

    /** Ends the reader. */
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

    /** The pieces up to the end of the window, as many as may be loaded now. */
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
