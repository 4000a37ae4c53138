package volsh.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.VolumeDraft;
import volsh.fs.Owner;
import volsh.hang.Eventually;
import volsh.unit.ByteSize;
import volsh.vfs.Vfs;
import volsh.volume.Volumes;

/** Clients that are slow, many, or leave in the middle: others are served, and nothing is left of them. */
@Tag("volume")
@Tag("data")
final class GatewayClientsTest {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");
    private static final int CLIENTS = 64;
    private static final int LARGE = 4 << 20;

    @TempDir
    Path directory;

    private Volumes volumes;
    private AccessKeys keys;
    private Gateway gateway;
    private SignedRequests requests;

    @BeforeEach
    void home() throws IOException {
        var home = Home.of(Map.of("VOLSH_HOME", directory.resolve("home").toString()), false);
        volumes = new Volumes(home, InstantSource.system(), Owner.ROOT);
        volumes.stores().add("s1", StoreUrl.of("file://" + directory.resolve("s1")));
        volumes.create(VolumeDraft.named("data").withBlockSize(ByteSize.of("64KiB")).withStore("s1"));
        keys = new AccessKeys(directory);
    }

    private void serve(Duration clientWait) throws IOException {
        gateway = new Gateway(volumes, keys, new GatewaySettings(List.of("data"), false, "", 1 << 20, Owner.ROOT),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Optional.empty(), InstantSource.system(),
                clientWait);
        gateway.start();
        requests = SignedRequests.with(keys, gateway);
    }

    @AfterEach
    void stop() throws IOException {
        gateway.close();
    }

