package volsh.block.s3;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Hedged;
import volsh.block.StoreUrl;

/**
 * CPU seconds of the client per GiB in objects of 4 MiB, over plain HTTP and TLS, against a server in another process
 * that discards what it is sent and answers zeros. {@code docs/decisions/0009-s3-client.md} has a table it printed, and
 * how.
 */
final class S3ClientBench {
    private static final int OBJECT = 4 << 20;
    private static final int FRAME = 128 << 10;
    private static final int THREADS = 4;
    private static final int ROUNDS = 4;
    private static final String KEYS = "keys.p12";
    private static final String CERTIFICATE = "certificate.pem";
    private static final String PASSWORD = "changeit";

    private S3ClientBench() {}

    public static void main(String[] words) throws Exception {
        if (words.length == 2) {
            serve(Path.of(words[1]));
        } else {
            measure(Files.createTempDirectory("s3bench"));
        }
    }

    // ---- the client

    private static void measure(Path directory) throws Exception {
        System.setProperty("aws.accessKeyId", "key");
        System.setProperty("aws.secretAccessKey", "secret");
        makeKeys(directory);
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var server = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"),
                S3ClientBench.class.getName(), "server", directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (var ports = server.inputReader()) {
            String http = "http://127.0.0.1:" + ports.readLine();
            String https = "https://127.0.0.1:" + ports.readLine();
            System.out.println(
                    "| client | PUT cpu s/GiB | PUT MiB/s | GET cpu s/GiB | GET MiB/s |\n|---|---|---|---|---|");
            var trusted = Map.of("AWS_CA_BUNDLE", directory.resolve(CERTIFICATE).toString());
            usual("http, the SDK as it comes", http);
            ours("http, ours", http, trusted);
            ours("https, ours", https, trusted);
            System.out.println("\n| ranges of 128 KiB | GET cpu us | GETs/s |\n|---|---|---|");
            frames("http, ours", S3BlockStore.open(url(http), trusted));
            frames("http, ours, hedged", new Hedged(S3BlockStore.open(url(http), trusted)));
            frames("https, ours", S3BlockStore.open(url(https), trusted));
            frames("https, ours, hedged", new Hedged(S3BlockStore.open(url(https), trusted)));
        } finally {
            server.destroy();
        }
    }

    private static void makeKeys(Path directory) throws Exception {
        var keys = directory.resolve(KEYS).toString();
        keytool("-genkeypair", "-alias", "s3", "-keyalg", "EC", "-dname", "CN=127.0.0.1", "-ext", "san=ip:127.0.0.1",
                "-keystore", keys, "-storetype", "PKCS12", "-storepass", PASSWORD);
        keytool("-exportcert", "-rfc", "-alias", "s3", "-keystore", keys, "-storepass", PASSWORD,
                "-file", directory.resolve(CERTIFICATE).toString());
    }

    private static void keytool(String... words) throws Exception {
        var command = new ArrayList<>(List.of(words));
        command.addFirst(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
                .waitFor();
    }

    /** With its own settings and conveniences. */
    private static void usual(String name, String endpoint) throws Exception {
        try (var client = S3Client.builder().httpClient(Apache5HttpClient.create()).forcePathStyle(true)
                .endpointOverride(URI.create(endpoint)).region(Region.US_EAST_1).build()) {
            var data = ByteBuffer.allocateDirect(OBJECT);
            Figures put = best(() -> client.putObject(each -> each.bucket("bench").key("a"),
                    RequestBody.fromRemainingByteBuffer(data.duplicate())));
            Figures get = best(() -> client.getObjectAsBytes(each -> each.bucket("bench").key("a")));
            print(name, put, get);
        }
    }

    private static StoreUrl url(String endpoint) {
        return StoreUrl.of("s3://bench?endpoint=" + endpoint);
    }

    /** What a random reader asks for: one frame at a time. */
    private static void frames(String name, BlockStore opened) throws Exception {
        try (var store = opened) {
            var targets = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(FRAME));
            Figures get = best(() -> store.get(new BlockKey("a"), 2 * FRAME, targets.get().clear()), 4000, FRAME);
            double gets = 1 << 30 >> 17;
            System.out.printf("| %s | %.0f | %.0f |%n", name, get.cpu * 1e6 / gets, get.rate * gets / 1024);
        }
    }

