package volsh.block.s3;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.utils.SdkAutoCloseable;
import volsh.block.Abort;
import volsh.block.S3Options;

/**
 * Straight over HTTP/1.1, to a server that is named as an endpoint and takes the bucket in the path. The SDK's way of doing the same
 * costs more than twice the CPU, and four times while its code is not compiled yet (docs/decisions/0017). Bytes go between the socket and the
 * caller's memory. A connection that the server has closed since the last request is replaced by a new one, once; all
 * requests may be repeated.
 */
final class WireRequests implements Requests {
    private static final List<String> PROXIES = List.of("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy");
    private static final List<String> LOOPBACK = List.of("localhost", "127.0.0.1", "[::1]");
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();
    private static final long CREDENTIALS_NANOS = 1_000_000_000L;
    private static final String TYPE = "application/octet-stream";

    private final URI server;
    private final String base;
    private final AwsCredentialsProvider credentials;
    private final Signature signature;
    private final Lines lines;
    private final InstantSource clock = InstantSource.system();
    private volatile Known credential;

    private record Known(AwsCredentials who, long sinceNanos) {}

    private WireRequests(URI server, Place place, S3Options options, Optional<SSLSocketFactory> tls) {
        this.server = server;
        this.base = Optional.ofNullable(server.getRawPath()).orElse("").replaceAll("/+$", "") + '/' + place.bucket() + '/';
        this.credentials = Connection.credentials(options);
        this.signature = new Signature(Connection.region(options).orElse("us-east-1"));
        this.lines = new Lines(server, tls, options);
    }

    /** Empty where the SDK is needed: it knows Amazon's hosts, and proxies. */
    static Optional<Requests> open(Place place, S3Options options, TrustedCertificates trusted) throws IOException {
        if (options.endpoint().isEmpty() || !options.pathStyle() || isBehindProxy(options.endpoint().get())) {
            return Optional.empty();
        }
        var server = options.endpoint().get();
        return Optional.of(new WireRequests(server, place, options,
                server.getScheme().equals("https") ? Optional.of(tls(trusted)) : Optional.empty()));
    }

    private static boolean isBehindProxy(URI server) {
        return !LOOPBACK.contains(server.getHost()) && PROXIES.stream().anyMatch(name -> !System.getenv().getOrDefault(name, "").isEmpty());
    }

    private static SSLSocketFactory tls(TrustedCertificates trusted) throws IOException {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(null, trusted.managers().orElse(null), null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException unusable) {
            throw new IOException("TLS cannot be used", unusable);
        }
    }

    @Override
    public int get(String object, long offset, ByteBuffer target, Abort abort) throws IOException {
        var range = new RangeReader(offset, target);
        var headers = headers();
        headers.put("range", "bytes=" + offset + '-' + (offset + target.remaining() - 1));
        return call("GET", object, headers, NOTHING, abort, (head, line) -> body(range, target, head, line));
    }

    private static int body(RangeReader range, ByteBuffer target, AnswerHead head, Line line) throws IOException {
        Long told = head.length().isPresent() ? head.length().getAsLong() : null;
        int expected = range.expected(head.headers().get("content-range"), told);
        var room = target.duplicate().limit(target.position() + expected);
        while (room.hasRemaining()) {
            line.read(room);
        }
        target.position(room.position());
        return expected;
    }

    @Override
    public void head(String object) throws IOException {
        call("HEAD", object, headers(), NOTHING, new Abort(), (head, line) -> "");
    }

    @Override
    public void put(String object, ByteBuffer data) throws IOException {
        put(object, data, headers());
    }

    @Override
    public boolean putIfAbsent(String object, ByteBuffer data) throws IOException {
        var headers = headers();
        headers.put("if-none-match", "*");
        try {
            put(object, data, headers);
            return true;
        } catch (AwsServiceException answer) {
            if (answer.statusCode() == 412) {
                return false;
            }
            throw answer;
        }
    }

    private void put(String object, ByteBuffer data, SortedMap<String, String> headers) throws IOException {
        headers.put("content-length", Integer.toString(data.remaining()));
        headers.put("content-type", TYPE);
        headers.put("x-amz-checksum-crc32c", Upload.checksum(data));
        call("PUT", object, headers, data, new Abort(), (head, line) -> {
            AnswerText.read(head, line);
            return head.header("etag").orElseThrow(() -> new IOException("the answer broke off"));
        });
    }

    @Override
    public void delete(String object) throws IOException {
        call("DELETE", object, headers(), NOTHING, new Abort(), AnswerText::read);
    }

    private SortedMap<String, String> headers() {
        var headers = new TreeMap<String, String>();
        headers.put("host", server.getRawAuthority());
        return headers;
    }

    /** Takes what follows the head of a good answer, to its end. */
    private interface Reading<R> {
        R read(AnswerHead head, Line line) throws IOException;
    }

    private <R> R call(
            String method, String object, SortedMap<String, String> headers, ByteBuffer data, Abort abort, Reading<R> reading) throws IOException {
        var request = request(method, base + Signature.encoded(object), headers, data);
        var first = lines.take(false);
        try {
            return call(first, method, request, data, abort, reading);
        } catch (AwsServiceException answer) {
            throw answer;
        } catch (IOException failed) {
            if (!first.mayBeStale()) {
                throw failed;
            }
            return call(lines.take(true), method, request, data, abort, reading);
        }
    }

    private ByteBuffer request(String method, String path, SortedMap<String, String> headers, ByteBuffer data) {
        var who = who();
        if (who.accessKeyId() != null) {
            signature.sign(method, path, headers, data.hasRemaining() ? Signature.UNSIGNED : Signature.NO_BODY, who, clock.instant());
        }
        var text = new StringBuilder(1024).append(method).append(' ').append(path).append(" HTTP/1.1\r\nUser-Agent: volsh\r\n");
        headers.forEach((name, value) -> text.append(name).append(": ").append(value).append("\r\n"));
        return ByteBuffer.wrap(text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Whoever issues credentials is asked once a second. */
    private AwsCredentials who() {
        var known = credential;
        long now = System.nanoTime();
        if (known == null || now - known.sinceNanos > CREDENTIALS_NANOS) {
            known = new Known(credentials.resolveCredentials(), now);
            credential = known;
        }
        return known.who;
    }

    private <R> R call(Line line, String method, ByteBuffer request, ByteBuffer data, Abort abort, Reading<R> reading) throws IOException {
        long number = lines.begin(line);
        boolean whole = false;
        try {
            abort.by(() -> line.cut(number, "aborted"));
            line.write(request.duplicate(), data.duplicate());
            var head = AnswerHead.read(line);
            if (head.status() >= 300) {
                var refusal = AnswerText.refusal(head, method.equals("HEAD") ? "" : AnswerText.read(head, line));
                whole = head.keepsConnection();
                throw refusal;
            }
            R result = reading.read(head, line);
            whole = head.keepsConnection();
            return result;
        } finally {
            if (whole) {
                lines.giveBack(line);
            } else {
                lines.discard(line);
            }
        }
    }

    @Override
    public void close() {
        lines.close();
        if (credentials instanceof SdkAutoCloseable closeable) {
            closeable.close();
        }
    }
}
