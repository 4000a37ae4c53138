package volsh.gateway;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A request that was let in, and its answer. */
final class S3Exchange {
    private final HttpExchange exchange;
    private final S3Request request;
    private final SignatureCheck.Signed signed;
    private final ClientWaits waits;
    private final List<Bucket> used = new ArrayList<>();

    S3Exchange(HttpExchange exchange, S3Request request, SignatureCheck.Signed signed, ClientWaits waits) {
        this.exchange = exchange;
        this.request = request;
        this.signed = signed;
        this.waits = waits;
    }

    S3Request request() {
        return request;
    }

    AccessKey accessKey() {
        return signed.key();
    }

    /** Called by {@link Buckets}, and so is the other. */
    void uses(Bucket bucket) {
        bucket.use(1);
        used.add(bucket);
    }

    void endUses() {
        used.forEach(bucket -> bucket.use(-1));
        used.clear();
    }

    ObjectBody body() throws IOException {
        return new ObjectBody(request, signed, waits.from(exchange.getRequestBody()));
    }

    void header(String name, String value) {
        exchange.getResponseHeaders().set(name, value);
    }

    void headers(Map<String, String> headers) {
        headers.forEach(this::header);
    }

    /** An answer without a body. */
    void send(int status) throws IOException {
        exchange.sendResponseHeaders(status, -1);
    }

    void send(int status, XmlText xml) throws IOException {
        send(exchange, waits, status, xml);
    }

    static void send(HttpExchange exchange, ClientWaits waits, int status, XmlText xml) throws IOException {
        byte[] bytes = xml.toString().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/xml");
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, head ? -1 : bytes.length);
        if (!head) {
            try (var out = waits.to(exchange.getResponseBody())) {
                out.write(bytes);
            }
        }
    }

    /** An answer whose body follows. */
    OutputStream sending(int status, long length) throws IOException {
        exchange.sendResponseHeaders(status, length == 0 ? -1 : length);
        return waits.to(exchange.getResponseBody());
    }
}
