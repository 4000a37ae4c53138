package volsh.s3test;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A request or an answer of HTTP/1.1, whole. */
record HttpMessage(String start, List<String> headers, byte[] body) {
    /** Reads the next one; empty at the end of the connection. An answer to HEAD has no body whatever it says. */
    static Optional<HttpMessage> read(InputStream in, boolean bodyless) throws IOException {
        String start = line(in);
        if (start.isEmpty()) {
            return Optional.empty();
        }
        var headers = new ArrayList<String>();
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            headers.add(line);
        }
        var head = new HttpMessage(start, headers, new byte[0]);
        return Optional.of(bodyless ? head : head.with(head.readBody(in)));
    }

    static HttpMessage answer(String status, String header, String body) {
        byte[] bytes = body.getBytes(ISO_8859_1);
        var headers = new ArrayList<>(List.of("Content-Type: application/xml", "Content-Length: " + bytes.length));
        if (!header.isEmpty()) {
            headers.add(header);
        }
        return new HttpMessage("HTTP/1.1 " + status, headers, bytes);
    }

    private byte[] readBody(InputStream in) throws IOException {
        if (header("transfer-encoding").filter("chunked"::equalsIgnoreCase).isPresent()) {
            return readChunks(in);
        }
        int length = header("content-length").map(Integer::parseInt).orElse(0);
        return exactly(in, length);
    }

    private static byte[] readChunks(InputStream in) throws IOException {
        var all = new ByteArrayOutputStream();
        for (int length = chunkLength(in); length > 0; length = chunkLength(in)) {
            all.writeBytes(exactly(in, length));
            line(in);
        }
        line(in);
        return all.toByteArray();
    }

    private static int chunkLength(InputStream in) throws IOException {
        return Integer.parseInt(line(in).split(";")[0].strip(), 16);
    }

    private static byte[] exactly(InputStream in, int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("a message broke off");
        }
        return bytes;
    }

    private static String line(InputStream in) throws IOException {
        var line = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            if (next != '\r') {
                line.write(next);
            }
        }
        return line.toString(ISO_8859_1);
    }

    Optional<String> header(String name) {
        return headers.stream().filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip()).findFirst();
    }

    String method() {
        return start.split(" ")[0];
    }

    String target() {
        return start.split(" ")[1];
    }

    /** The same with another body and its length. */
    HttpMessage with(byte[] other) {
        var kept = new ArrayList<>(headers.stream().filter(line -> !isFraming(line)).toList());
        kept.add("Content-Length: " + other.length);
        return new HttpMessage(start, kept, other);
    }

    private static boolean isFraming(String line) {
        String name = line.split(":")[0].toLowerCase(Locale.ROOT);
        return name.equals("content-length") || name.equals("transfer-encoding") || name.equals("expect");
    }

    byte[] headBytes() {
        return (start + "\r\n" + String.join("\r\n", headers) + "\r\n\r\n").getBytes(ISO_8859_1);
    }
}
