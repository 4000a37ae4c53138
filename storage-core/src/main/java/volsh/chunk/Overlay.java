package volsh.chunk;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The unwritten bytes over a range of a file at one moment; they stay readable until this is closed. {@code end} is the
 * smallest size of the file given all unwritten bytes.
 */
final class Overlay implements AutoCloseable {
    private final Windows windows;
    private final List<Dirty> buffers;
    private final long end;
    private final long sequence;

    /** {@code buffers}, retained, are oldest first; {@code sequence} counts how often the file was truncated before. */
    Overlay(Windows windows, List<Dirty> buffers, long end, long sequence) {
        this.windows = windows;
        this.buffers = buffers;
        this.end = end;
        this.sequence = sequence;
    }

    long end() {
        return end;
    }

    /** Whether one buffer has all of these bytes. */
    boolean covers(long offset, int length) {
        return !buffers.isEmpty() && offset + length <= end
                && windows.locked(() ->
                        buffers.stream().anyMatch(dirty -> covers(dirty, offset - dirty.start, length)));
    }

    private static boolean covers(Dirty dirty, long from, int length) {
        return from >= 0 && from + length <= Integer.MAX_VALUE
                && dirty.ranges().covers((int) from, (int) from + length);
    }

    /**
     * Copies them over the stored bytes. False if the file was truncated in between: then the two do not belong
     * together.
     */
    boolean layOver(long offset, ByteBuffer target, int count) {
        return windows.unlessCutSince(sequence, () -> {
            buffers.forEach(dirty -> dirty.overlay(offset, target, count));
            return true;
        }, false);
    }

    /** Whether the file was not truncated since. */
    boolean isCurrent() {
        return windows.unlessCutSince(sequence, () -> true, false);
    }

    @Override
    public void close() {
        if (!buffers.isEmpty()) {
            windows.locked(() -> buffers.forEach(Dirty::release));
        }
    }
}
