package volsh.block.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.utils.SdkAutoCloseable;
import volsh.block.Abort;
import volsh.block.S3Options;

/**
 * Requests for single objects, straight over HTTP/1.1, to Amazon and to any other server alike: one request each, one
 * attempt. The SDK's way of doing the same costs more than twice the CPU, and four times while its code is not compiled
 * yet (docs/decisions/0017). An error response is thrown as an {@code AwsServiceException}, as the SDK
 * does; a network failure also as an IOException.
 *
 * <p>Bytes go between the socket and the caller's memory. A connection that the server has closed since the last
 * request is replaced by a new one, once; all requests may be repeated. When a response says that the bucket is in
 * another region, this and all later requests go there; the host follows from the region's name, never from an address
 * in a response.
 */
final class WireRequests implements AutoCloseable {
    private static final Set<Integer> ELSEWHERE = Set.of(301, 307, 400);
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();
    private static final long CREDENTIALS_NANOS = 1_000_000_000L;
    private static final String TYPE = "application/octet-stream";

    private final BucketPrefix place;
    private final S3Options options;
    private final Optional<SSLSocketFactory> tls;
    private final Optional<HttpProxy> proxy;
    private final AwsCredentialsProvider credentials;
    private final InstantSource clock = InstantSource.system();
    private final Route first;
    private volatile Route route;
    private volatile @Nullable Known credential;

    private record Known(AwsCredentials credentials, long sinceNanos) {}

    /** Where requests go, and how they are signed. */
    private record Route(Endpoint endpoint, Signature signature, ConnectionPool lines) {}

    WireRequests(
            Endpoint endpoint, BucketPrefix place, S3Options options, TrustedCertificates trusted,
            Optional<HttpProxy> proxy) throws IOException {
        this.place = place;
        this.options = options;
        this.tls = endpoint.isSecure() ? Optional.of(trusted.sockets()) : Optional.empty();
        this.proxy = proxy;
        this.credentials = Connection.credentials(options);
        this.first = routeTo(endpoint);
        this.route = first;
    }

    private Route routeTo(Endpoint endpoint) {
        var signature = new Signature(endpoint.region(), endpoint.service());
        return new Route(endpoint, signature, new ConnectionPool(endpoint, tls, proxy, options));
    }

    /** Connects, before credentials are looked for, which may take long. @throws IOException if nothing answers */
    void requireServer() throws IOException {
        route.lines.giveBack(route.lines.take(false));
    }

    /** Fills the target with the object's bytes from {@code offset} on, as far as it has any; returns how many. */
    int get(String object, long offset, ByteBuffer target, Abort abort) throws IOException {
        var range = new RangeReader(offset, target);
        var headers = Map.of("range", range.range());
        return send(new Call<>("GET", Signature.encoded(object), headers, NOTHING, abort, range::read));
    }

    /** Checks that the object exists. */
    void head(String object) throws IOException {
        send(new Call<>("HEAD", Signature.encoded(object), Map.of(), NOTHING, new Abort(), (head, line) -> ""));
    }

    void put(String object, ByteBuffer data) throws IOException {
        put(object, data, PutChecksum.header(options.checksum(), data));
    }

    /** The same with these headers, and no others that a server could fail to know. */
    void put(String object, ByteBuffer data, Map<String, String> headers) throws IOException {
        send("PUT", Signature.encoded(object), data, headers);
    }

    /** Returns whether there was no object of this name. */
    boolean putIfAbsent(String object, ByteBuffer data) throws IOException {
        try {
            var headers = new TreeMap<>(PutChecksum.header(options.checksum(), data));
            headers.put("if-none-match", "*");
            put(object, data, headers);
            return true;
        } catch (AwsServiceException answer) {
            if (answer.statusCode() == 412) {
                return false;
            }
            throw answer;
        }
    }

    /** Sends one part of an upload; returns its tag. */
    String putPart(String object, String upload, int number, ByteBuffer part) throws IOException {
        String query = "?partNumber=" + number + "&uploadId=" + Signature.encoded(upload).replace("/", "%2F");
        return send("PUT", Signature.encoded(object) + query, part, PutChecksum.header(options.checksum(), part));
    }

    private String send(String method, String path, ByteBuffer data, Map<String, String> more) throws IOException {
        var headers = new TreeMap<>(more);
        headers.put("content-length", Integer.toString(data.remaining()));
        headers.put("content-type", TYPE);
        return send(new Call<>(method, path, headers, data, new Abort(), (head, line) -> {
            AnswerText.read(head, line);
            return head.header("etag").orElseThrow(() -> new IOException("the server sent no ETag"));
        }));
    }

