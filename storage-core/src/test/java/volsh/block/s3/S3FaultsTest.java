package volsh.block.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.block.BlockStoreContract.bytes;
import static volsh.block.BlockStoreContract.key;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;
import volsh.block.BlockStore;
import volsh.block.Hedged;
import volsh.block.NoSuchBlockException;
import volsh.block.Pause;
import volsh.block.RetryPolicy;
import volsh.block.Retrying;
import volsh.block.StoreUrl;
import volsh.s3test.Fault;
import volsh.s3test.FaultProxy;
import volsh.s3test.Faults;
import volsh.s3test.S3Server;

/** Networks and servers at their worst: what was acknowledged stays, and no wrong byte gets past the frames. */
@Tag("volume")
@Tag("data")
final class S3FaultsTest {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");
    private static final int REQUESTS = LONG ? 100_000 : 1_000;
    private static final int INJECTED = LONG ? 20_000 : 200;
    private static final int CLIENTS = 8;
    private static final RetryPolicy PATIENCE =
            new RetryPolicy(40, Duration.ofMillis(2), Duration.ofMillis(200), Duration.ofMinutes(5));

    private final long seed = Long.getLong("volsh.seed", System.nanoTime());
    private FaultProxy proxy;

    @AfterEach
    void close() throws IOException {
        proxy.close();
    }

    private S3BlockStore open(Faults faults) throws IOException {
        return open(faults, "1500ms");
    }

    private S3BlockStore open(Faults faults, String timeout) throws IOException {
        var server = S3Server.shared();
        proxy = new FaultProxy(server.port(), faults);
        return S3BlockStore.open(StoreUrl.of("s3://%s/faulty?endpoint=%s&anonymous=true&timeout=%s"
                .formatted(server.newBucket(), proxy.endpoint(), timeout)));
    }

    static BlockStore retrying(S3BlockStore store) {
        return new Retrying(new Hedged(store), PATIENCE, Pause.REAL, new Random());
    }

