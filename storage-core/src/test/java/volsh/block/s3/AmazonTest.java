package volsh.block.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.block.BlockStoreContract.bytes;
import static volsh.block.BlockStoreContract.key;
import static volsh.block.BlockStoreContract.list;
import static volsh.block.BlockStoreContract.read;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.BlockStore;
import volsh.block.RefusedException;
import volsh.block.StoreUrl;
import volsh.s3test.S3Server;

/**
 * Buckets under Amazon's host names, without an endpoint: a proxy leads those of Ireland to a real S3 server that
 * checks signatures, and those of Virginia to one that sends everybody to Ireland. Certificates are of a private CA.
 */
@Tag("volume")
final class AmazonTest {
    private static final String IRELAND = "s3.eu-west-1.amazonaws.com";
    private static final String VIRGINIA = "s3.us-east-1.amazonaws.com";
    private static final Map<String, String> SETTINGS = Map.of(
            "aws.accessKeyId", "lab-key", "aws.secretAccessKey", "secret", "aws.sessionToken", "token//==",
            "aws.configFile", "/dev/null", "aws.sharedCredentialsFile", "/dev/null");

    private static final String MOVED =
            "<Error><Code>PermanentRedirect</Code><Endpoint>evil.example</Endpoint></Error>";

    @TempDir
    static Path directory;
    private static S3Server ireland;
    private static ServerSocket virginia;
    private static ServerSocket proxy;
    private static final List<String> TUNNELS = new CopyOnWriteArrayList<>();
    private static final List<String> SENT_ON = new CopyOnWriteArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        settings();
        var keys = directory.resolve("keys.p12");
        keytool("-genkeypair", "-alias", "ca", "-keyalg", "EC", "-dname", "CN=ours", "-ext", "bc:c");
        keytool("-genkeypair", "-alias", "s3", "-keyalg", "EC", "-signer", "ca", "-dname", "CN=" + IRELAND, "-ext",
                "san=dns:%1$s,dns:*.%1$s,dns:%2$s,dns:*.%2$s".formatted(IRELAND, VIRGINIA));
        var authority = KeyStore.getInstance(keys.toFile(), "changeit".toCharArray()).getCertificate("ca").getEncoded();
        Files.writeString(directory.resolve("ca.pem"), "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n"
                .formatted(Base64.getMimeEncoder().encodeToString(authority)));
        ireland = S3Server.withVirtualHost(IRELAND, "lab-key", "secret", keys, "changeit");
        virginia = tls(keys).getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        proxy = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        serve(virginia, AmazonTest::sendOn);
        serve(proxy, AmazonTest::tunnel);
        for (var bucket : List.of("mine", "with.dots")) {
            var url = StoreUrl.of("s3://%s?region=eu-west-1".formatted(bucket));
            var trusted = TrustedCertificates.of(environment());
            try (var client = Connection.open(url.s3Options(), "eu-west-1", trusted, through(url))) {
                client.createBucket(each -> each.bucket(bucket));
            }
        }
    }

    private static Optional<HttpProxy> through(StoreUrl url) throws IOException {
        return HttpProxy.to(Endpoint.of(BucketPrefix.of(url), url.s3Options(), Map.of()).server(), environment());
    }

    private static void keytool(String... words) throws Exception {
        var command = new ArrayList<>(List.of(words));
        command.addFirst(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of("-keystore", directory.resolve("keys.p12").toString(), "-storepass", "changeit"));
        var log = directory.resolve("log");
        var process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        assertThat(process.waitFor()).as(Files.readString(log)).isZero();
    }

    private static SSLContext tls(Path keys) throws Exception {
        var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(KeyStore.getInstance(keys.toFile(), "changeit".toCharArray()), "changeit".toCharArray());
        var context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), null, null);
        return context;
    }

    @AfterAll
    static void stop() throws IOException {
        ireland.close();
        virginia.close();
        proxy.close();
        SETTINGS.keySet().forEach(System::clearProperty);
    }

    @BeforeEach
    void nothingAsked() {
        settings();
        TUNNELS.clear();
        SENT_ON.clear();
    }

    private static void settings() {
        SETTINGS.forEach(System::setProperty);
    }

    @AfterEach
    void noSettings() {
        SETTINGS.keySet().forEach(System::clearProperty);
    }

    // ---- the servers

    private interface Serving {
        void serve(Socket client) throws IOException;
    }

    private static void serve(ServerSocket server, Serving serving) {
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    var client = server.accept();
                    Thread.ofVirtual().start(() -> {
                        try (client) {
                            serving.serve(client);
                        } catch (IOException gone) {
                            // the client has left
                        }
                    });
                }
            } catch (IOException closed) {
                // the test is over
            }
        });
    }

    private static void tunnel(Socket client) throws IOException {
        String head = head(client.getInputStream());
        String where = head.split(" ")[1];
        TUNNELS.add(where);
        if (!head.contains("\r\nProxy-Authorization: Basic dXNlcjpwYXNz\r\n")) {     // user:pass
            write(client, "HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n");
            return;
        }
        int port = where.contains(VIRGINIA) ? virginia.getLocalPort() : URI.create(ireland.secureEndpoint()).getPort();
        try (var server = new Socket(InetAddress.getLoopbackAddress(), port)) {
            write(client, "HTTP/1.1 200 Go\r\n\r\n");
            var back = Thread.ofVirtual().start(() -> copy(server, client));
            copy(client, server);
            back.join();
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException gone) {
            // one side has left
        }
    }

    private static void sendOn(Socket client) throws IOException {
        while (true) {
            String head = head(client.getInputStream());
            int length = head.toLowerCase(Locale.ROOT).indexOf("content-length: ");
            if (length >= 0) {
                String told = head.substring(length + 16, head.indexOf("\r\n", length));
                client.getInputStream().readNBytes(Integer.parseInt(told));
            }
            SENT_ON.add(head);
            String body = head.startsWith("HEAD ") ? "" : MOVED;
            write(client, "HTTP/1.1 301 Moved\r\nLocation: https://evil.example/\r\nx-amz-bucket-region: eu-west-1\r\n"
                    + "Content-Length: %d\r\n\r\n%s".formatted(body.length(), body));
        }
    }

    private static void write(Socket client, String text) throws IOException {
        client.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String head(InputStream in) throws IOException {
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("closed");
            }
            head.append((char) next);
        }
        return head.toString();
    }

    // ---- the client

    private static Map<String, String> environment() {
        return Map.of("AWS_CA_BUNDLE", directory.resolve("ca.pem").toString(),
                "HTTPS_PROXY", "http://user:pass@127.0.0.1:" + proxy.getLocalPort());
    }

    private static S3BlockStore open(String url) throws IOException {
        return S3BlockStore.open(StoreUrl.of(url), environment());
    }

    private static void use(S3BlockStore store) throws IOException {
        store.put(key("a"), bytes("hello"));
        assertThat(read(store, key("a"), 1, 3)).isEqualTo("ell");
        assertThat(store.putIfAbsent(key("a"), bytes("other"))).isFalse();
        store.put(key("b"), ByteBuffer.allocateDirect(300_000));
        assertThat(list(store, "")).extracting(BlockStore.Listed::size).containsExactly(5L, 300_000L);
        store.delete(key("a"));
        store.deleteAll(List.of(key("a"), key("b")));
        assertThat(list(store, "")).isEmpty();
    }

    @Test
    void aBucketInTheHostName() throws IOException {
        try (var store = open("s3://mine/in-the=Host_name?region=eu-west-1")) {
            use(store);
        }
        assertThat(TUNNELS).as("kept alive").containsOnly("mine." + IRELAND + ":443").hasSizeLessThan(5);
    }

    @Test
    void aBucketInThePath() throws IOException {
        for (var url : List.of("s3://with.dots/p?region=eu-west-1", "s3://mine/p?region=eu-west-1&path-style=true")) {
            try (var store = open(url)) {
                use(store);
            }
        }
        assertThat(TUNNELS).containsOnly(IRELAND + ":443");
    }

    @Test
    void partsAreSignedToo() throws IOException {
        try (var store = new S3BlockStore(StoreUrl.of("s3://mine/parts?region=eu-west-1"), environment(), 5 << 20)) {
            store.put(key("large"), ByteBuffer.allocateDirect(6 << 20));
            assertThat(store.get(key("large"), 5 << 20, ByteBuffer.allocate(2 << 20))).isEqualTo(1 << 20);
        }
    }

    /** The server refuses without having read the body, through TLS. */
    @Test
    void aLargeBodyThatIsRefusedIsARefusal() throws IOException {
        System.setProperty("aws.secretAccessKey", "wrong");
        try (var store = open("s3://mine?region=eu-west-1")) {
            assertThatThrownBy(() -> store.put(key("large"), ByteBuffer.allocateDirect(16 << 20)))
                    .isInstanceOf(RefusedException.class).hasMessageContaining("SignatureDoesNotMatch");
        }
    }

    @Test
    void aBucketInAnotherRegionIsFollowedThereOnce() throws IOException {
        try (var store = open("s3://mine/q?region=us-east-1")) {
            store.put(key("large"), ByteBuffer.allocate(2 << 20));
            assertThat(SENT_ON).singleElement().asString().startsWith("PUT /q/large ").contains("/us-east-1/s3/");
            assertThat(read(store, key("large"), 0, 2)).isEqualTo("\0\0");
            store.delete(key("large"));
            assertThat(SENT_ON).as("remembered").hasSize(1);
            use(store);     // and what the SDK does
        }
        assertThat(TUNNELS).containsOnly("mine." + VIRGINIA + ":443", "mine." + IRELAND + ":443");
    }

    @Test
    void certificatesAreForTheHostAndVouchedFor() throws IOException {
        try (var store = open("s3://mine?region=eu-central-1")) {
            assertThatThrownBy(() -> store.put(key("a"), bytes("x")))
                    .hasMessageContaining("mine.s3.eu-central-1.amazonaws.com");
        }
        var environment = new HashMap<>(environment());
        environment.remove("AWS_CA_BUNDLE");
        try (var store = S3BlockStore.open(StoreUrl.of("s3://mine?region=eu-west-1"), environment)) {
            assertThatThrownBy(() -> store.put(key("a"), bytes("x"))).hasMessageContaining("certification path");
        }
    }

    @Test
    void aProxyThatRefusesIsNamed() throws IOException {
        var environment = new HashMap<>(environment());
        environment.put("HTTPS_PROXY", "127.0.0.1:" + proxy.getLocalPort());
        try (var store = S3BlockStore.open(StoreUrl.of("s3://mine?region=eu-west-1"), environment)) {
            assertThatThrownBy(() -> store.put(key("a"), bytes("x"))).isInstanceOf(IOException.class)
                    .hasMessageContaining("proxy 127.0.0.1:" + proxy.getLocalPort()).hasMessageContaining("407");
        }
        environment.put("HTTPS_PROXY", "127.0.0.1:1");
        try (var store = S3BlockStore.open(StoreUrl.of("s3://mine?region=eu-west-1"), environment)) {
            assertThatThrownBy(() -> store.put(key("a"), bytes("x"))).isInstanceOf(IOException.class)
                    .hasMessageEndingWith("proxy 127.0.0.1:1: Connection refused");
        }
    }
}