    private static void ours(String name, String endpoint, Map<String, String> trusted) throws Exception {
        try (var store = S3BlockStore.open(url(endpoint), trusted)) {
            var data = ByteBuffer.allocateDirect(OBJECT);
            Figures put = best(() -> store.put(new BlockKey("a"), data.duplicate()));
            var targets = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(OBJECT));
            Figures get = best(() -> store.get(new BlockKey("a"), 0, targets.get().clear()));
            print(name, put, get);
        }
    }

    private static void print(String name, Figures put, Figures get) {
        System.out.printf("| %s | %.2f | %.0f | %.2f | %.0f |%n", name, put.cpu, put.rate, get.cpu, get.rate);
    }

    private record Figures(double cpu, double rate) {}

    private interface Request {
        void run() throws IOException;
    }

    /** The least CPU of several rounds of half a GiB, after one to warm up. */
    private static Figures best(Request request) throws Exception {
        return best(request, 128, OBJECT);
    }

    private static Figures best(Request request, int count, int bytes) throws Exception {
        var best = new Figures(Double.MAX_VALUE, 0);
        for (int round = 0; round <= ROUNDS; round++) {
            var figures = round(request, count, bytes);
            if (round > 0 && figures.cpu < best.cpu) {
                best = figures;
            }
        }
        return best;
    }

    private static Figures round(Request request, int count, int bytes) throws Exception {
        var os = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long cpu = os.getProcessCpuTime();
        long start = System.nanoTime();
        var left = new AtomicLong(count);
        try (var threads = Executors.newFixedThreadPool(THREADS)) {
            var work = new ArrayList<CompletableFuture<Void>>();
            for (int i = 0; i < THREADS; i++) {
                work.add(CompletableFuture.runAsync(() -> {
                    try {
                        while (left.getAndDecrement() > 0) {
                            request.run();
                        }
                    } catch (IOException failed) {
                        throw new UncheckedIOException(failed);
                    }
                }, threads));
            }
            work.forEach(CompletableFuture::join);
        }
        double gib = (double) count * bytes / (1 << 30);
        double seconds = (System.nanoTime() - start) / 1e9;
        return new Figures((os.getProcessCpuTime() - cpu) / 1e9 / gib, gib * 1024 / seconds);
    }

    // ---- the server

    private static void serve(Path directory) throws Exception {
        var plain = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        var secure = tls(directory).getServerSocketFactory()
                .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        for (var listener : List.of(plain, secure)) {
            System.out.println(listener.getLocalPort());
            Thread.ofPlatform().start(() -> listen(listener));
        }
    }

    private static SSLContext tls(Path directory) throws Exception {
        var keys = KeyStore.getInstance(directory.resolve(KEYS).toFile(), PASSWORD.toCharArray());
        var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, PASSWORD.toCharArray());
        var context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), null, null);
        return context;
    }

    private static void listen(ServerSocket listener) {
        try (listener) {
            while (true) {
                var client = listener.accept();
                Thread.ofPlatform().daemon().start(() -> answer(client));
            }
        } catch (IOException ended) {
            throw new UncheckedIOException(ended);
        }
    }

    private static void answer(Socket client) {
        try (client) {
            client.setTcpNoDelay(true);
            var in = new BufferedInputStream(client.getInputStream(), 1 << 16);
            var out = client.getOutputStream();
            var zeros = new byte[OBJECT];
            for (String start = line(in); !start.isEmpty(); start = line(in)) {
                long length = 0;
                int from = 0;
                int to = OBJECT;
                for (String header = line(in); !header.isEmpty(); header = line(in)) {
                    if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                        length = Long.parseLong(header.substring(15).strip());
                    } else if (header.toLowerCase(Locale.ROOT).startsWith("range: bytes=")) {
                        from = Integer.parseInt(header.substring(13, header.lastIndexOf('-')));
                        to = Integer.parseInt(header.substring(header.lastIndexOf('-') + 1)) + 1;
                    } else if (header.toLowerCase(Locale.ROOT).startsWith("expect:")) {
                        out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    }
                }
                in.skipNBytes(length);
                boolean get = start.startsWith("GET");
                head(out, get ? "206 Partial Content" : "200 OK", get ? to - from : 0,
                        get ? "Content-Range: bytes %d-%d/%d".formatted(from, to - 1, OBJECT) : "ETag: \"x\"");
                if (get) {
                    out.write(zeros, from, to - from);
                }
            }
        } catch (IOException gone) {
            // the client is done
        }
    }

    private static void head(OutputStream out, String status, int length, String header) throws IOException {
        out.write("HTTP/1.1 %s\r\nContent-Length: %d\r\n%s\r\n\r\n".formatted(status, length, header)
                .getBytes(StandardCharsets.US_ASCII));
    }

    private static String line(InputStream in) throws IOException {
        var text = new StringBuilder();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            if (next != '\r') {
                text.append((char) next);
            }
        }
        return text.toString();
    }
}
