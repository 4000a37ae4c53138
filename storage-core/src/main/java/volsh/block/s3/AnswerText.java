package volsh.block.s3;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** The body of a response other than an object: short, and XML for an error. */
final class AnswerText {
    private static final int LENGTH_MAX = 64 << 10;
    private static final Pattern CODE = Pattern.compile("<Code>([^<]{1,100})</Code>");
    private static final Pattern MESSAGE = Pattern.compile("<Message>([^<]{1,1000})</Message>");
    private static final Pattern REGION = Pattern.compile("<Region>([^<]{1,100})</Region>");
    private static final Pattern CHUNK = Pattern.compile("([0-9a-fA-F]{1,6})(;.*)?");

    private AnswerText() {}

    /** Reads it to its end. */
    static String read(AnswerHead head, Line line) throws IOException {
        return read(head, line, LENGTH_MAX);
    }

    /** Reads it to its end, if it has at most {@code longest} bytes. */
    static String read(AnswerHead head, Line line, int longest) throws IOException {
        if (head.status() == 204) {
            return "";
        }
        if (head.isChunked()) {
            return chunks(line, longest);
        }
        if (head.length().isEmpty()) {
            throw new IOException("invalid HTTP response: status %d without a Content-Length".formatted(head.status()));
        }
        return new String(bytes(line, head.length().getAsLong(), longest), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(Line line, long length, int longest) throws IOException {
        if (length > longest) {
            throw new IOException("unexpected HTTP response of %d bytes".formatted(length));
        }
        var bytes = ByteBuffer.allocate((int) length);
        while (bytes.hasRemaining()) {
            line.read(bytes);
        }
        return bytes.array();
    }

    private static String chunks(Line line, int longest) throws IOException {
        var all = new ByteArrayOutputStream();
        while (true) {
            var size = CHUNK.matcher(row(line));
            if (!size.matches() || all.size() > longest) {
                throw new IOException("invalid HTTP response: malformed chunk");
            }
            int length = Integer.parseInt(size.group(1), 16);
            all.writeBytes(bytes(line, length, longest));
            while (!row(line).isEmpty()) {   // headers may follow the last chunk
                if (length > 0) {
                    throw new IOException("invalid HTTP response: trailers too long");
                }
            }
            if (length == 0) {
                return all.toString(StandardCharsets.UTF_8);
            }
        }
    }

    private static String row(Line line) throws IOException {
        var row = new StringBuilder();
        var one = ByteBuffer.allocate(1);
        while (row.length() < 2 || row.charAt(row.length() - 1) != '\n') {
            line.read(one.clear());
            row.append((char) one.get(0));
            if (row.length() > 1000) {
                throw new EOFException("invalid HTTP response: truncated chunk");
            }
        }
        return row.substring(0, row.length() - 2);
    }

    /** The exception that the SDK would throw. Puts the region of the bucket into the headers. */
    static AwsServiceException refusal(AnswerHead head, String text) {
        var headers = head.headers().entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, each -> List.of(each.getValue())));
        Optional.ofNullable(part(REGION, text))
                .ifPresent(region -> headers.putIfAbsent(S3Failures.REGION, List.of(region)));
        var details = AwsErrorDetails.builder()
                .errorCode(part(CODE, text))
                .errorMessage(part(MESSAGE, text))
                .sdkHttpResponse(SdkHttpResponse.builder().statusCode(head.status()).headers(headers).build());
        return S3Exception.builder().statusCode(head.status()).message("status " + head.status())
                .awsErrorDetails(details.build()).build();
    }

    private static @Nullable String part(Pattern pattern, String text) {
        var found = pattern.matcher(text);
        return found.find() ? found.group(1) : null;
    }
}
