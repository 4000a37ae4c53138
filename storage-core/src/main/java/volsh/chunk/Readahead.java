package volsh.chunk;

import java.util.ArrayList;
import java.util.List;
import volsh.fs.Advice;

/**
 * Notices sequential readers of an open file, up to {@value #STREAMS} at a time, and loads the cache ahead of them. A
 * stream begins with the second read that continues another one, or with a large read at the start of the file. Its
 * window grows fourfold whenever a quarter of it is used up, so that a distant store is busy after three answers; it is
 * limited by the settings and by a fair share of the cache. Random reads begin no stream and load no more than they ask
 * for. Thread-safe.
 *
 * <p>{@link Advice} changes that. RANDOM: no stream begins. SEQUENTIAL: the first read begins one, with a large window,
 * which may grow twice as far; and what a reader has passed is let go, a piece at a time, the rest when the file is
 * closed.
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
    /** The same for readers that are known to be sequential: what may be loaded ahead at all. */
    private static final int SEQUENTIAL_CACHE_PART = 3;
    private static final int SEQUENTIAL_FACTOR = 2;
    private static final long PIECE = 4 << 20;
    /** What is kept behind a sequential reader, because reads overtake each other. */
    private static final long KEPT_BEHIND = 2 << 20;
    /** A frame is at most this long: one that the last piece had in part is let go with the next. */
    private static final long FRAME_MAX = 128 << 10;

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

    /** The position of a reader, how far ahead of it data is loaded, and how far behind it data was let go. */
    private static final class Stream {
        private long next;
        private long ahead;
        private long window;
        private int streak;
        private long begun;
        private long behind;

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

        /** What to let go of before {@code limit}, if that is {@code most} bytes or more. */
        List<Piece> passed(long limit, long most) {
            if (limit - behind < most) {
                return List.of();
            }
            var piece = new Piece(Math.max(begun, behind - FRAME_MAX), limit);
            behind = limit;
            return List.of(piece);
        }
    }

    private record Piece(long from, long to) {}

    /** What a read gives reason to load, and to let go. */
    private record Moves(List<Piece> ahead, List<Piece> behind) {
        static final Moves NONE = new Moves(List.of(), List.of());
    }

    /** To be called before {@code length} bytes are read from {@code offset} on; may be called twice for one read. */
    public void reads(long offset, int length) {
        var advice = state.advice();
        boolean possible = Math.min(chunks.settings().cacheBytes() / CACHE_PART, chunks.settings().readaheadBytes())
                >= WINDOW_MIN;
        if (advice != Advice.RANDOM && (possible || advice == Advice.SEQUENTIAL)) {
            var moves = next(offset, length, possible, advice == Advice.SEQUENTIAL);
            moves.ahead().forEach(piece -> chunks.prefetch(state, piece.from(), piece.to()));
            moves.behind().forEach(piece -> state.leave(piece.from(), piece.to()));
        }
    }

    private synchronized Moves next(long offset, int length, boolean possible, boolean sequential) {
        if (offset == last) {
            return Moves.NONE;
        }
        last = offset;
        var stream = streamAt(offset, length);
        stream.next = Math.max(stream.next, offset + length);
        stream.streak += sequential || offset == 0 && length >= WHOLE_MIN ? STREAK_MIN : 1;
        var behind = sequential ? stream.passed(stream.next - length - KEPT_BEHIND, PIECE) : List.<Piece>of();
        if (!possible || stream.streak < STREAK_MIN || !stream.wantsMore()) {
            return new Moves(List.of(), behind);
        }
        long most = windowMax(sequential);
        long least = sequential ? Math.min(most, 2 * PIECE) : WINDOW_MIN;
        stream.window = Math.clamp(GROWTH * Math.max(stream.window, length), least, most);
        return new Moves(pieces(stream), behind);
    }

    private long windowMax(boolean sequential) {
        if (!counted) {
            counted = true;
            chunks.sequentialReaders().incrementAndGet();
        }
        long part = chunks.settings().cacheBytes() / (sequential ? SEQUENTIAL_CACHE_PART : CACHE_PART)
                / chunks.sequentialReaders().get();
        long most = chunks.settings().readaheadBytes() * (sequential ? SEQUENTIAL_FACTOR : 1);
        return Math.max(WINDOW_MIN, Math.min(most, part));
    }

    /** Ends the reader. */
    @Override
    public void close() {
        rest().forEach(piece -> state.leave(piece.from(), piece.to()));
    }

    /** What sequential readers have read and not let go of yet. */
    private synchronized List<Piece> rest() {
        if (counted) {
            counted = false;
            chunks.sequentialReaders().decrementAndGet();
        }
        var rest = new ArrayList<Piece>();
        for (var stream : streams) {
            if (stream != null && state.advice() == Advice.SEQUENTIAL) {
                rest.addAll(stream.passed(stream.next, 1));
            }
        }
        return rest;
    }

    private Stream streamAt(long offset, int length) {
        for (var stream : streams) {
            if (stream != null && stream.isContinuedBy(offset, length)) {
                return stream;
            }
        }
        var stream = new Stream();
        stream.next = offset;
        stream.begun = offset;
        stream.behind = offset;
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
