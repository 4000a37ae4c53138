package volsh.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a body in the encoding {@code aws-chunked}: chunks with their length and, if signed, their signature,
 * then trailers. A chunk whose signature is wrong fails at its end, so a caller uses nothing before the end of the
 * body.
 */
final class ChunkedBody extends InputStream {
    private static final int LINE_MAX = 4096;
    private static final int TRAILERS_MAX = 16;
    private static final String SIGNATURE = "chunk-signature=";

    private final InputStream in;
    private final @Nullable ChunkSignatures signatures;
    private final MessageDigest digest = SigningDigests.of("SHA-256");
    private final Map<String, String> trailers = new TreeMap<>();
    private String signature = "";
    private long left;
    private boolean first = true;
    private boolean ended;

    /** {@code signatures} is null for chunks that are not signed. */
    ChunkedBody(InputStream in, @Nullable ChunkSignatures signatures) {
        this.in = in;
        this.signatures = signatures;
    }

    /** The fields that followed the body, by lower-case names; complete when it has ended. */
    Map<String, String> trailers() {
        return trailers;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int from, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (left == 0 && !ended) {
            nextChunk();
        }
        if (ended) {
            return -1;
        }
        int count = in.read(target, from, (int) Math.min(length, left));
        if (count < 0) {
            throw incomplete();
        }
        left -= count;
        if (signatures != null) {
            digest.update(target, from, count);
        }
        if (left == 0) {
            endChunk();
        }
        return count;
    }

    private void endChunk() throws IOException {
        if (signatures != null) {
            signatures.checkChunk(signature, digest.digest());
        }
    }

    private void nextChunk() throws IOException {
        if (!first && !line().isEmpty()) {
            throw malformed();
        }
        first = false;
        String head = line();
        int semicolon = head.indexOf(';');
        try {
            left = Long.parseLong(semicolon < 0 ? head.strip() : head.substring(0, semicolon).strip(), 16);
        } catch (NumberFormatException notALength) {
            throw malformed();
        }
        if (left < 0) {
            throw malformed();
        }
        signature = semicolon >= 0 && head.startsWith(SIGNATURE, semicolon + 1)
                ? head.substring(semicolon + 1 + SIGNATURE.length()).strip() : "";
        if (left == 0) {
            endChunk();
            readTrailers();
            ended = true;
        }
    }

    private void readTrailers() throws IOException {
        var signed = new StringBuilder();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            if (colon < 0 || trailers.size() == TRAILERS_MAX) {
                throw malformed();
            }
            String name = line.substring(0, colon).strip().toLowerCase(Locale.ROOT);
            String value = line.substring(colon + 1).strip();
            if (name.equals("x-amz-trailer-signature")) {
                if (signatures != null) {
                    signatures.checkTrailer(value, signed.toString());
                    signed.setLength(0);
                }
            } else {
                signed.append(name).append(':').append(value).append('\n');
                trailers.put(name, value);
            }
        }
        if (signatures != null && !signed.isEmpty()) {
            throw new S3Refusal(403, "SignatureDoesNotMatch", "the trailers of the body are not signed");
        }
    }

    /** A line without its end; the end of the body ends the last one. */
    private String line() throws IOException {
        var line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                if (line.isEmpty() && (ended || left == 0 && !first)) {
                    return "";
                }
                throw incomplete();
            }
            if (line.length() == LINE_MAX) {
                throw malformed();
            }
            line.append((char) next);
        }
        int end = line.length();
        return end > 0 && line.charAt(end - 1) == '\r' ? line.substring(0, end - 1)
                : new String(line.toString().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.ISO_8859_1);
    }

    private static S3Refusal malformed() {
        return new S3Refusal(400, "InvalidRequest", "the body is not in the encoding aws-chunked");
    }

    private static S3Refusal incomplete() {
        return new S3Refusal(400, "IncompleteBody", "the body ended before its last chunk");
    }
}
