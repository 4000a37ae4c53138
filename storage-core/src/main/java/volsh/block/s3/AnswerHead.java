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

/** The first lines of an answer: its status and its headers, whose names are in lower case. */
record AnswerHead(int status, Map<String, String> headers) {
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] (\\d{3})( .*)?");
    private static final Pattern LENGTH = Pattern.compile("\\d{1,18}");

    /** Waits for all of it; nothing behind it is taken. An answer that only tells to go on is skipped. */
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

    /** How long the head is; -1 if it is not here yet. */
    private static int end(ByteBuffer bytes) {
        for (int i = bytes.position() + 3; i < bytes.limit(); i++) {
            if (bytes.get(i) == '\n' && bytes.get(i - 1) == '\r' && bytes.get(i - 2) == '\n' && bytes.get(i - 3) == '\r') {
                return i + 1 - bytes.position();
            }
        }
        return -1;
    }

    private static AnswerHead parse(String text) throws IOException {
        String[] lines = text.split("\r\n");
        var status = STATUS.matcher(lines[0]);
        if (!status.matches()) {
            throw new IOException("this is no HTTP: " + lines[0].substring(0, Math.min(40, lines[0].length())));
        }
        var headers = new HashMap<String, String>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon <= 0) {
                throw new IOException("a header of the answer is damaged");
            }
            headers.merge(lines[i].substring(0, colon).toLowerCase(Locale.ROOT), lines[i].substring(colon + 1).strip(), (a, b) -> a + ',' + b);
        }
        return new AnswerHead(Integer.parseInt(status.group(1)), headers);
    }

    Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    /** What follows, if that is told. */
    OptionalLong length() throws IOException {
        String told = headers.get("content-length");
        if (told == null) {
            return OptionalLong.empty();
        }
        if (!LENGTH.matcher(told).matches()) {
            throw new IOException("the answer has a length of " + told);
        }
        return OptionalLong.of(Long.parseLong(told));
    }

    boolean isChunked() {
        return header("transfer-encoding").filter(told -> told.toLowerCase(Locale.ROOT).endsWith("chunked")).isPresent();
    }

    /** May another request follow on the same connection? */
    boolean keepsConnection() {
        return header("connection").filter("close"::equalsIgnoreCase).isEmpty();
    }
}
