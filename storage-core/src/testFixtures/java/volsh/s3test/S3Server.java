package volsh.s3test;

import java.io.File;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import volsh.hang.Eventually;

/**
 * S3Proxy on a loopback port, in a process of its own with its objects in memory. It ends when it is closed, and also
 * when this process does, however that comes about: a shell waits for the end of its standard input and then kills it.
 *
 * <p>The system property {@code volsh.s3proxy} is its class path.
 */
public final class S3Server implements AutoCloseable {
    private static final String WATCH = "\"$@\" </dev/null & pid=$!; cat >/dev/null; kill -9 $pid; wait $pid";
    private static final int TRIES = 10;
    private static final AtomicInteger BUCKETS = new AtomicInteger();
    private static S3Server shared;

    private final Process process;
    private final int port;
    private final int securePort;
    private final Path log;

    private S3Server(Process process, int port, int securePort, Path log) {
        this.process = process;
        this.port = port;
        this.securePort = securePort;
        this.log = log;
    }

    /** The one of this JVM, without authentication; started at the first call. */
    public static synchronized S3Server shared() throws IOException {
        if (shared == null) {
            shared = start("s3proxy.authorization=none");
            Runtime.getRuntime().addShutdownHook(new Thread(shared::close));
        }
        return shared;
    }

    /** One more, without authentication: to be killed. */
    public static S3Server another() throws IOException {
        return start("s3proxy.authorization=none");
    }

    /** Kills the process; returns one without any objects or buckets that answers in its place. */
    public S3Server wiped() throws IOException {
        close();
        return start(port, "s3proxy.authorization=none");
    }

    /** One that wants requests signed with these, and also speaks TLS with the key in {@code keys}. */
    public static S3Server withCredentials(String identity, String secret, Path keys, String password)
            throws IOException {
        return start("s3proxy.authorization=aws-v4", "s3proxy.identity=" + identity, "s3proxy.credential=" + secret,
                "s3proxy.keystore-path=" + keys, "s3proxy.keystore-password=" + password);
    }

    /** The same, with buckets as part of host names below {@code host}. */
    public static S3Server withVirtualHost(String host, String identity, String secret, Path keys, String password)
            throws IOException {
        return start("s3proxy.virtual-host=" + host,
                "s3proxy.ignore-unknown-headers=true",      // such as the token of a session
                "s3proxy.authorization=aws-v4", "s3proxy.identity=" + identity, "s3proxy.credential=" + secret,
                "s3proxy.keystore-path=" + keys, "s3proxy.keystore-password=" + password);
    }

    /** On ports that are free. Somebody else may take one before the server does: then on others. */
    private static S3Server start(String... settings) throws IOException {
        for (int tries = 1; ; tries++) {
            try {
                return start(KeptPorts.next(), settings);
            } catch (BindException taken) {
                if (tries == TRIES) {
                    throw taken;
                }
            }
        }
    }

    private static S3Server start(int port, String... settings) throws IOException {
        var home = Files.createTempDirectory("s3server");
        int securePort = KeptPorts.next();
        var file = home.resolve("s3proxy.conf");
        var lines = new ArrayList<>(List.of(settings));
        lines.addAll(List.of("s3proxy.endpoint=http://127.0.0.1:" + port, "jclouds.provider=transient-nio2",
                "jclouds.identity=local", "jclouds.credential=local"));
        boolean secure = lines.stream().anyMatch(line -> line.startsWith("s3proxy.keystore-path"));
        if (secure) {
            lines.add("s3proxy.secure-endpoint=https://127.0.0.1:" + securePort);
        }
        Files.write(file, lines);
        var log = home.resolve("log");
        var process = new ProcessBuilder("sh", "-c", WATCH, "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx1g", "-Djava.io.tmpdir=" + home,
                "-cp", classPath(), "org.gaul.s3proxy.Main", "--properties", file.toString())
                .redirectErrorStream(true).redirectOutput(log.toFile()).start();
        var server = new S3Server(process, port, securePort, log);
        server.awaitStart(port);
        if (secure) {
            server.awaitStart(securePort);   // it listens there a moment later
        }
        return server;
    }

    private static String classPath() {
        String path = System.getProperty("volsh.s3proxy");
        if (path == null) {
            throw new IllegalStateException("run the tests with -Dvolsh.s3proxy=CLASSPATH of org.gaul:s3proxy");
        }
        return path;
    }

    private void awaitStart(int where) throws IOException {
        Eventually.holds("the S3 server listens, or has ended",
                () -> listens(where) || !process.isAlive() || said("Address already in use"));
        if (said("Address already in use")) {
            close();
            throw new BindException("port %d or %d is taken".formatted(port, securePort));
        }
        if (!process.isAlive()) {
            String told = Files.readString(log);
            close();
            throw new IOException("the S3 server did not start:\n" + told);
        }
    }

    private static boolean listens(int port) {
        try (var probe = new Socket()) {
            probe.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    private boolean said(String words) throws IOException {
        return Files.readString(log).contains(words);
    }

    public int port() {
        return port;
    }

    public String endpoint() {
        return "http://127.0.0.1:" + port;
    }

    public String secureEndpoint() {
        return "https://127.0.0.1:" + securePort;
    }

    /** A new bucket's name. Only where nobody needs to sign. */
    public String newBucket() throws IOException {
        String name = "bucket-" + BUCKETS.incrementAndGet();
        makeBucket(name);
        return name;
    }

    /** The same with a name that is given. */
    public void makeBucket(String name) throws IOException {
        try (var client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create(endpoint() + "/" + name))
                    .PUT(HttpRequest.BodyPublishers.noBody()).build();
            var answer = client.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IOException("no new bucket: " + answer.body());
            }
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /** Kills the process (SIGKILL), if it still runs. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                killAll();
            }
        } catch (IOException | InterruptedException ignored) {
            killAll();
        }
        removeHome();
    }

    private void killAll() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private void removeHome() {
        try (var files = Files.walk(log.getParent())) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (IOException left) {
            // below the temp directory, where it bothers nobody
        }
    }
}