    private String answer(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    private void put(String key, byte[] bytes) throws IOException {
        try (var socket = requests.connect()) {
            socket.getOutputStream().write(requests.head("PUT", key, bytes, "Connection: close\r\n"));
            socket.getOutputStream().write(bytes);
            assertThat(answer(socket)).startsWith("HTTP/1.1 200");
        }
    }

    private byte[] get(String key) throws IOException {
        try (var socket = requests.connect()) {
            socket.getOutputStream().write(requests.head("GET", key, new byte[0], "Connection: close\r\n"));
            byte[] all = socket.getInputStream().readAllBytes();
            String text = new String(all, StandardCharsets.ISO_8859_1);
            assertThat(text).startsWith("HTTP/1.1 200");
            return java.util.Arrays.copyOfRange(all, text.indexOf("\r\n\r\n") + 4, all.length);
        }
    }

    private static byte[] bytes(long seed, int size) {
        byte[] bytes = new byte[size];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    /** More of them than requests are served at once: heads that never end, bodies that stop, answers nobody reads. */
    @Test
    void slowClientsAreCutOffAndOthersAreServedMeanwhile() throws Exception {
        serve(Duration.ofSeconds(2));
        put("large", bytes(1, LARGE));
        var slow = new ArrayList<Socket>();
        try {
            for (int i = 0; i < 300; i++) {
                var head = requests.connect();
                head.getOutputStream().write("GET /data/large HTTP/1.1\r\nHost: x\r\nX-A".getBytes(
                        StandardCharsets.US_ASCII));
                slow.add(head);
            }
            for (int i = 0; i < 20; i++) {
                var body = requests.connect();
                body.getOutputStream().write(requests.head("PUT", "never" + i, new byte[10_000], ""));
                body.getOutputStream().write(new byte[100]);
                slow.add(body);
                var reader = new Socket();
                reader.setReceiveBufferSize(4096);
                reader.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), requests.port()));
                reader.setSoTimeout(60_000);
                reader.getOutputStream().write(requests.head("GET", "large", new byte[0], ""));
                slow.add(reader);
            }
            put("quick", bytes(2, 10_000));
            assertThat(get("quick")).isEqualTo(bytes(2, 10_000));
            Eventually.holds("no request is left", () -> gateway.counts().active() == 0);
            for (var each : slow) {
                assertEnds(each);
            }
            assertThat(names()).containsExactly("large", "quick");
            assertThat(get("large")).isEqualTo(bytes(1, LARGE));
        } finally {
            for (var each : slow) {
                each.close();
            }
        }
    }

    /** A refusal is sent at once, and what is left of the body is not waited for longer than for other bodies. */
    @Test
    void aRefusedClientThatStopsIsCutOff() throws Exception {
        serve(Duration.ofSeconds(1));
        try (var socket = requests.connect()) {
            socket.getOutputStream().write(("PUT /data/x HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\n\r\n"
                    + "x".repeat(100)).getBytes(StandardCharsets.US_ASCII));
            assertThat(answer(socket)).startsWith("HTTP/1.1 403").contains("AccessDenied");
        }
        assertThat(gateway.counts().refusals()).containsEntry("AccessDenied", 1L);
    }

    /** What the gateway sent is read; then the connection has ended. */
    private static void assertEnds(Socket socket) throws IOException {
        byte[] some = new byte[1 << 16];
        try {
            while (socket.getInputStream().read(some) >= 0) {
                assertThat(socket.isClosed()).isFalse();
            }
        } catch (SocketTimeoutException open) {
            throw open;
        } catch (IOException reset) {
            return;
        }
    }

    private List<String> names() throws IOException {
        try (var volume = volumes.open("data", Access.READ, "test")) {
            return volume.vfs().list(Vfs.ROOT, null, 1000).stream().map(entry -> entry.name().toString()).toList();
        }
    }

    /** 64 at once, of which many leave in the middle of a body or an answer: each object is whole, or is not there. */
    @Test
    void clientsThatLeaveInTheMiddleLeaveNothing() throws Exception {
        serve(ClientWaits.USUAL);
        long seed = Long.getLong("volsh.seed", System.nanoTime());
        System.out.println("seed " + seed);
        put("warm", bytes(0, 300_000));
        int files = openFiles().size();
        int threads = Thread.activeCount();
        var clients = new ArrayList<Callable<Integer>>();
        for (int i = 0; i < CLIENTS; i++) {
            var random = new Random(seed + i);
            String key = "k%02d".formatted(i);
            clients.add(() -> use(random, key));
        }
        var acknowledged = new ArrayList<Integer>();
        try (var pool = Executors.newFixedThreadPool(CLIENTS)) {
            for (var each : pool.invokeAll(clients)) {
                acknowledged.add(each.get());
            }
        }
        Eventually.holds("no request is left", () -> gateway.counts().active() == 0);
        for (int i = 0; i < CLIENTS; i++) {
            String key = "k%02d".formatted(i);
            if (acknowledged.get(i) > 0 || names().contains(key)) {
                byte[] found = get(key);
                int round = ByteBuffer.wrap(found).getInt();
                assertThat(found).as(key).isEqualTo(content(key, round, found.length));
                assertThat(round).as("what was acknowledged is not lost").isGreaterThanOrEqualTo(acknowledged.get(i));
            }
        }
        Eventually.value("no file is left open", this::openFiles, open -> open.size() <= files + 8);
        Eventually.holds("no thread is left", () -> Thread.activeCount() <= threads + 8);
    }

    private static byte[] content(String key, int round, int length) {
        byte[] bytes = bytes(key.hashCode() * 31L + round, length);
        ByteBuffer.wrap(bytes).putInt(round);
        return bytes;
    }

    /** Puts and gets, of which half are cut; returns the last put that was acknowledged. */
    private int use(Random random, String key) throws IOException {
        int acknowledged = 0;
        for (int round = 1; round <= (LONG ? 40 : 6); round++) {
            byte[] body = content(key, round, 100 + random.nextInt(random.nextBoolean() ? 3000 : 300_000));
            boolean cut = random.nextBoolean();
            try (var socket = requests.connect()) {
                socket.getOutputStream().write(requests.head("PUT", key, body, "Connection: close\r\n"));
                socket.getOutputStream().write(body, 0, cut ? random.nextInt(body.length) : body.length);
                if (!cut && answer(socket).startsWith("HTTP/1.1 200")) {
                    acknowledged = round;
                }
            }
            try (var socket = requests.connect()) {
                socket.getOutputStream().write(requests.head("GET", "warm", new byte[0], ""));
                socket.getInputStream().readNBytes(random.nextInt(300_000));
            }
        }
        return acknowledged;
    }

    /** Except those of the database: its connections stay open, as many as were used at once. */
    private List<String> openFiles() {
        var open = new ArrayList<String>();
        try (var files = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (var each : files) {
                String file = target(each);
                if (!file.startsWith(directory.resolve("home/state/volumes").toString())) {
                    open.add(file);
                }
            }
        } catch (IOException unknown) {
            throw new java.io.UncheckedIOException(unknown);
        }
        return open;
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException closed) {
            return "";
        }
    }

    @Test
    void uploadsThatWereAbandonedExpire() throws Exception {
        serve(ClientWaits.USUAL);
        put("x", new byte[1]);
        var uploads = new BegunUploads(volumes);
        uploads.begin("old", Instant.now().minus(Duration.ofDays(8)));
        uploads.begin("new", Instant.now().minus(Duration.ofDays(6)));
        assertThat(uploads.keys()).containsExactlyInAnyOrder("old", "new");
        gateway.expireUploads(Instant.now().minus(Duration.ofDays(7)));
        assertThat(uploads.keys()).containsExactly("new");
        assertThat(gateway.counts().calls()).containsEntry("(expired uploads)", 1L);
    }

    /** Uploads in the volume, without a client. */
    private record BegunUploads(Volumes volumes) {
        void begin(String key, Instant when) throws IOException {
            try (var bucket = new Bucket("data", volumes.open("data", Access.WRITE, "test"), Owner.ROOT)) {
                var uploads = new MultipartUploads(bucket);
                String id = uploads.begin(ObjectKey.of(key), Map.of(), when);
                uploads.put(uploads.find(id, ObjectKey.of(key)), 1, file -> {
                    file.write(0, ByteBuffer.wrap(new byte[100_000]));
                    return "0";
                });
            }
        }

        List<String> keys() throws IOException {
            try (var bucket = new Bucket("data", volumes.open("data", Access.WRITE, "test"), Owner.ROOT)) {
                return new MultipartUploads(bucket).list().stream().map(MultipartUploads.Upload::key).toList();
            }
        }
    }
}
