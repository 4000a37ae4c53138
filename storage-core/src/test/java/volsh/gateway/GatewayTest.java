package volsh.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;
import volsh.block.Ability;
import volsh.block.Ability.Answer;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.VolumeDraft;
import volsh.fs.FileKind;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.unit.ByteSize;
import volsh.vfs.Vfs;
import volsh.volume.Volumes;

/** A gateway over real volumes, used by Amazon's own client. */
@Tag("volume")
@Tag("data")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class GatewayTest {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");

    @TempDir
    static Path directory;

    private Volumes volumes;
    private AccessKeys keys;
    private Gateway gateway;
    private S3Client client;

    @BeforeAll
    void serve() throws IOException {
        var home = Home.of(Map.of("VOLSH_HOME", directory.resolve("home").toString()), false);
        volumes = new Volumes(home, InstantSource.system(), Owner.ROOT);
        volumes.stores().add("s1", StoreUrl.of("file://" + directory.resolve("s1")));
        for (String name : List.of("data", "other")) {
            volumes.create(VolumeDraft.named(name).withBlockSize(ByteSize.of("64KiB")).withStore("s1"));
        }
        keys = new AccessKeys(directory);
        gateway = new Gateway(volumes, keys, new GatewaySettings(List.of("data", "other"), false, "", 1 << 20,
                Owner.ROOT), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Optional.empty(),
                InstantSource.system());
        gateway.start();
        client = client(keys.create(List.of(), "", false, Instant.now(), Optional.empty()));
    }

    @AfterAll
    void stop() throws IOException {
        client.close();
        gateway.close();
    }

    private S3Client client(AccessKey key) {
        return S3Client.builder().httpClient(Apache5HttpClient.create()).forcePathStyle(true).region(Region.US_EAST_1)
                .endpointOverride(URI.create("http://127.0.0.1:" + gateway.address().getPort()))
                .overrideConfiguration(configuration -> configuration.retryStrategy(strategy -> strategy.maxAttempts(
                        1)))
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create(key.id(),
                        key.secret()))).build();
    }

    private void put(String key, byte[] bytes) {
        client.putObject(request -> request.bucket("data").key(key), RequestBody.fromBytes(bytes));
    }

    private byte[] get(String bucket, String key) {
        return client.getObjectAsBytes(request -> request.bucket(bucket).key(key)).asByteArray();
    }

    private static byte[] bytes(int seed, int size) {
        byte[] bytes = new byte[size];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    private static void assertRefused(Runnable call, int status, String code) {
        assertThatThrownBy(call::run).isInstanceOfSatisfying(S3Exception.class, refused -> {
            assertThat(refused.statusCode()).isEqualTo(status);
            if (!code.isEmpty()) {
                assertThat(refused.awsErrorDetails().errorCode()).isEqualTo(code);
            }
        });
    }

    @Test
    void whatIsPutIsGotWithItsMetadata() {
        byte[] content = bytes(1, 300_000);
        var put = client.putObject(request -> request.bucket("data").key("dir/a b+é.bin").contentType("x/y")
                .metadata(Map.of("colour", "red")), RequestBody.fromBytes(content));
        var got = client.getObjectAsBytes(request -> request.bucket("data").key("dir/a b+é.bin"));
        assertThat(got.asByteArray()).isEqualTo(content);
        assertThat(got.response().metadata()).containsEntry("colour", "red");
        assertThat(got.response().contentType()).isEqualTo("x/y");
        assertThat(got.response().eTag()).isEqualTo(put.eTag())
                .isEqualTo('"' + SigningDigests.hex(SigningDigests.of("MD5").digest(content)) + '"');
        var part = client.getObjectAsBytes(request -> request.bucket("data").key("dir/a b+é.bin")
                .range("bytes=70000-70009"));
        assertThat(part.asByteArray()).isEqualTo(java.util.Arrays.copyOfRange(content, 70_000, 70_010));
        assertThat(part.response().contentRange()).isEqualTo("bytes 70000-70009/300000");
        assertThat(client.headObject(request -> request.bucket("data").key("dir/a b+é.bin")).contentLength())
                .isEqualTo(300_000);
    }

    @Test
    void programsOnFilesAndObjectsSeeTheSame() throws IOException {
        put("both/from-s3", "over s3".getBytes(StandardCharsets.UTF_8));
        try (var volume = volumes.open("data", Access.WRITE, "test")) {
            var found = volume.paths().resolve("/both/from-s3");
            var read = ByteBuffer.allocate(100);
            try (var file = volume.vfs().open(found.ino())) {
                file.read(0, read);
            }
            assertThat(new String(read.array(), 0, read.position(), StandardCharsets.UTF_8)).isEqualTo("over s3");
            var before = client.headObject(request -> request.bucket("data").key("both/from-s3")).eTag();
            try (var file = volume.vfs().open(found.ino())) {
                file.write(0, ByteBuffer.wrap("OVER".getBytes(StandardCharsets.UTF_8)));
            }
            assertThat(get("data", "both/from-s3")).asString(StandardCharsets.UTF_8).isEqualTo("OVER s3");
            var after = client.headObject(request -> request.bucket("data").key("both/from-s3")).eTag();
            assertThat(after).as("a tag that is no MD5, because the content is another").isNotEqualTo(before)
                    .endsWith("-1\"");
        }
    }

    @Test
    void objectsThatAreMissingOrImpossibleAreTold() {
        put("taken/file", new byte[1]);
        assertRefused(() -> get("data", "nothing"), 404, "NoSuchKey");
        assertRefused(() -> get("missing", "x"), 404, "NoSuchBucket");
        assertRefused(() -> put("taken/file/below", new byte[1]), 409, "OperationAborted");
        assertRefused(() -> put("taken", new byte[1]), 409, "OperationAborted");
        assertRefused(() -> put("a/../b", new byte[1]), 400, "InvalidArgument");
        assertRefused(() -> put("a//b", new byte[1]), 400, "InvalidArgument");
        assertRefused(() -> put("x".repeat(256), new byte[1]), 400, "InvalidArgument");
        assertRefused(() -> put("x/".repeat(513), new byte[1]), 400, "KeyTooLongError");
        assertRefused(() -> put(MultipartUploads.DIRECTORY + "/x", new byte[1]), 403, "AccessDenied");
        assertRefused(() -> client.getObjectAsBytes(request -> request.bucket("data").key("taken/file")
                .range("bytes=1-")), 416, "InvalidRange");
        assertRefused(() -> client.createBucket(request -> request.bucket("new")), 404, "NoSuchBucket");
    }

    @Test
    void conditionsHold() {
        put("conditions/x", new byte[1]);
        String tag = client.headObject(request -> request.bucket("data").key("conditions/x")).eTag();
        assertRefused(() -> client.putObject(request -> request.bucket("data").key("conditions/x").ifNoneMatch("*"),
                RequestBody.fromBytes(new byte[2])), 412, "PreconditionFailed");
        client.putObject(request -> request.bucket("data").key("conditions/new").ifNoneMatch("*"),
                RequestBody.fromBytes(new byte[2]));
        assertRefused(() -> client.getObjectAsBytes(request -> request.bucket("data").key("conditions/x")
                .ifNoneMatch(tag)), 304, "");
        assertRefused(() -> client.getObjectAsBytes(request -> request.bucket("data").key("conditions/x")
                .ifMatch("\"other\"")), 412, "PreconditionFailed");
        assertThat(client.getObjectAsBytes(request -> request.bucket("data").key("conditions/x").ifMatch(tag))
                .asByteArray()).hasSize(1);
    }

    /** One of many that put a new object at once is told that it did. */
    @Test
    void onlyOneMakesANewObject() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var tries = new ArrayList<java.util.concurrent.Future<Boolean>>();
            for (int i = 0; i < 8; i++) {
                byte[] own = bytes(i, 50_000 + i);
                tries.add(threads.submit(() -> {
                    try {
                        client.putObject(request -> request.bucket("data").key("race/one").ifNoneMatch("*"),
                                RequestBody.fromBytes(own));
                        return true;
                    } catch (S3Exception refused) {
                        assertThat(refused.statusCode()).isEqualTo(412);
                        return false;
                    }
                }));
            }
            int won = -1;
            for (int i = 0; i < tries.size(); i++) {
                if (tries.get(i).get()) {
                    assertThat(won).isEqualTo(-1);
                    won = i;
                }
            }
            assertThat(get("data", "race/one")).isEqualTo(bytes(won, 50_000 + won));
        }
    }

    @Test
    void listingsAreThoseOfASortedModel() {
        long seed = Long.getLong("volsh.seed", System.nanoTime());
        System.out.println("seed " + seed);
        var random = new Random(seed);
        var model = new TreeSet<String>((a, b) -> KeyOrder.of(a).compareTo(KeyOrder.of(b)));
        var parts = List.of("a", "a.", "a-b", "a b", "a0", "b", "b!", "\uD83D\uDE00", "\uFFFD", "é", "z", "a.txt");
        for (int i = 0; i < (LONG ? 2000 : 120); i++) {
            var key = new StringBuilder("listed");
            for (int depth = random.nextInt(3); depth >= 0; depth--) {
                key.append('/').append(parts.get(random.nextInt(parts.size())));
            }
            try {
                put(key.toString(), new byte[0]);
                model.add(key.toString());
            } catch (S3Exception conflict) {
                assertThat(conflict.statusCode()).isEqualTo(409);   // a file and a directory of one name
            }
        }
        for (int i = 0; i < (LONG ? 2000 : 60); i++) {
            String prefix = i % 3 == 0 ? "listed/" : "listed/" + parts.get(random.nextInt(parts.size()))
                    + (random.nextBoolean() ? "/" : "");
            String delimiter = random.nextInt(3) == 0 ? "" : random.nextInt(4) == 0 ? "." : "/";
            String after = random.nextBoolean() ? "" : "listed/" + parts.get(random.nextInt(parts.size()))
                    + (random.nextBoolean() ? "/" + parts.get(random.nextInt(parts.size())) : "");
            int page = 1 + random.nextInt(20);
            assertThat(listed(prefix, delimiter, after, page)).as("prefix %s delimiter %s after %s page %d", prefix,
                    delimiter, after, page).isEqualTo(expected(model, prefix, delimiter, after));
        }
    }

    private List<String> listed(String prefix, String delimiter, String after, int page) {
        var all = new ArrayList<String>();
        for (var each : client.listObjectsV2Paginator(request -> request.bucket("data").prefix(prefix).delimiter(
                delimiter.isEmpty() ? null : delimiter).startAfter(after.isEmpty() ? null : after).maxKeys(page))) {
            var one = new ArrayList<String>();
            each.contents().stream().map(S3Object::key).forEach(one::add);
            each.commonPrefixes().forEach(shared -> one.add(shared.prefix()));
            assertThat(one.size()).isLessThanOrEqualTo(page);
            one.sort((a, b) -> KeyOrder.of(a).compareTo(KeyOrder.of(b)));
            all.addAll(one);
        }
        return all;
    }

    private static List<String> expected(TreeSet<String> model, String prefix, String delimiter, String after) {
        var keys = new ArrayList<String>();
        for (String key : model) {
            if (key.startsWith(prefix) && KeyOrder.of(key).compareTo(KeyOrder.of(after)) > 0) {
                int end = delimiter.isEmpty() ? -1 : key.indexOf(delimiter, prefix.length());
                String shown = end < 0 ? key : key.substring(0, end + delimiter.length());
                boolean passed = end >= 0 && after.startsWith(shown);
                if (!passed && (keys.isEmpty() || !keys.getLast().equals(shown))) {
                    keys.add(shown);
                }
            }
        }
        return keys;
    }

    /** More keys than a page of S3, than a page of a directory, and than one request may delete. */
    @Test
    void manyKeysAreListedByPages() throws IOException {
        try (var volume = volumes.open("other", Access.WRITE, "test")) {
            long many = volume.vfs().makeDirectory(Vfs.ROOT, Name.of("many"), 0755, Owner.ROOT).ino();
            for (int i = 0; i < 1100; i++) {
                volume.vfs().makeNode(many, Name.of("%05d".formatted(i)), FileKind.REGULAR, 0644, Owner.ROOT, 0);
            }
        }
        var first = client.listObjectsV2(request -> request.bucket("other").prefix("many/"));
        assertThat(first.contents()).hasSize(1000);
        assertThat(first.isTruncated()).isTrue();
        var second = client.listObjectsV2(request -> request.bucket("other").prefix("many/")
                .continuationToken(first.nextContinuationToken()));
        assertThat(second.contents()).hasSize(100);
        assertThat(second.contents().getLast().key()).isEqualTo("many/01099");
        var all = first.contents().stream().map(each -> ObjectIdentifier.builder().key(each.key()).build()).toList();
        var more = new ArrayList<>(all);
        more.add(ObjectIdentifier.builder().key("many/01050").build());
        assertRefused(() -> client.deleteObjects(request -> request.bucket("other").delete(
                delete -> delete.objects(more))), 400, "MalformedXML");
        assertThat(client.deleteObjects(request -> request.bucket("other").delete(delete -> delete.objects(all)))
                .deleted()).hasSize(1000);
        assertThat(client.listObjectsV2(request -> request.bucket("other").prefix("many/")).contents()).hasSize(100);
    }

    @Test
    void moreThanTheGatewayTakesIsRefused() {
        assertRefused(() -> client.putObject(request -> request.bucket("data").key("x").metadata(
                Map.of("long", "x".repeat(9000))), RequestBody.fromBytes(new byte[1])), 400, "MetadataTooLarge");
        String id = client.createMultipartUpload(request -> request.bucket("data").key("parts")).uploadId();
        assertRefused(() -> client.uploadPart(request -> request.bucket("data").key("parts").uploadId(id)
                .partNumber(10_001), RequestBody.fromBytes(new byte[1])), 400, "InvalidArgument");
        client.abortMultipartUpload(request -> request.bucket("data").key("parts").uploadId(id));
    }

    /** More parts than a page of a directory. */
    @Test
    void anUploadOfManyParts() throws IOException {
        try (var volume = volumes.open("other", Access.WRITE, "test")) {
            var bucket = new Bucket("other", volume, Owner.ROOT);
            var uploads = new MultipartUploads(bucket);
            var key = ObjectKey.of("of/parts");
            var upload = uploads.find(uploads.begin(key, Map.of(), Instant.now()), key);
            var named = new ArrayList<MultipartUploads.Named>();
            for (int number = 1; number <= 1010; number++) {
                byte[] own = {(byte) number};
                named.add(new MultipartUploads.Named(number, uploads.put(upload, number, file -> {
                    file.write(0, ByteBuffer.wrap(own));
                    return SigningDigests.hex(SigningDigests.of("MD5").digest(own));
                })));
            }
            assertThat(uploads.complete(upload, named, false).tag()).endsWith("-1010");
            assertThat(uploads.list()).isEmpty();
        }
        byte[] whole = get("other", "of/parts");
        assertThat(whole).hasSize(1010);
        assertThat(whole[1009]).isEqualTo((byte) 1010);
    }

    @Test
    void partsBecomeOneObjectWithoutCopyingThem() throws IOException {
        byte[][] parts = {bytes(1, 300_000), bytes(2, 131_072), bytes(3, 7)};
        String id = client.createMultipartUpload(request -> request.bucket("data").key("mp/whole").metadata(
                Map.of("of", "parts"))).uploadId();
        var done = new ArrayList<CompletedPart>();
        for (int i = 0; i < parts.length; i++) {
            int number = i * 3 + 1;
            byte[] part = parts[i];
            String tag = client.uploadPart(request -> request.bucket("data").key("mp/whole").uploadId(id)
                    .partNumber(number), RequestBody.fromBytes(part)).eTag();
            done.add(CompletedPart.builder().partNumber(number).eTag(tag).build());
        }
        assertThat(client.listParts(request -> request.bucket("data").key("mp/whole").uploadId(id)).parts())
                .hasSize(3);
        assertThat(client.listObjectsV2(request -> request.bucket("data").prefix("mp/")).contents()).isEmpty();
        var wrong = List.of(done.get(1), done.get(0));
        assertRefused(() -> client.completeMultipartUpload(request -> request.bucket("data").key("mp/whole")
                .uploadId(id).multipartUpload(upload -> upload.parts(wrong))), 400, "InvalidPartOrder");
        var whole = client.completeMultipartUpload(request -> request.bucket("data").key("mp/whole").uploadId(id)
                .multipartUpload(upload -> upload.parts(done)));
        assertThat(whole.eTag()).endsWith("-3\"");
        var joined = ByteBuffer.allocate(431_079).put(parts[0]).put(parts[1]).put(parts[2]).array();
        assertThat(get("data", "mp/whole")).isEqualTo(joined);
        assertThat(client.headObject(request -> request.bucket("data").key("mp/whole")).metadata())
                .containsEntry("of", "parts");
        assertThat(client.listMultipartUploads(request -> request.bucket("data")).uploads()).isEmpty();
        assertRefused(() -> client.abortMultipartUpload(request -> request.bucket("data").key("mp/whole")
                .uploadId(id)), 404, "NoSuchUpload");
    }

    @Test
    void copiesAreThoseOfTheirSource() {
        byte[] content = bytes(9, 200_001);
        put("copy/source", content);
        client.copyObject(request -> request.sourceBucket("data").sourceKey("copy/source").destinationBucket("data")
                .destinationKey("copy/same"));
        client.copyObject(request -> request.sourceBucket("data").sourceKey("copy/source").destinationBucket("other")
                .destinationKey("copy/across"));
        assertThat(get("data", "copy/same")).isEqualTo(content);
        assertThat(get("other", "copy/across")).isEqualTo(content);
        String id = client.createMultipartUpload(request -> request.bucket("other").key("copy/part")).uploadId();
        var part = client.uploadPartCopy(request -> request.sourceBucket("data").sourceKey("copy/source")
                .copySourceRange("bytes=100000-199999").destinationBucket("other").destinationKey("copy/part")
                .uploadId(id).partNumber(1)).copyPartResult();
        client.completeMultipartUpload(request -> request.bucket("other").key("copy/part").uploadId(id)
                .multipartUpload(upload -> upload.parts(List.of(CompletedPart.builder().partNumber(1)
                        .eTag(part.eTag()).build()))));
        assertThat(get("other", "copy/part")).isEqualTo(java.util.Arrays.copyOfRange(content, 100_000, 200_000));
    }

    @Test
    void deletedObjectsTakeTheDirectoriesThatWereMadeForThem() throws IOException {
        put("gone/deep/er/x", new byte[1]);
        put("gone/y", new byte[1]);
        put("kept/", new byte[0]);
        put("kept/in/z", new byte[1]);
        var many = List.of("gone/deep/er/x", "kept/in/z", "never/there").stream()
                .map(key -> ObjectIdentifier.builder().key(key).build()).toList();
        assertThat(client.deleteObjects(request -> request.bucket("data").delete(all -> all.objects(many))).deleted())
                .hasSize(3);
        try (var volume = volumes.open("data", Access.READ, "test")) {
            assertThat(names(volume.vfs(), volume.paths().resolve("/gone").ino())).containsExactly("y");
            assertThat(names(volume.vfs(), volume.paths().resolve("/kept").ino())).isEmpty();
        }
        assertThat(listed("kept", "", "", 10)).containsExactly("kept/");
        client.deleteObject(request -> request.bucket("data").key("kept/"));
        assertThat(listed("kept", "", "", 10)).isEmpty();
    }

    private static List<String> names(Vfs vfs, long directory) throws IOException {
        return vfs.list(directory, null, 100).stream().map(entry -> entry.name().toString()).toList();
    }

    @Test
    void aKeyOpensWhatItSays() throws IOException {
        put("train/x", new byte[1]);
        put("eval/x", new byte[1]);
        try (var narrow = client(keys.create(List.of("data"), "train/", true, Instant.now(), Optional.empty()))) {
            assertThat(narrow.getObjectAsBytes(request -> request.bucket("data").key("train/x")).asByteArray())
                    .hasSize(1);
            assertThat(narrow.listBuckets().buckets()).hasSize(1);
            assertRefused(() -> narrow.getObjectAsBytes(request -> request.bucket("data").key("eval/x")), 403,
                    "AccessDenied");
            assertRefused(() -> narrow.listObjectsV2(request -> request.bucket("data")), 403, "AccessDenied");
            assertRefused(() -> narrow.putObject(request -> request.bucket("data").key("train/y"), RequestBody
                    .fromBytes(new byte[1])), 403, "AccessDenied");
            assertRefused(() -> narrow.getObjectAsBytes(request -> request.bucket("other").key("train/x")), 404,
                    "NoSuchBucket");
        }
        var short_ = keys.create(List.of(), "", false, Instant.now().minusSeconds(10),
                Optional.of(Instant.now().minusSeconds(5)));
        try (var expired = client(short_)) {
            assertRefused(expired::listBuckets, 403, "AccessDenied");
        }
        var revoked = keys.create(List.of(), "", false, Instant.now(), Optional.empty());
        try (var gone = client(revoked)) {
            assertThat(gone.listBuckets().buckets()).hasSize(2);
            assertThat(keys.revoke(revoked.id())).isTrue();
            assertRefused(gone::listBuckets, 403, "InvalidAccessKeyId");
        }
        assertThat(Files.getPosixFilePermissions(directory.resolve("gateway/keys.json"))).hasSize(2);
    }

    @Test
    void aSnapshotIsABucketThatStays() throws IOException {
        put("snap/x", "old".getBytes(StandardCharsets.UTF_8));
        volumes.snapshots().create("data", "v1", "");
        put("snap/x", "new".getBytes(StandardCharsets.UTF_8));
        assertThat(get("data@v1", "snap/x")).asString(StandardCharsets.UTF_8).isEqualTo("old");
        assertThat(get("data", "snap/x")).asString(StandardCharsets.UTF_8).isEqualTo("new");
        assertRefused(() -> client.putObject(request -> request.bucket("data@v1").key("snap/x"), RequestBody.fromBytes(
                new byte[1])), 403, "AccessDenied");
        assertRefused(() -> get("data@never", "snap/x"), 404, "NoSuchBucket");
        for (int i = 2; i <= 11; i++) {   // more than stay open
            volumes.snapshots().create("data", "v" + i, "");
            assertThat(get("data@v" + i, "snap/x")).asString(StandardCharsets.UTF_8).isEqualTo("new");
        }
        assertThat(get("data@v1", "snap/x")).asString(StandardCharsets.UTF_8).isEqualTo("old");
    }

    /** A client that leaves in the middle, or whose body is another than it signed, changes nothing. */
    @Test
    void halfAPutIsNone() throws Exception {
        put("half/x", "before".getBytes(StandardCharsets.UTF_8));
        long puts = gateway.counts().calls().getOrDefault("PutObject", 0L);
        byte[] signed = rawPut("half/x", 100_000);
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), gateway.address().getPort())) {
            socket.getOutputStream().write(signed);
            socket.getOutputStream().write(bytes(1, 50_000));
            socket.getOutputStream().flush();
            volsh.hang.Eventually.holds("the put has begun",
                    () -> gateway.counts().calls().getOrDefault("PutObject", 0L) > puts);
        }
        volsh.hang.Eventually.holds("it has ended", () -> gateway.counts().active() == 0);
        assertThat(get("data", "half/x")).asString(StandardCharsets.UTF_8).isEqualTo("before");
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), gateway.address().getPort())) {
            socket.getOutputStream().write(signed);
            socket.getOutputStream().write(bytes(1, 100_000));
            socket.getOutputStream().flush();
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .contains("400", "XAmzContentSHA256Mismatch");
        }
        assertThat(get("data", "half/x")).asString(StandardCharsets.UTF_8).isEqualTo("before");
    }

    /** The head of a put whose signed digest is that of zeros. */
    private byte[] rawPut(String key, int length) throws IOException {
        return SignedRequests.with(keys, gateway).head("PUT", key, new byte[length], "Connection: close\r\n");
    }

    /** Garbage of every kind is refused, and the gateway goes on. */
    @Test
    void malformedRequestsAreRefused() throws Exception {
        long seed = Long.getLong("volsh.seed", System.nanoTime());
        System.out.println("seed " + seed);
        var random = new Random(seed);
        var good = new String(rawPut("garbage/x", 10), StandardCharsets.US_ASCII);
        var logged = new AtomicInteger();
        var handler = new CountingHandler(logged);
        Logger.getLogger("volsh.gateway").addHandler(handler);
        for (int i = 0; i < (LONG ? 10_000 : 200); i++) {
            var text = new StringBuilder(good);
            for (int change = 1 + random.nextInt(4); change > 0; change--) {
                text.setCharAt(random.nextInt(text.length()), (char) (random.nextBoolean() ? random.nextInt(256)
                        : "\r\n:/%?&= "
                                .charAt(random.nextInt(9))));
            }
            try (var socket = new Socket(InetAddress.getLoopbackAddress(), gateway.address().getPort())) {
                socket.setSoTimeout(5000);
                socket.getOutputStream().write((random.nextInt(3) == 0 ? text.substring(0, random.nextInt(text
                        .length())) : text.toString()).getBytes(StandardCharsets.ISO_8859_1));
                socket.shutdownOutput();
                String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
                assertThat(answer).doesNotStartWith("HTTP/1.1 2").doesNotStartWith("HTTP/1.1 500");
            } catch (IOException brokenOff) {
                continue;
            }
        }
        Logger.getLogger("volsh.gateway").removeHandler(handler);
        assertThat(logged).as("a line in the log a minute at most").hasValueLessThan(10);
        put("garbage/after", new byte[3]);
        assertThat(get("data", "garbage/after")).hasSize(3);
        assertThat(listed("garbage/", "", "", 10)).containsExactly("garbage/after");
    }

    /** A gateway is a server like others: a volume of another home lives in it, and only one host can write there. */
    @Test
    void anotherVolumeLivesInAGateway() throws IOException {
        var key = keys.create(List.of("other"), "inner/", false, Instant.now(), Optional.empty());
        System.setProperty("aws.accessKeyId", key.id());
        System.setProperty("aws.secretAccessKey", key.secret());
        try {
            var url = StoreUrl.of("s3://other/inner?region=us-east-1&endpoint=http://127.0.0.1:"
                    + gateway.address().getPort());
            var home = Home.of(Map.of("VOLSH_HOME", directory.resolve("home2").toString()), false);
            var outer = new Volumes(home, InstantSource.system(), Owner.ROOT);
            assertThat(outer.stores().abilities(url, EnumSet.allOf(Ability.Kind.class))).extracting(Ability::answer)
                    .containsExactly(Answer.YES, Answer.YES, Answer.YES, Answer.YES, Answer.YES, Answer.NO);
            outer.stores().add("gate", url);
            outer.create(VolumeDraft.named("nested").withBlockSize(ByteSize.of("64KiB")).withStore("gate"));
            byte[] content = bytes(7, 400_000);
            try (var volume = outer.open("nested", Access.WRITE, "test")) {
                try (var file = volume.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT)) {
                    file.write(0, ByteBuffer.wrap(content));
                    file.fsync();
                }
            }
            var read = ByteBuffer.allocate(content.length);
            try (var volume = outer.open("nested", Access.READ, "test");
                    var file = volume.vfs().open(volume.paths().resolve("/f").ino())) {
                file.read(0, read);
            }
            assertThat(read.array()).isEqualTo(content);
            assertThat(client.listObjectsV2(request -> request.bucket("other").prefix("inner/")).contents())
                    .extracting(S3Object::key).anyMatch(each -> each.contains("/meta/log/"));
        } finally {
            System.clearProperty("aws.accessKeyId");
            System.clearProperty("aws.secretAccessKey");
        }
    }

    /** A damaged object is an error before a byte of it is sent, and never a short answer that looks whole. */
    @Test
    void damageIsAnError() throws IOException {
        volumes.create(VolumeDraft.named("broken").withBlockSize(ByteSize.of("64KiB")).withStore("s1"));
        try (var own = new Gateway(volumes, keys, new GatewaySettings(List.of("broken"), false, "", 0, Owner.ROOT),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Optional.empty(), InstantSource.system());
                var reader = client(own)) {
            own.start();
            reader.putObject(request -> request.bucket("broken").key("x"), RequestBody.fromBytes(bytes(3, 500_000)));
            var objects = new ArrayList<Path>();
            try (var files = Files.walk(directory.resolve("s1"))) {
                files.filter(Files::isRegularFile).filter(file -> file.toString().contains(prefixOf("broken")))
                        .filter(file -> size(file) > 50_000).forEach(objects::add);
            }
            assertThat(objects).isNotEmpty();
            Collections.sort(objects);
            for (var object : objects) {
                byte[] stored = Files.readAllBytes(object);
                stored[stored.length / 2] ^= 1;
                Files.write(object, stored);
            }
            assertRefused(() -> reader.getObjectAsBytes(request -> request.bucket("broken").key("x")), 500,
                    "InternalError");
        }
    }

    /** A store that is away is worth another try, for reads and writes; nothing is lost when it is back. */
    @Test
    void aMissingStoreIsTold() throws IOException {
        volumes.stores().add("s2", StoreUrl.of("file://" + directory.resolve("s2")));
        volumes.create(VolumeDraft.named("distant").withBlockSize(ByteSize.of("64KiB")).withStore("s2"));
        try (var own = new Gateway(volumes, keys, new GatewaySettings(List.of("distant"), false, "", 0, Owner.ROOT),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Optional.empty(), InstantSource.system());
                var user = client(own)) {
            own.start();
            user.putObject(request -> request.bucket("distant").key("x"), RequestBody.fromBytes(bytes(4, 200_000)));
            Files.move(directory.resolve("s2"), directory.resolve("away"));
            assertRefused(() -> user.getObjectAsBytes(request -> request.bucket("distant").key("x")), 503,
                    "ServiceUnavailable");
            assertRefused(() -> user.putObject(request -> request.bucket("distant").key("y"), RequestBody.fromBytes(
                    bytes(5, 200_000))), 503, "ServiceUnavailable");
            Files.move(directory.resolve("away"), directory.resolve("s2"));
            assertThat(user.getObjectAsBytes(request -> request.bucket("distant").key("x")).asByteArray())
                    .isEqualTo(bytes(4, 200_000));
            assertRefused(() -> user.getObjectAsBytes(request -> request.bucket("distant").key("y")), 404,
                    "NoSuchKey");
        }
    }

    private S3Client client(Gateway own) throws IOException {
        return S3Client.builder().httpClient(Apache5HttpClient.create()).forcePathStyle(true).region(Region.US_EAST_1)
                .endpointOverride(URI.create("http://127.0.0.1:" + own.address().getPort()))
                .overrideConfiguration(configuration -> configuration.retryStrategy(
                        strategy -> strategy.maxAttempts(1)))
                .credentialsProvider(credentials()).build();
    }

    private StaticCredentialsProvider credentials() throws IOException {
        var key = keys.create(List.of(), "", false, Instant.now(), Optional.empty());
        return StaticCredentialsProvider.create(AwsBasicCredentials.create(key.id(), key.secret()));
    }

    private String prefixOf(String name) {
        try {
            return volumes.find(name).prefix();
        } catch (IOException missing) {
            throw new java.io.UncheckedIOException(missing);
        }
    }

    private static long size(Path file) {
        return file.toFile().length();
    }

    /** Counts what is logged. */
    private static final class CountingHandler extends Handler {
        private final AtomicInteger count;

        CountingHandler(AtomicInteger count) {
            this.count = count;
        }

        @Override
        public void publish(LogRecord each) {
            count.incrementAndGet();
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
