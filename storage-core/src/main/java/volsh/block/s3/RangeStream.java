package volsh.block.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.regex.Pattern;
import volsh.object.ObjectChangedException;
import volsh.object.ObjectSink;

/** Passes the body of a ranged GET on, piece by piece. The response must be exactly the requested range. */
record RangeStream(long offset, long length, ObjectSink sink) {
    private static final Pattern TOTAL = Pattern.compile("bytes \\d+-\\d+/(\\d{1,18})");
    private static final ThreadLocal<ByteBuffer> PIECE =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(ObjectSink.PIECE));

    /** The value of the Range header. */
    String range() {
        return "bytes=" + offset + '-' + (offset + length - 1);
    }

    /** @throws ObjectChangedException if the server says that the object ends earlier */
    void requireWithin(AnswerHead head, String store, String key) throws ObjectChangedException {
        var total = TOTAL.matcher(head.header("content-range").orElse(""));
        if (total.matches() && Long.parseLong(total.group(1)) < offset + length) {
            throw new ObjectChangedException(store, key, offset + length);
        }
    }

    /** Returns how many bytes were passed on. */
    long read(AnswerHead head, Line line) throws IOException {
        String found = head.header("content-range").orElse("none");
        long content = head.length().orElse(-1);
        if (!found.startsWith("bytes %d-%d/".formatted(offset, offset + length - 1)) || content != length) {
            throw new IOException("requested %d bytes from %d, but the server returned %s with a length of %d"
                    .formatted(length, offset, found, content));
        }
        var piece = PIECE.get();
        for (long left = length; left > 0; ) {
            piece.clear().limit((int) Math.min(left, ObjectSink.PIECE));
            while (piece.hasRemaining()) {
                line.read(piece);
            }
            left -= piece.flip().remaining();
            sink.write(piece);
        }
        return length;
    }
}
