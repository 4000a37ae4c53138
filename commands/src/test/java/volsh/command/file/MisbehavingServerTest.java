package volsh.command.file;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers that refuse, lie and cut off: one line that names the object and the reason, and nothing half written. */
@Tag("volume")
final class MisbehavingServerTest {
    private static final int SIZE = 5000;

    @TempDir
    Path directory;
    private FileHome home;
    private HttpServer server;
    private ExecutorService threads;
    private volatile Answering answering = exchange -> refuse(exchange, 500, "InternalError", "");
    private final AtomicInteger requests = new AtomicInteger();

    private interface Answering {
        void answer(HttpExchange exchange) throws IOException;
    }

    @BeforeEach
    void prepare() throws Exception {
        home = new FileHome(directory);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                requests.incrementAndGet();
                answering.answer(exchange);
            }
        });
        threads = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(threads);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
        threads.shutdownNow();
    }

    private String at(String line) {
        return line + " --anonymous --endpoint http://127.0.0.1:" + server.getAddress().getPort();
    }

    private static void refuse(HttpExchange exchange, int status, String code, String region) throws IOException {
        byte[] body = "<Error><Code>%s</Code><Message>the server's words</Message>%s</Error>".formatted(code,
                region.isEmpty() ? "" : "<Region>" + region + "</Region>").getBytes(StandardCharsets.UTF_8);
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, head ? -1 : body.length);
        if (!head) {
            exchange.getResponseBody().write(body);
        }
    }

    @ParameterizedTest
    @CsvSource({"404, NoSuchBucket, 3, no such bucket", "403, AccessDenied, 9, AccessDenied",
            "400, ExpiredToken, 9, ExpiredToken", "403, InvalidAccessKeyId, 9, InvalidAccessKeyId",
            "403, RequestTimeTooSkewed, 9, synchronize the clock", "400, InvalidBucketName, 2, InvalidBucketName",
            "400, AuthorizationHeaderMalformed, 2, region"})
    void aRefusalIsToldAtOnce(int status, String code, int exit, String words) {
        answering = exchange -> refuse(exchange, status, code, "");
        home.refused(at("ls s3://train/data/"), exit, "s3://train", words);
        home.refused(at("put @x s3://train/data/x"), 3, "no such file");
        assertThat(requests).as("no retries").hasValueLessThan(4);
        home.refused(at("get -r s3://train/data/ @to"), exit, words);
        assertThat(home.local("to")).doesNotExist();
    }

    /** An object of {@link #SIZE} bytes in a listing, and what a GET of it does. */
    private void serve(Answering get) {
        answering = exchange -> {
            String method = exchange.getRequestMethod();
            String query = String.valueOf(exchange.getRequestURI().getQuery());
            if (query.contains("list-type")) {
                byte[] body = ("<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>data/x</Key>"
                        + "<Size>" + SIZE + "</Size><ETag>\"tag\"</ETag></Contents></ListBucketResult>")
                        .getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            } else if (method.equals("HEAD")) {
                exchange.getResponseHeaders().set("ETag", "\"tag\"");
                exchange.getResponseHeaders().set("Content-Length", Integer.toString(SIZE));
                exchange.sendResponseHeaders(200, -1);
            } else {
                get.answer(exchange);
            }
        };
    }

    private void nothingIsLeft() throws IOException {
        assertThat(home.local("x")).doesNotExist();
        try (var files = Files.list(directory)) {
            assertThat(files.map(path -> path.getFileName().toString()).filter(name -> name.startsWith(".volsh")))
                    .isEmpty();
        }
    }

    @Test
    void anObjectThatIsReplacedAgainAndAgain() throws Exception {
        serve(exchange -> refuse(exchange, 412, "PreconditionFailed", ""));
        home.refused(at("get s3://train/data/x @x"), 1, "s3://train/data/x", "changed while it was being read");
        nothingIsLeft();
    }

    @Test
    void anotherStateUnderTheSameCondition() throws Exception {
        serve(exchange -> {
            exchange.getResponseHeaders().set("ETag", "\"other\"");
            exchange.getResponseHeaders().set("Content-Range", "bytes 0-%d/%d".formatted(SIZE - 1, SIZE));
            exchange.sendResponseHeaders(206, SIZE);
            exchange.getResponseBody().write(new byte[SIZE]);
        });
        home.refused(at("get s3://train/data/x @x"), 1, "s3://train/data/x", "changed while it was being read");
        nothingIsLeft();
    }

    @Test
    void lengthsThatAreLies() throws Exception {
        serve(exchange -> {
            exchange.getResponseHeaders().set("ETag", "\"tag\"");
            exchange.getResponseHeaders().set("Content-Range", "bytes 0-%d/%d".formatted(SIZE - 2, SIZE));
            exchange.sendResponseHeaders(206, SIZE - 1);
            exchange.getResponseBody().write(new byte[SIZE - 1]);
        });
        home.refused(at("get s3://train/data/x @x --timeout 1s"), 6, "s3://train", "data/x", "the server returned");
        nothingIsLeft();
    }

    @Test
    void bodiesThatAreCut() throws Exception {
        serve(exchange -> {
            exchange.getResponseHeaders().set("ETag", "\"tag\"");
            exchange.getResponseHeaders().set("Content-Range", "bytes 0-%d/%d".formatted(SIZE - 1, SIZE));
            exchange.sendResponseHeaders(206, SIZE);
            exchange.getResponseBody().write(new byte[7]);
        });
        home.refused(at("get s3://train/data/x @x --timeout 1s"), 6, "data/x", "closed the connection");
        nothingIsLeft();
    }

    @Test
    void aServerThatAsksToSlowDownForEver() {
        answering = exchange -> refuse(exchange, 503, "SlowDown", "");
        home.refused(at("ls s3://train/data/ --timeout 1s"), 6, "s3://train", "SlowDown");
        assertThat(requests).as("retried").hasValueGreaterThan(1);
    }

    @Test
    void keysWithControlCharacters() throws Exception {
        answering = exchange -> {
            byte[] body = ("<ListBucketResult><IsTruncated>false</IsTruncated><EncodingType>url</EncodingType>"
                    + "<Contents><Key>data/a%1B%5B2Jb</Key><Size>1</Size><ETag>\"t\"</ETag></Contents>"
                    + "</ListBucketResult>")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        };
        assertThat(home.succeed(at("ls s3://train/data/")).out()).doesNotContain("\u001b").contains("[2Jb");
        assertThat(home.succeed(at("ls s3://train/data/ -o json --columns name")).out()).contains("\\u001b[2Jb");
    }
}
