package volsh.block.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.block.BlockStoreContract.bytes;
import static volsh.block.BlockStoreContract.key;
import static volsh.block.BlockStoreContract.read;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.S3Client;
import volsh.block.Abort;
import volsh.block.RefusedException;
import volsh.block.StoreUrl;
import volsh.s3test.S3Server;

/** Who may use a bucket, and over which wire: signatures, profiles, certificates, and what people are told. */
@Tag("volume")
final class S3AccessTest {
    private static final String SECRET = "correct-horse-battery-staple";
    private static final Map<String, String> SETTINGS = Map.of("aws.sharedCredentialsFile", "credentials",
            "aws.configFile", "config", "aws.disableEc2Metadata", "true");

    @TempDir
    static Path directory;
    private static S3Server server;

    @BeforeAll
    static void start() throws Exception {
        var keys = directory.resolve("keys.p12");
        keytool("-genkeypair", "-alias", "s3", "-keyalg", "EC", "-dname", "CN=127.0.0.1", "-ext", "san=ip:127.0.0.1",
                "-keystore", keys.toString(), "-storetype", "PKCS12", "-storepass", "changeit");
        keytool("-exportcert", "-rfc", "-alias", "s3", "-keystore", keys.toString(), "-storepass", "changeit",
                "-file", directory.resolve("ca.pem").toString());
        Files.writeString(directory.resolve("config"), "");
        Files.writeString(directory.resolve("credentials"), """
                [lab]
                aws_access_key_id = lab-key
                aws_secret_access_key = %s
                [other]
                aws_access_key_id = lab-key
                aws_secret_access_key = wrong-%s
                """.formatted(SECRET, SECRET));
        server = S3Server.withCredentials("lab-key", SECRET, keys, "changeit");
    }

    private static void keytool(String... words) throws Exception {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(words));
        var process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile()).start();
        assertThat(process.waitFor()).as(Files.readString(directory.resolve("log"))).isZero();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** The SDK reads where its files are from system properties, too; a test cannot set the environment. */
    @BeforeEach
    void settings() {
        SETTINGS.forEach((name, value) -> System.setProperty(name,
                name.endsWith("File") ? directory.resolve(value).toString() : value));
    }

    @AfterEach
    void noSettings() {
        SETTINGS.keySet().forEach(System::clearProperty);
    }

    private static StoreUrl url(String endpoint, String options) {
        return StoreUrl.of("s3://bucket-of-mine/p?endpoint=" + endpoint + options);
    }

    private static void makeBucket(S3Client client) {
        if (client.listBuckets().buckets().isEmpty()) {
            client.createBucket(request -> request.bucket("bucket-of-mine"));
        }
    }

    @Test
    void aProfileOpensTheBucket() throws IOException {
        var url = url(server.endpoint(), "&profile=lab");
        try (var client = S3BlockStoreTest.client(url, Map.of()); var store = S3BlockStore.open(url)) {
            makeBucket(client);
            store.put(key("a"), bytes("hello"));
            assertThat(read(store, key("a"), 1, 3)).isEqualTo("ell");
            assertThat(store.putIfAbsent(key("a"), bytes("other"))).isFalse();
        }
    }

    /** A store that names a profile means it, whatever else there is. */
    @Test
    void aProfileWinsOverTheEnvironment() throws IOException {
        System.setProperty("aws.accessKeyId", "lab-key");
        System.setProperty("aws.secretAccessKey", "of somebody else");
        try {
            aProfileOpensTheBucket();
            try (var store = S3BlockStore.open(url(server.endpoint(), ""))) {
                assertThatThrownBy(() -> store.put(key("a"), bytes("x"))).as("negative control")
                        .isInstanceOf(RefusedException.class);
            }
        } finally {
            System.clearProperty("aws.accessKeyId");
            System.clearProperty("aws.secretAccessKey");
        }
    }

    @Test
    void whoIsRefusedIsToldWhatToSet() throws IOException {
        for (var options : List.of("&anonymous=true", "&profile=other", "&profile=absent", "")) {
            try (var store = S3BlockStore.open(url(server.endpoint(), options))) {
                assertThatThrownBy(() -> store.put(key("a"), bytes("hello"))).as(options)
                        .isInstanceOfSatisfying(RefusedException.class, refused ->
                                assertThat(refused.reason()).isEqualTo(RefusedException.Reason.DENIED))
                        .hasMessageContaining("s3://bucket-of-mine/p").hasMessageContaining("AWS_PROFILE")
                        .hasMessageNotContaining(SECRET)
                        .satisfies(told -> assertThat(traceOf(told)).doesNotContain(SECRET));
            }
        }
    }

    private static String traceOf(Throwable told) {
        var text = new StringWriter();
        told.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    @Test
    void aCertificateNobodyVouchesForIsRefused() throws IOException {
        try (var store = S3BlockStore.open(url(server.secureEndpoint(), "&profile=lab"))) {
            assertThatThrownBy(() -> store.put(key("a"), bytes("hello"))).isInstanceOf(IOException.class)
                    .hasMessageContaining("certification path");
        }
    }

    @Test
    void aCertificateInTheBundleIsTrusted() throws IOException {
        var url = url(server.secureEndpoint(), "&profile=lab");
        var trusted = Map.of("AWS_CA_BUNDLE", directory.resolve("ca.pem").toString());
        try (var store = S3BlockStore.open(url, trusted); var client = S3BlockStoreTest.client(url, trusted)) {
            makeBucket(client);
            store.put(key("tls"), bytes("hello"));
            assertThat(read(store, key("tls"), 0, 9)).isEqualTo("hello");
        }
    }

    /** Who waits for bytes through TLS hears of it, too; what hedged gets rely on. */
    @Test
    void aGetThroughTlsCanBeAborted() throws Exception {
        var trusted = Map.of("AWS_CA_BUNDLE", directory.resolve("ca.pem").toString());
        try (var silent = tls().getServerSocketFactory().createServerSocket(0, 5, InetAddress.getLoopbackAddress());
                var store = S3BlockStore.open(url("https://127.0.0.1:" + silent.getLocalPort(), "&anonymous=true"),
                        trusted)) {
            var abort = new Abort();
            var told = new CompletableFuture<Throwable>();
            var reader = Thread.ofPlatform().start(() -> {
                try {
                    store.get(key("a"), 0, ByteBuffer.allocate(100), abort);
                } catch (IOException ended) {
                    told.complete(ended);
                }
            });
            try (var asked = silent.accept()) {
                assertThat(asked.getInputStream().read()).as("the request is here").isEqualTo('G');
                abort.call();
                assertThat(told.get()).isInstanceOf(IOException.class).hasMessageNotContaining("timed out");
                reader.join();
            }
        }
    }

    private static SSLContext tls() throws Exception {
        var keys = KeyStore.getInstance(directory.resolve("keys.p12").toFile(), "changeit".toCharArray());
        var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, "changeit".toCharArray());
        var context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), null, null);
        return context;
    }
}
