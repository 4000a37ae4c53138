package volsh.block.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.regex.Pattern;

/**
 * Reads the body of a ranged GET straight into the caller's buffer. The answer must be the range that was asked for,
 * all of it: a server that ignores ranges or tells another length is not believed.
 */
record RangeReader(long offset, ByteBuffer target) {
    private static final Pattern CONTENT_RANGE = Pattern.compile("bytes (\\d{1,18})-(\\d{1,18})/(\\d{1,18})");

    /** What is asked for. */
    String range() {
        return "bytes=" + offset + '-' + (offset + target.remaining() - 1);
    }

    /** Returns how many bytes there were. */
    int read(AnswerHead head, Line line) throws IOException {
        int expected = expected(head.header("content-range").orElse("none"), head.length().orElse(-1));
        var room = target.duplicate().limit(target.position() + expected);
        while (room.hasRemaining()) {
            line.read(room);
        }
        target.position(room.position());
        return expected;
    }

    private int expected(String told, long content) throws IOException {
        var range = CONTENT_RANGE.matcher(told);
        if (!range.matches()) {
            throw new IOException("the answer is not the range that was asked for: " + told);
        }
        long end = Math.min(offset + target.remaining(), Long.parseLong(range.group(3)));
        boolean same = Long.parseLong(range.group(1)) == offset && Long.parseLong(range.group(2)) == end - 1;
        if (!same || content < 0 || content != end - offset) {
            throw new IOException("asked for %d bytes from %d, the answer is %s with a length of %d"
                    .formatted(target.remaining(), offset, told, content));
        }
        return (int) (end - offset);
    }
}
