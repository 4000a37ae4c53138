package volsh.s3test;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An S3 server as S3Proxy 2.6 is: it overwrites objects despite {@code If-None-Match}, and answers 501 to checksums
 * other than {@code Content-MD5} and to the deletion of many objects. A front of a newer server.
 */
public final class OlderServer implements AutoCloseable {
    private static final Set<String> OWN = Set.of("host", "connection", "content-length", "if-none-match", "expect",
            "upgrade", "transfer-encoding", "http2-settings");

    private final HttpServer front;
    private final String endpoint;
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final AtomicInteger refused = new AtomicInteger();

    public OlderServer(S3Server behind) throws IOException {
        endpoint = behind.endpoint();
        front = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        front.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        front.createContext("/", this::answer);
        front.start();
    }

    public String endpoint() {
        return "http://127.0.0.1:" + front.getAddress().getPort();
    }

    /** How many requests it did not implement. */
    public int refused() {
        return refused.get();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            var headers = exchange.getRequestHeaders();
            String query = String.valueOf(exchange.getRequestURI().getRawQuery());
            if (headers.keySet().stream().anyMatch(name -> name.toLowerCase(java.util.Locale.ROOT).startsWith(
                    "x-amz-checksum-")) || query.startsWith("delete") || query.startsWith("versioning")) {
                refused.incrementAndGet();
                send(exchange, 501, "application/xml", ("<Error><Code>NotImplemented</Code><Message>A header you"
                        + " provided implies functionality that is not implemented.</Message></Error>")
                        .getBytes(StandardCharsets.UTF_8));
                return;
            }
            var request = HttpRequest.newBuilder(URI.create(endpoint + exchange.getRequestURI()))
                    .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body));
            headers.forEach((name, values) -> {
                if (!OWN.contains(name.toLowerCase(java.util.Locale.ROOT))) {
                    values.forEach(value -> request.header(name, value));
                }
            });
            var answer = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            for (String name : Set.of("ETag", "Last-Modified", "Content-Range", "Content-MD5")) {
                answer.headers().firstValue(name).ifPresent(value -> exchange.getResponseHeaders().set(name, value));
            }
            send(exchange, answer.statusCode(), answer.headers().firstValue("Content-Type").orElse("text/plain"),
                    answer.body());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static void send(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        if (body.length > 0) {
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        front.stop(0);
        client.shutdownNow();
    }
}
