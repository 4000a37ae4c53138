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
import java.util.concurrent.CountDownLatch;
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
import org.junit.jupiter.params.provider.ValueSource;

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

    /** Uploads: what the server does with a part, and with the end; the object must not be there, nor any part. */
    @ParameterizedTest
    @CsvSource({"500, InternalError, 6, InternalError", "503, SlowDown, 6, SlowDown",
            "403, AccessDenied, 9, AccessDenied", "400, EntityTooSmall, 2, EntityTooSmall",
            "404, NoSuchUpload, 6, NoSuchUpload", "400, ExpiredToken, 9, ExpiredToken",
            "507, InsufficientStorage, 8, InsufficientStorage"})
    void aPutThatIsRefusedInTheMiddle(int status, String code, int exit, String words) throws Exception {
        home.file("big", (5 << 20) + 1);
        var aborted = new AtomicInteger();
        answering = exchange -> {
            String query = String.valueOf(exchange.getRequestURI().getRawQuery());
            exchange.getRequestBody().readAllBytes();
            if (query.startsWith("uploads") && exchange.getRequestMethod().equals("POST")) {
                xml(exchange, "<InitiateMultipartUploadResult><UploadId>u1</UploadId>"
                        + "</InitiateMultipartUploadResult>");
            } else if (query.contains("partNumber=2")) {
                refuse(exchange, status, code, "");
            } else if (query.contains("partNumber")) {
                exchange.getResponseHeaders().set("ETag", "\"tag\"");
                exchange.sendResponseHeaders(200, -1);
            } else if (exchange.getRequestMethod().equals("DELETE")) {
                aborted.incrementAndGet();
                exchange.sendResponseHeaders(204, -1);
            } else if (query.contains("list-type")) {
                xml(exchange, "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>");
            } else {
                refuse(exchange, 404, "NoSuchKey", "");
            }
        };
        var ended = home.run(at("put @big s3://train/data/x --part 5MiB --parallel 1 --timeout 1s"));
        assertThat(ended.status()).as(ended.err()).isEqualTo(exit);
        assertThat(ended.err()).contains("s3://train", words).doesNotContain("Exception");
        boolean mayGoOn = exit == 6;
        assertThat(aborted.get() > 0).as("aborted").isNotEqualTo(mayGoOn);
    }

    private static void xml(HttpExchange exchange, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
    }

    /** Takes requests and says nothing, of any kind: it is not waited for longer than was asked for. */
    @ParameterizedTest
    @ValueSource(strings = {"ls s3://train/data/", "put @big s3://train/data/x", "get s3://train/data/x @x",
            "sync @tree s3://train/data/", "sync s3://train/data/ @to", "rm s3://train/data/x",
            "cp s3://train/data/x s3://train/data/y"})
    void aServerThatIsSilent(String line) throws Exception {
        home.file("big", 1 << 20);
        home.text("tree/f", "x");
        var end = new CountDownLatch(1);
        answering = exchange -> {
            try {
                end.await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        };
        home.refused(at(line + " --timeout 1s"), 6, "s3://train", "timed out");
        end.countDown();
        nothingIsLeft();
    }

    /** It says another size than the object has. */
    @Test
    void sizesThatAreLies() throws Exception {
        serve(exchange -> {
            exchange.getResponseHeaders().set("ETag", "\"tag\"");
            exchange.getResponseHeaders().set("Content-Range", "bytes */%d".formatted(SIZE - 9));
            refuse(exchange, 416, "InvalidRange", "");
        });
        home.refused(at("get s3://train/data/x @x --timeout 1s"), 1, "s3://train/data/x", "changed while");
        nothingIsLeft();
    }
}
