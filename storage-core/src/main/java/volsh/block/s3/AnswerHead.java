package volsh.block.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** The head of an HTTP response: its status and its headers, with lower-case names. */
record AnswerHead(int status, Map<String, String> headers) {
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] (\\d{3})( .*)?");
    private static final Pattern LENGTH = Pattern.compile("\\d{1,18}");

    /** Waits for the whole head, and reads nothing beyond it. Skips a 100 Continue. */
    static AnswerHead read(Line line) throws IOException {
        while (true) {
            int end = end(line.received());
            while (end < 0) {
                line.receive();
                end = end(line.received());
            }
            byte[] bytes = new byte[end];
            line.received().get(bytes);
            var head = parse(new String(bytes, StandardCharsets.ISO_8859_1));
            if (head.status >= 200) {
                return head;
            }
        }
    }

    /** The length of the head; -1 if it is incomplete. */
    private static int end(ByteBuffer bytes) {
        for (int i = bytes.position() + 3; i < bytes.limit(); i++) {
            if (bytes.get(i) == '\n' && bytes.get(i - 1) == '\r' && bytes.get(i - 2) == '\n'
                    && bytes.get(i - 3) == '\r') {
                return i + 1 - bytes.position();
            }
        }
        return -1;
    }

    private static AnswerHead parse(String text) throws IOException {
        String[] lines = text.split("\r\n");
        var status = STATUS.matcher(lines[0]);
        if (!status.matches()) {
            throw new IOException("invalid HTTP response: " + lines[0].substring(0, Math.min(40, lines[0].length())));
        }
        var headers = new HashMap<String, String>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon <= 0) {
                throw new IOException("invalid HTTP response: malformed header");
            }
            headers.merge(lines[i].substring(0, colon).toLowerCase(Locale.ROOT), lines[i].substring(colon + 1).strip(),
                    (a, b) -> a + ',' + b);
        }
        return new AnswerHead(Integer.parseInt(status.group(1)), headers);
    }

    Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    /** The length of the body, if given. */
    OptionalLong length() throws IOException {
        String length = headers.get("content-length");
        if (length == null) {
            return OptionalLong.empty();
        }
        if (!LENGTH.matcher(length).matches()) {
            throw new IOException("invalid HTTP response: Content-Length " + length);
        }
        return OptionalLong.of(Long.parseLong(length));
    }

    boolean isChunked() {
        return header("transfer-encoding").filter(coding -> coding.toLowerCase(Locale.ROOT).endsWith("chunked"))
                .isPresent();
    }

    /** Whether another request may follow on the same connection. */
    boolean keepsConnection() {
        return header("connection").filter("close"::equalsIgnoreCase).isEmpty();
    }
}
