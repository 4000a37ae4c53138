package volsh.block.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.block.BlockStoreContract.bytes;
import static volsh.block.BlockStoreContract.key;
import static volsh.block.BlockStoreContract.list;
import static volsh.block.BlockStoreContract.read;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.S3Client;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.BlockStoreContract;
import volsh.block.Prefixed;
import volsh.block.RefusedException;
import volsh.block.StoreUrl;
import volsh.block.UnfinishedPut;
import volsh.s3test.S3Server;

/** The contract, and what only S3 has, on a real S3 server. */
@Tag("volume")
final class S3BlockStoreTest implements BlockStoreContract {
    static StoreUrl url(S3Server server, String bucket) {
        return StoreUrl.of("s3://%s/some/Prefix?endpoint=%s&anonymous=true".formatted(bucket, server.endpoint()));
    }

    /** The SDK's client for what stores do not do. */
    static S3Client client(StoreUrl url, Map<String, String> environment) throws IOException {
        return Connection.open(url.s3Options(), "us-east-1", TrustedCertificates.of(environment), Optional.empty());
    }

    @Override
    public S3BlockStore open() throws IOException {
        var server = S3Server.shared();
        return S3BlockStore.open(url(server, server.newBucket()));
    }

    @Test
    void aListingOfManyPagesIsWholeAndInOrder() throws IOException {
        try (var store = open()) {
            var keys = IntStream.range(0, 1_050).mapToObj(i -> new BlockKey("pages/k%04d".formatted(i))).toList();
            keys.parallelStream().forEach(key -> putOrFail(store, key));
            assertThat(list(store, "pages/")).extracting(BlockStore.Listed::key).containsExactlyElementsOf(keys);
            store.deleteAll(keys);
            assertThat(list(store, "")).isEmpty();
            store.deleteAll(keys);
        }
    }

    private static void putOrFail(BlockStore store, BlockKey key) {
        try {
            store.put(key, bytes("x"));
        } catch (IOException failed) {
            throw new java.io.UncheckedIOException(failed);
        }
    }

    @Test
    void ofManyWhoPutOneWins() throws IOException {
        try (var store = open()) {
            assertThat(store.putIfAbsent(key("epoch"), bytes("mine"))).isTrue();
            assertThat(store.putIfAbsent(key("epoch"), bytes("yours"))).isFalse();
            assertThat(store.putIfAbsent(key("epoch"), bytes("min"))).isFalse();
            assertThat(store.putIfAbsent(key("epoch"), bytes("mine"))).as("said again").isTrue();
            assertThat(read(store, key("epoch"), 0, 99)).isEqualTo("mine");
        }
    }

    /**
     * What a process leaves that is killed in the middle of an upload in parts; those of others in the same bucket are
     * none of ours.
     */
    @Test
    void uploadsThatWereCutOffAreFoundAndAborted() throws IOException {
        var server = S3Server.shared();
        var url = url(server, server.newBucket());
        var place = BucketPrefix.of(url);
        try (var store = S3BlockStore.open(url); var client = client(url, Map.of())) {
            for (var key : List.of(place.prefix() + "vol/blocks/00/large", place.prefix() + "other/blocks/00/large",
                    "elsewhere/large")) {
                client.createMultipartUpload(request -> request.bucket(place.bucket()).key(key));
            }
            var mine = new Prefixed(store, "vol");
            var found = mine.unfinished("");
            assertThat(found).extracting(UnfinishedPut::writer).containsExactly(UnfinishedPut.Writer.UNKNOWN);
            assertThat(found.getFirst().name()).startsWith("blocks/00/large");
            assertThat(found.getFirst().isAbandoned(found.getFirst().since().plusSeconds(60), Duration.ZERO))
                    .as("it may be under way").isFalse();
            assertThat(found.getFirst().isAbandoned(found.getFirst().since().plus(Duration.ofHours(2)), Duration.ZERO))
                    .isTrue();
            mine.discard(found.getFirst());
            mine.discard(found.getFirst());
            assertThat(mine.unfinished("")).isEmpty();
            assertThat(store.unfinished("")).extracting(UnfinishedPut::name).singleElement().asString()
                    .startsWith("other/");
        }
    }

    @Test
    void largeBlocksGoInParts() throws IOException {
        var server = S3Server.shared();
        try (var store = S3BlockStore.open(url(server, server.newBucket()), 5 << 20)) {
            var large = new byte[12_345_678];
            new SplittableRandom(1).nextBytes(large);
            store.put(key("large"), ByteBuffer.wrap(large));
            var back = ByteBuffer.allocate(large.length + 1);
            assertThat(store.get(key("large"), 0, back)).isEqualTo(large.length);
            assertThat(back.flip()).isEqualTo(ByteBuffer.wrap(large));
            assertThat(list(store, "")).extracting(BlockStore.Listed::size).containsExactly((long) large.length);
        }
    }

    @Test
    void whatIsNotOursIsNotListed() throws IOException {
        var server = S3Server.shared();
        var bucket = server.newBucket();
        try (var store = S3BlockStore.open(url(server, bucket));
                var whole = S3BlockStore.open(StoreUrl.of("s3://%s/some?endpoint=%s&anonymous=true"
                        .formatted(bucket, server.endpoint())))) {
            store.put(key("ours"), bytes("x"));
            whole.put(key("theirs"), bytes("x"));
            assertThat(list(store, "")).extracting(each -> each.key().text()).containsExactly("ours");
            assertThat(list(whole, "")).as("Prefix/ours is no key").extracting(each -> each.key().text())
                    .containsExactly("theirs");
        }
    }

    @Test
    void aMissingBucketIsNamed() throws IOException {
        try (var store = S3BlockStore.open(url(S3Server.shared(), "no-such-bucket"))) {
            for (var call : List.<org.assertj.core.api.ThrowableAssert.ThrowingCallable>of(
                    () -> store.put(key("a"), bytes("x")),
                    () -> store.get(key("a"), 0, ByteBuffer.allocate(1)),
                    () -> store.list(""))) {
                assertThatThrownBy(call).isInstanceOf(RefusedException.class).hasMessageContaining("no-such-bucket");
            }
        }
    }
}
