package volsh.block.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.regex.Pattern;

/**
 * Reads the body of a ranged GET directly into the caller's buffer. The response must be exactly the requested range: a
 * server that ignores ranges or returns another length is not trusted.
 */
record RangeReader(long offset, ByteBuffer target) {
    private static final Pattern CONTENT_RANGE = Pattern.compile("bytes (\\d{1,18})-(\\d{1,18})/(\\d{1,18})");

    /** The value of the Range header. */
    String range() {
        return "bytes=" + offset + '-' + (offset + target.remaining() - 1);
    }

    /** Returns how many bytes were read. */
    int read(AnswerHead head, Line line) throws IOException {
        int expected = expected(head.header("content-range").orElse("none"), head.length().orElse(-1));
        var room = target.duplicate().limit(target.position() + expected);
        while (room.hasRemaining()) {
            line.read(room);
        }
        target.position(room.position());
        return expected;
    }

    private int expected(String contentRange, long content) throws IOException {
        var range = CONTENT_RANGE.matcher(contentRange);
        if (!range.matches()) {
            throw new IOException("the server did not return the requested range: " + contentRange);
        }
        long end = Math.min(offset + target.remaining(), Long.parseLong(range.group(3)));
        boolean same = Long.parseLong(range.group(1)) == offset && Long.parseLong(range.group(2)) == end - 1;
        if (!same || content < 0 || content != end - offset) {
            throw new IOException("requested %d bytes from %d, but the server returned %s with a length of %d"
                    .formatted(target.remaining(), offset, contentRange, content));
        }
        return (int) (end - offset);
    }
}