    @Test
    void whatIsAcknowledgedStaysAndNothingWrongIsHandedOut() throws Exception {
        var faults = Faults.ofAllKinds(seed);
        var clients = new ArrayList<FaultyClient>();
        try (var store = retrying(open(faults)); var threads = Executors.newFixedThreadPool(CLIENTS)) {
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(new FaultyClient(store, i, seed + i));
            }
            var work = clients.stream().map(client -> CompletableFuture.runAsync(() -> client.run(
                    () -> proxy.requests() < REQUESTS || faults.total() < INJECTED), threads)).toList();
            work.forEach(CompletableFuture::join);
            faults.setRate(0);
            for (var client : clients) {
                client.verifyAll();
            }
        } finally {
            System.out.printf("S3 faults seed %d: %d requests, %d faults %s, %s%n", seed, proxy.requests(),
                    faults.total(), faults.injected(), FaultyClient.sum(clients));
        }
        assertThat(proxy.requests()).isGreaterThanOrEqualTo(REQUESTS);
        assertThat(faults.total()).isGreaterThanOrEqualTo(INJECTED);
        assertThat(faults.injected().keySet()).as("kinds met").containsExactlyInAnyOrder(Fault.values());
        assertThat(FaultyClient.sum(clients).puts()).as("acknowledged puts").isPositive();
        assertThat(FaultyClient.sum(clients).damaged()).as("negative control: reads that frames refused").isPositive();
    }

    /** Negative control: with nobody to try again, the same faults are errors. */
    @Test
    void withoutRetryingFaultsAreErrors() throws Exception {
        var kinds = EnumSet.complementOf(EnumSet.of(Fault.SLOW_REPLY, Fault.TRUNCATED_REPLY, Fault.RESET_IN_REPLY));
        try (var store = open(new Faults(1, kinds, seed))) {
            for (int i = 0; i < 20; i++) {
                assertThatThrownBy(() -> store.put(key("a"), bytes("hello"))).isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void aPutThatArrivesDamagedIsRefusedByTheServer() throws Exception {
        var faults = new Faults(1, EnumSet.of(Fault.FLIPPED_REQUEST), seed);
        try (var store = open(faults, "60s")) {
            assertThatThrownBy(() -> store.put(key("a"), bytes("hello")))
                    .isInstanceOf(IOException.class).hasMessageContaining("400");
            assertThatThrownBy(() -> store.get(key("a"), 0, ByteBuffer.allocate(1)))
                    .isInstanceOf(NoSuchBlockException.class);
        }
        assertThat(faults.injected()).containsOnlyKeys(Fault.FLIPPED_REQUEST);
    }

    /** What was begun is given up, so that no invisible parts are left behind. */
    @Test
    void anUploadInPartsThatFailsIsAborted() throws Exception {
        var server = S3Server.shared();
        var faults = new Faults(0, EnumSet.of(Fault.FLIPPED_REQUEST), seed);
        proxy = new FaultProxy(server.port(), faults);
        var url = StoreUrl.of("s3://%s/p?endpoint=%s&anonymous=true".formatted(server.newBucket(), proxy.endpoint()));
        try (var store = S3BlockStore.open(url, 5 << 20); var client = S3BlockStoreTest.client(url, Map.of())) {
            var bucket = BucketPrefix.of(url).bucket();
            var begun = client.createMultipartUpload(each -> each.bucket(bucket).key("begun"));
            assertThat(client.listMultipartUploads(each -> each.bucket(bucket)).uploads()).as("negative control")
                    .hasSize(1);
            client.abortMultipartUpload(each -> each.bucket(bucket).key("begun").uploadId(begun.uploadId()));
            faults.setRate(1);
            assertThatThrownBy(() -> store.put(key("large"), ByteBuffer.allocate(11 << 20)))
                    .isInstanceOf(IOException.class);
            assertThat(faults.total()).as("parts damaged on their way").isPositive();
            faults.setRate(0);
            assertThat(client.listMultipartUploads(each -> each.bucket(bucket)).uploads()).isEmpty();
            store.put(key("large"), ByteBuffer.allocate(11 << 20));
            assertThat(store.get(key("large"), 10 << 20, ByteBuffer.allocate(2 << 20))).isEqualTo(1 << 20);
        }
    }

    /** A put whose answer was lost is repeated, finds an object there, and has to know it for its own. */
    @Test
    void whoPutsOnceKnowsItsOwnBytesWhateverHappens() throws Exception {
        var faults = new Faults(0.3, EnumSet.complementOf(EnumSet.of(Fault.STALL)), seed);
        int races = 0;
        try (var once = (Retrying) retrying(open(faults))) {
            for (int i = 0; i < 40 || faults.injected().getOrDefault(Fault.LOST_REPLY, 0L) < 5; i++) {
                var key = key("epoch-" + i);
                // so many bits that two flips hardly ever are of the same one
                String one = ("of host one, " + i).repeat(200);
                assertThat(once.putIfAbsent(key, bytes(one))).as("seed %d: the first to put %s", seed, key).isTrue();
                assertThat(once.putIfAbsent(key, bytes("of host two, " + i)))
                        .as("seed %d: the second to put %s", seed, key).isFalse();
                races++;
            }
        }
        System.out.printf("S3 put once seed %d: %d races, faults %s%n", seed, races, faults.injected());
    }

    /** The bytes that are there arrive damaged now and then: that makes them nobody else's. */
    @Test
    void ownBytesAreNotTakenForAnothers() throws Exception {
        var faults = new Faults(0, EnumSet.of(Fault.FLIPPED_REPLY), seed);
        String mine = "mine".repeat(1000);     // so many bits that two flips hardly ever are of the same one
        try (var once = (Retrying) retrying(open(faults))) {
            assertThat(once.putIfAbsent(key("epoch"), bytes(mine))).isTrue();
            faults.setRate(0.3);
            for (int i = 0; i < 60 || faults.total() < 10; i++) {
                assertThat(once.putIfAbsent(key("epoch"), bytes(mine))).as("seed %d, round %d", seed, i).isTrue();
            }
        }
    }

    /** Negative control: the server alone takes the repeated put for another's. */
    @Test
    void theServerDoesNotKnowWhoseAnObjectIs() throws Exception {
        var faults = new Faults(1, EnumSet.of(Fault.LOST_REPLY), seed);
        try (var store = open(faults, "60s")) {
            assertThatThrownBy(() -> store.putIfAbsent(key("epoch"), bytes("mine"))).isInstanceOf(IOException.class);
            faults.setRate(0);
            assertThat(store.putIfAbsent(key("epoch"), bytes("mine"))).as("it had been stored").isTrue();
            assertThat(store.putIfAbsent(key("epoch"), bytes("yours"))).isFalse();
            faults.setRate(1);
            assertThatThrownBy(() -> store.putIfAbsent(key("epoch"), bytes("mine"))).as("lost again")
                    .isInstanceOf(IOException.class);
        }
        var url = StoreUrl.of("s3://%s?endpoint=%s&anonymous=true".formatted(S3Server.shared().newBucket(),
                S3Server.shared().endpoint()));
        try (var client = S3BlockStoreTest.client(url, Map.of())) {
            var once = PutObjectRequest.builder().bucket(BucketPrefix.of(url).bucket()).key("epoch").ifNoneMatch("*")
                    .build();
            client.putObject(once, RequestBody.fromString("mine"));
            assertThatThrownBy(() -> client.putObject(once, RequestBody.fromString("mine")))
                    .isInstanceOfSatisfying(S3Exception.class, told -> assertThat(told.statusCode()).isEqualTo(412));
        }
    }

    /** Negative control: it is our checksum that the server refuses it by. */
    @Test
    void withoutAChecksumDamageIsAccepted() throws Exception {
        open(new Faults(1, EnumSet.of(Fault.FLIPPED_REQUEST), seed)).close();
        try (var client = HttpClient.newHttpClient()) {
            var bucket = S3Server.shared().newBucket();
            var put = HttpRequest.newBuilder(URI.create("%s/%s/a".formatted(proxy.endpoint(), bucket)))
                    .PUT(HttpRequest.BodyPublishers.ofString("hello")).build();
            assertThat(client.send(put, HttpResponse.BodyHandlers.discarding()).statusCode()).isEqualTo(200);
            var get = HttpRequest.newBuilder(put.uri()).build();
            assertThat(client.send(get, HttpResponse.BodyHandlers.ofString()).body()).hasSize(5).isNotEqualTo("hello");
        }
    }
}