    void delete(String object) throws IOException {
        send(new Call<>("DELETE", Signature.encoded(object), Map.of(), NOTHING, new Abort(), AnswerText::read));
    }

    /**
     * Sends any other request: {@code path} is below the bucket's, encoded, with a query in the order of names, each
     * with a value.
     */
    <R> R ask(String method, String path, Map<String, String> headers, ByteBuffer data, Reading<R> reading)
            throws IOException {
        return send(new Call<>(method, path, headers, data, new Abort(), reading));
    }

    /** Reads the body of a successful response completely. */
    interface Reading<R> {
        R read(AnswerHead head, Line line) throws IOException;
    }

    /** A request, its path below the bucket's, and how to read the response. */
    private record Call<R>(String method, String path, Map<String, String> headers, ByteBuffer data, Abort abort,
            Reading<R> reading) {}

    private <R> R send(Call<R> call) throws IOException {
        var asked = route;
        try {
            return send(call, asked);
        } catch (AwsServiceException answer) {
            return send(call, elsewhere(asked, answer));
        }
    }

    /** The region of the bucket, if the response says that it is elsewhere; any other response is thrown. */
    private Route elsewhere(Route asked, AwsServiceException answer) throws IOException {
        var region = S3Failures.header(answer, S3Failures.REGION)
                .filter(name -> S3Options.isRegion(name) && !name.equals(asked.endpoint.region()));
        if (!ELSEWHERE.contains(answer.statusCode()) || region.isEmpty()) {
            throw answer;
        }
        synchronized (first) {
            if (route == asked) {
                if (asked != first) {       // redirected a second time
                    throw answer;
                }
                route = routeTo(Endpoint.of(place, options, region.get()));
            }
            return route;
        }
    }

    private <R> R send(Call<R> call, Route to) throws IOException {
        var request = request(call, to);
        var line = to.lines.take(false);
        try {
            return send(call, request, to.lines, line);
        } catch (AwsServiceException answer) {
            throw answer;
        } catch (IOException failed) {
            if (!line.mayBeStale()) {
                throw failed;
            }
            return send(call, request, to.lines, to.lines.take(true));
        }
    }

    private ByteBuffer request(Call<?> call, Route to) {
        String path = to.endpoint.base() + call.path;
        String host = to.endpoint.server().getRawAuthority();
        var headers = new TreeMap<>(call.headers);
        headers.put("host", host);
        var signer = credentials();
        if (signer.accessKeyId() != null) {
            String payload = call.data.hasRemaining() ? Signature.UNSIGNED : Signature.NO_BODY;
            to.signature.sign(call.method, path, headers, payload, signer, clock.instant());
        }
        var text = new StringBuilder(1024).append(call.method).append(' ');
        if (tls.isEmpty() && proxy.isPresent()) {       // the proxy reads the request
            text.append("http://").append(host);
            proxy.get().authorization().ifPresent(each -> headers.put("proxy-authorization", each));
        }
        text.append(path).append(" HTTP/1.1\r\nUser-Agent: volsh\r\n");
        headers.forEach((name, value) -> text.append(name).append(": ").append(value).append("\r\n"));
        return ByteBuffer.wrap(text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Asks the provider of credentials at most once a second. */
    private AwsCredentials credentials() {
        var known = credential;
        long now = System.nanoTime();
        if (known == null || now - known.sinceNanos > CREDENTIALS_NANOS) {
            known = new Known(credentials.resolveCredentials(), now);
            credential = known;
        }
        return known.credentials;
    }

    private static <R> R send(Call<R> call, ByteBuffer request, ConnectionPool lines, Line line) throws IOException {
        long number = lines.begin(line);
        boolean whole = false;
        try {
            call.abort.by(() -> line.cut(number, "aborted"));
            var head = answer(line, request.duplicate(), call.data.duplicate());
            if (head.status() >= 300) {
                var refusal = AnswerText.refusal(head, call.method.equals("HEAD") ? "" : AnswerText.read(head, line));
                whole = head.keepsConnection();
                throw refusal;
            }
            R result = call.reading.read(head, line);
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

    /** A server may reject a request before it has read all of it, and close the connection: its response counts. */
    private static AnswerHead answer(Line line, ByteBuffer request, ByteBuffer data) throws IOException {
        try {
            line.write(request, data);
        } catch (IOException broken) {
            try {
                var head = AnswerHead.read(line);
                if (head.status() >= 300) {
                    return head;
                }
            } catch (IOException none) {
                broken.addSuppressed(none);
            }
            throw broken;
        }
        return AnswerHead.read(line);
    }

    @Override
    public void close() {
        first.lines.close();
        route.lines.close();
        if (credentials instanceof SdkAutoCloseable closeable) {
            closeable.close();
        }
    }
}
