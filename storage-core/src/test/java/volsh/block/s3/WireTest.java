package volsh.block.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.block.Abort;
import volsh.block.BlockKey;
import volsh.block.NoSuchBlockException;
import volsh.block.RefusedException;
import volsh.block.SlowDownException;
import volsh.block.StoreUrl;

/** What is made of the answers of a server that says whatever a test wants. */
@Tag("volume")
final class WireTest {
    private static final BlockKey KEY = BlockKey.of(7);
    private static final String GOOD =
            "HTTP/1.1 206 Partial\r\nContent-Range: bytes 0-4/5\r\nContent-Length: 5\r\n\r\nhello";
    private static final String STORED =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: 0\r\n\r\n";
    /** Not an answer: the server closes the connection. */
    private static final String CLOSE = "";
    /** Not an answer: the server says nothing. */
    private static final String SILENCE = "silence";

    /** The server reads no body, and closes the connection. */
    private static final String REFUSED_EARLY =
            "HTTP/1.1 403 Forbidden\r\nContent-Length: 40\r\n\r\n<Error><Code>ExpiredToken</Code></Error>";

    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final List<String> asked = new ArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private ServerSocket server;
    private S3BlockStore store;

    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::serve);
        store = open("");
    }

    private S3BlockStore open(String options) throws IOException {
        return S3BlockStore.open(
                StoreUrl.of("s3://bucket?anonymous=true&endpoint=http://127.0.0.1:" + server.getLocalPort() + options));
    }

    @AfterEach
    void stop() throws IOException {
        store.close();
        server.close();
    }

    private void serve() {
        try {
            while (true) {
                var socket = server.accept();
                connections.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (IOException closed) {
            // the test is over
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            while (true) {
                request(socket);
                String answer = answers.take();
                if (answer.equals(CLOSE)) {
                    return;
                }
                if (!answer.equals(SILENCE)) {
                    socket.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
                }
                if (answer.equals(REFUSED_EARLY)) {
                    return;
                }
            }
        } catch (IOException | InterruptedException gone) {
            // the client has left
        }
    }

    private void request(Socket socket) throws IOException {
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                throw new IOException("closed");
            }
            head.append((char) next);
        }
        int at = head.indexOf("content-length: ");
        if (at >= 0 && !REFUSED_EARLY.equals(answers.peek())) {
            socket.getInputStream().readNBytes(Integer.parseInt(head.substring(at + 16, head.indexOf("\r\n", at))));
        }
        synchronized (asked) {
            asked.add(head.toString());
        }
    }

    private String get() throws IOException {
        return get(new Abort());
    }

    private String get(Abort abort) throws IOException {
        var target = ByteBuffer.allocate(5);
        int count = store.get(KEY, 0, target, abort);
        return new String(target.array(), 0, count, StandardCharsets.ISO_8859_1);
    }

    private void answer(String... some) {
        answers.addAll(List.of(some));
    }

    @Test
    void requestsFollowEachOtherOnOneConnection() throws IOException {
        answer(GOOD, STORED, GOOD);
        assertThat(get()).isEqualTo("hello");
        store.put(KEY, ByteBuffer.wrap(new byte[3000]));
        assertThat(get()).isEqualTo("hello");
        assertThat(connections).hasValue(1);
        assertThat(asked.getFirst()).startsWith("GET /bucket/blocks/07/0000000000000007 HTTP/1.1\r\n")
                .contains("range: bytes=0-4");
        assertThat(asked.get(1)).contains("x-amz-checksum-crc32c: ").contains("content-length: 3000");
    }

    @Test
    void aConnectionThatTheServerClosedMeanwhileIsReplaced() throws IOException {
        answer(GOOD, CLOSE, GOOD);
        assertThat(get()).isEqualTo("hello");
        assertThat(get()).isEqualTo("hello");
        assertThat(connections).hasValue(2);
    }

    @Test
    void aNewConnectionThatIsClosedIsTrouble() {
        answer(CLOSE, GOOD);
        assertThatThrownBy(this::get).isInstanceOf(IOException.class).hasMessageContaining("closed the connection");
        assertThat(answers).as("not tried again here").hasSize(1);
    }

    @Test
    void anAbortThatComesTooLateHurtsNobody() throws IOException {
        answer(GOOD, GOOD);
        var abort = new Abort();
        assertThat(get(abort)).isEqualTo("hello");
        abort.call();
        assertThat(get()).isEqualTo("hello");
        assertThat(connections).hasValue(1);
    }

    @Test
    void anAbortedRequestIsNotRepeated() throws IOException {
        answer(GOOD);
        assertThat(get()).isEqualTo("hello");
        var abort = new Abort();
        abort.call();
        answer(SILENCE, GOOD);
        assertThatThrownBy(() -> get(abort)).hasMessageContaining("aborted");
    }

    private static String chunk(String text) {
        return "%x;x=y\r\n%s\r\n".formatted(text.length(), text);
    }

    @Test
    void aRefusalInChunksIsUnderstoodAndTheConnectionKept() throws IOException {
        answer("HTTP/1.1 503 Slow Down\r\nRetry-After: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
                + chunk("<Error><Code>Slo") + chunk("wDown</Code><Message>busy</Message></Error>")
                + "0\r\nTrailer: x\r\n\r\n", GOOD);
        assertThatThrownBy(this::get).isInstanceOfSatisfying(SlowDownException.class,
                slow -> assertThat(slow.atLeast()).hasSeconds(3))
                .hasMessageContaining("SlowDown").hasMessageContaining("busy");
        assertThat(get()).isEqualTo("hello");
        assertThat(connections).hasValue(1);
    }

    /** What a server does with a large body of somebody whose credentials have expired. */
    @Test
    void aRefusalThatComesBeforeTheBodyIsSentIsHeard() throws IOException {
        answer(REFUSED_EARLY, GOOD);
        assertThatThrownBy(() -> store.put(KEY, ByteBuffer.allocateDirect(16 << 20)))
                .isInstanceOf(RefusedException.class).hasMessageContaining("ExpiredToken");
        assertThat(get()).isEqualTo("hello");
        assertThat(connections).hasValue(2);
    }

    @Test
    void anAbsentBlockIsAskedForTwice() {
        answer("HTTP/1.1 404 Not Found\r\nContent-Length: 37\r\n\r\n<Error><Code>NoSuchKey</Code></Error>",
                "HTTP/1.1 404 Not Found\r\nContent-Length: 300\r\n\r\n");
        assertThatThrownBy(this::get).isInstanceOf(NoSuchBlockException.class);
        assertThat(asked.getLast()).startsWith("HEAD ");
        assertThat(connections).hasValue(1);
    }

    @Test
    void whatIsNoGoodAnswerIsTrouble() throws IOException {
        var bad = List.of(
                "SSH-2.0-OpenSSH\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
                "HTTP/1.1 206 Partial\r\nContent-Range: bytes 1-5/6\r\nContent-Length: 5\r\n\r\nhello",
                "HTTP/1.1 206 Partial\r\nContent-Range: bytes 0-4/5\r\nContent-Length: 4\r\n\r\nhell",
                "HTTP/1.1 206 Partial\r\nContent-Range: bytes 0-4/5\r\nContent-Length: many\r\n\r\nhello",
                "HTTP/1.1 206 Partial\r\nContent-Range: bytes 0-4/5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
                        + "0\r\n\r\n",
                "HTTP/1.1 206 Partial\r\nContent-Range bytes 0-4/5\r\nContent-Length: 5\r\n\r\nhello",
                "HTTP/1.1 206 Partial\r\nX: " + "x".repeat(20_000) + "\r\n\r\n",
                "HTTP/1.1 500 Oops\r\nContent-Length: 99999999\r\n\r\n",
                "HTTP/1.1 500 Oops\r\n\r\n");
        for (var each : bad) {
            answer(each);
            assertThatThrownBy(this::get).as(each).isInstanceOf(IOException.class);
        }
        assertThat(connections).as("none is used again").hasValue(bad.size());
        answer("HTTP/1.1 206 Partial\r\nContent-Range: bytes 2-0/1\r\n\r\n");
        assertThatThrownBy(() -> store.get(KEY, 2, ByteBuffer.allocate(5))).as("less than nothing")
                .hasMessageContaining("2-0/1");
        answer(GOOD, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        assertThat(get()).isEqualTo("hello");
        assertThatThrownBy(() -> store.put(KEY, ByteBuffer.allocate(1))).as("nothing says that it is stored")
                .hasMessageContaining("sent no ETag");
    }

    private static final String OTHER_REGION = "HTTP/1.1 400 Bad Request\r\nContent-Length: 89\r\n\r\n"
            + "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>       ";

    /** The host stays: an endpoint is the same in all regions. */
    @Test
    void aBucketInAnotherRegionIsAskedForThereFromThenOn() throws IOException {
        System.setProperty("aws.accessKeyId", "key");
        System.setProperty("aws.secretAccessKey", "secret");
        var url = StoreUrl.of("s3://bucket?region=us-east-1&endpoint=http://127.0.0.1:" + server.getLocalPort());
        try (var signing = S3BlockStore.open(url)) {
            answer(OTHER_REGION, GOOD, GOOD, OTHER_REGION);
            for (int i = 0; i < 2; i++) {
                assertThat(signing.get(KEY, 0, ByteBuffer.allocate(5))).isEqualTo(5);
            }
            assertThat(asked).extracting(head -> head.replaceAll("(?s).*Credential=key/\\d+/([^/]+)/s3/.*", "$1"))
                    .containsExactly("us-east-1", "eu-west-1", "eu-west-1");
            assertThatThrownBy(() -> signing.get(KEY, 0, ByteBuffer.allocate(5))).as("sent to where it is")
                    .isInstanceOf(RefusedException.class);
            answer(OTHER_REGION.replace("eu-west-1", "eu-west-2"));
            assertThatThrownBy(() -> signing.get(KEY, 0, ByteBuffer.allocate(5))).as("sent on a second time")
                    .isInstanceOf(RefusedException.class).hasMessageContaining("the bucket is in eu-west-2");
            assertThat(answers).isEmpty();
        } finally {
            System.clearProperty("aws.accessKeyId");
            System.clearProperty("aws.secretAccessKey");
        }
    }

    @Test
    void aRegionThatIsNoneIsNotFollowed() {
        answer(OTHER_REGION.replace("eu-west-1", "x.evil.io"), GOOD);
        assertThatThrownBy(this::get).isInstanceOf(RefusedException.class);
        assertThat(answers).hasSize(1);
    }

    @Test
    void aProxyReadsPlainRequests() throws IOException {
        var url = StoreUrl.of("s3://bucket?anonymous=true&insecure=true&endpoint=http://minio.example:9000");
        var proxy = "http://user:pass@localhost:" + server.getLocalPort();
        try (var far = S3BlockStore.open(url, Map.of("HTTP_PROXY", proxy))) {
            answer(GOOD);
            assertThat(far.get(KEY, 0, ByteBuffer.allocate(5))).isEqualTo(5);
            assertThat(asked.getFirst())
                    .startsWith("GET http://minio.example:9000/bucket/blocks/07/0000000000000007 HTTP/1.1\r\n")
                    .contains("\r\nhost: minio.example:9000\r\n")
                    .contains("\r\nproxy-authorization: Basic dXNlcjpwYXNz\r\n");
        }
    }

    @Test
    void aServerThatSaysNothingIsNotWaitedForForever() throws IOException {
        try (var hasty = open("&timeout=300ms")) {
            answer(SILENCE);
            assertThatThrownBy(() -> hasty.get(KEY, 0, ByteBuffer.allocate(5))).hasMessageContaining("timed out");
        }
    }
}
