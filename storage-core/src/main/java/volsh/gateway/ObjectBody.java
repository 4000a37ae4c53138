package volsh.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Map;
import volsh.vfs.OpenFile;

/** The bytes of an object that is put, with the checks that its client asked for. */
final class ObjectBody {
    private static final int PART = 256 << 10;
    private static final long SIZE_MAX = 5L << 40;

    private final InputStream in;
    private final ChunkedBody chunked;
    private final boolean isChunked;
    private final long expected;
    private final BodyChecks checks;

    ObjectBody(S3Request request, SignatureCheck.Signed signed, InputStream body) throws S3Refusal {
        this.isChunked = signed.payload().startsWith("STREAMING-");
        this.chunked = new ChunkedBody(body, signed.payload().startsWith("STREAMING-UNSIGNED") ? null
                : signed.chunks());
        this.in = isChunked ? chunked : body;
        this.checks = new BodyChecks(request, signed.payload());
        this.expected = size(request);
    }

    private long size(S3Request request) throws S3Refusal {
        String text = request.header(isChunked ? "x-amz-decoded-content-length" : "Content-Length").orElse("");
        if (text.isEmpty() && !isChunked && request.header("Transfer-Encoding").isEmpty()) {
            return 0;
        }
        try {
            long size = Long.parseLong(text);
            if (size > SIZE_MAX) {
                throw new S3Refusal(400, "EntityTooLarge", "an object has at most 5 TiB");
            }
            if (size >= 0) {
                return size;
            }
        } catch (NumberFormatException missing) {
            // told below
        }
        throw new S3Refusal(411, "MissingContentLength", "the length of the body is missing");
    }

    /** Writes it to a new file; returns its MD5 if all of it is as the client said. */
    byte[] writeTo(OpenFile file) throws IOException {
        byte[] part = new byte[(int) Math.min(PART, Math.max(expected, 1))];
        long at = 0;
        for (int count = fill(part); count > 0; count = fill(part)) {
            checks.update(part, count);
            if (checks.size() > expected) {
                throw new S3Refusal(400, "IncompleteBody", "the body is longer than its length says");
            }
            var bytes = ByteBuffer.wrap(part, 0, count);
            while (bytes.hasRemaining()) {
                at += file.write(at, bytes);
            }
        }
        if (at != expected) {
            throw new S3Refusal(400, "IncompleteBody", "%d of %d bytes arrived".formatted(at, expected));
        }
        return checks.finish(isChunked ? chunked.trailers() : Map.of());
    }

    private int fill(byte[] part) throws IOException {
        int count = 0;
        while (count < part.length) {
            int more = readSome(part, count);
            if (more < 0) {
                break;
            }
            count += more;
        }
        return count;
    }

    private int readSome(byte[] part, int from) throws S3Refusal {
        try {
            return in.read(part, from, part.length - from);
        } catch (S3Refusal refused) {
            throw refused;
        } catch (IOException left) {
            throw new S3Refusal(400, "IncompleteBody", "the client left before the end of the body");
        }
    }

    /** The number of bytes that the client announced. */
    long length() {
        return expected;
    }

    /** Fills an array of {@link #length} bytes; returns the MD5 if all of them are as the client said. */
    byte[] readTo(byte[] bytes) throws IOException {
        int count = fill(bytes);
        if (count < expected || readSome(new byte[1], 0) >= 0) {
            throw new S3Refusal(400, "IncompleteBody", "the body has not the %d bytes that its length says"
                    .formatted(expected));
        }
        checks.update(bytes, count);
        return checks.finish(isChunked ? chunked.trailers() : Map.of());
    }

    /** All of a small body, such as a list of keys. */
    byte[] small(int most) throws IOException {
        if (expected > most) {
            throw new S3Refusal(400, "MaxMessageLengthExceeded", "the body has more than %d bytes".formatted(most));
        }
        byte[] bytes = new byte[(int) expected];
        readTo(bytes);
        return bytes;
    }
}
