package volsh.block.s3;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * Reads the body of a ranged GET straight into the caller's buffer; returns the bytes read. The answer must be the
 * range that was asked for, all of it: a server that ignores ranges or tells another length is not believed.
 */
record RangeReader(long offset, ByteBuffer target) implements ResponseTransformer<GetObjectResponse, Integer> {
    private static final Pattern CONTENT_RANGE = Pattern.compile("bytes (\\d{1,18})-(\\d{1,18})/(\\d{1,18})");
    private static final int PIECE = 64 * 1024;

    @Override
    public Integer transform(GetObjectResponse response, AbortableInputStream body) throws IOException {
        int expected = expected(response.contentRange(), response.contentLength());
        int count = target.hasArray() ? intoArray(body, expected) : inPieces(body, expected);
        if (count < expected) {
            throw new IOException("the answer broke off after %d of %d bytes".formatted(count, expected));
        }
        return count;
    }

    /** How many bytes follow; the answer tells which range they are, and their length. */
    int expected(String contentRange, Long content) throws IOException {
        String told = String.valueOf(contentRange);
        Matcher range = CONTENT_RANGE.matcher(told);
        if (!range.matches()) {
            throw new IOException("the answer is not the range that was asked for: " + told);
        }
        long end = Math.min(offset + target.remaining(), Long.parseLong(range.group(3)));
        long length = end - offset;
        boolean same = Long.parseLong(range.group(1)) == offset && Long.parseLong(range.group(2)) == end - 1;
        if (!same || content == null || content != length) {
            throw new IOException("asked for %d bytes from %d, the answer is %s with a length of %s"
                    .formatted(target.remaining(), offset, told, content));
        }
        return (int) length;
    }

    private int intoArray(InputStream body, int expected) throws IOException {
        int count = body.readNBytes(target.array(), target.arrayOffset() + target.position(), expected);
        target.position(target.position() + count);
        return count;
    }

    private int inPieces(InputStream body, int expected) throws IOException {
        var piece = new byte[Math.min(PIECE, expected)];
        int count = 0;
        while (count < expected) {
            int length = body.read(piece, 0, Math.min(piece.length, expected - count));
            if (length < 0) {
                break;
            }
            target.put(piece, 0, length);
            count += length;
        }
        return count;
    }
}
