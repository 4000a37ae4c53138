package volsh.block.s3;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;
import volsh.block.Abort;
import volsh.block.Ability;
import volsh.block.AbortableGets;
import volsh.block.BlockKey;
import volsh.block.NoSuchBlockException;
import volsh.block.Pause;
import volsh.block.PutsOnce;
import volsh.block.S3Options;
import volsh.block.StoreUrl;
import volsh.block.UnfinishedPut;

/**
 * Keeps each block as an object of a bucket.
 *
 * <p>One call is one attempt: put {@link volsh.block.Retrying} over it. Every put carries a CRC32C that the server
 * verifies; a get returns exactly the requested range, but its bytes are verified by their frames, above. A block
 * counts as absent only if the server says so twice, in two kinds of requests. Whatever the SDK throws, also for
 * garbage responses, is a failure of the store.
 */
public final class S3BlockStore implements AbortableGets, PutsOnce {
    private static final int NOT_ALLOWED = 405;
    private static final int NOT_IMPLEMENTED = 501;
    private static final int DELETE_MAX = 1000;
    /** How long a writer waits for others before it looks who has won; see {@link #putAndLook}. */
    static final Duration SETTLE = Duration.ofSeconds(1);

    private final BucketPrefix place;
    private final Sdk sdk;
    private final WireRequests requests;
    private final S3Failures failures;
    private final long multipartBytes;
    private final S3Options options;

    S3BlockStore(StoreUrl url, Map<String, String> environment, long multipartBytes) throws IOException {
        this.place = BucketPrefix.of(url);
        this.failures = new S3Failures(place);
        this.multipartBytes = multipartBytes;
        this.options = url.s3Options();
        var endpoint = Endpoint.of(place, options, environment);
        var trusted = TrustedCertificates.of(environment);
        var proxy = HttpProxy.to(endpoint.server(), environment);
        this.requests = new WireRequests(endpoint, place, options, trusted, proxy);
        this.sdk = new Sdk(options, endpoint.region(), trusted, proxy);
    }

    /** Opens the store of an {@code s3://} URL. Sends no request yet. */
    public static S3BlockStore open(StoreUrl url) throws IOException {
        return open(url, Upload.MULTIPART_BYTES);
    }

    /** Certificates and proxies are taken from {@code environment}. */
    static S3BlockStore open(StoreUrl url, Map<String, String> environment) throws IOException {
        return new S3BlockStore(url, environment, Upload.MULTIPART_BYTES);
    }

    /** Blocks above {@code multipartBytes} are sent in parts of at most that size. */
    static S3BlockStore open(StoreUrl url, long multipartBytes) throws IOException {
        return new S3BlockStore(url, System.getenv(), multipartBytes);
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        return get(key, offset, target, new Abort());
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target, Abort abort) throws IOException {
        if (offset < 0) {
            throw new IllegalArgumentException("negative offset: " + offset);
        }
        if (!target.hasRemaining()) {
            requirePresent(key);
            return 0;
        }
        try {
            return read(key, offset, target, abort);
        } catch (NoSuchBlockException once) {
            requirePresent(key);
            return readAgain(key, offset, target, abort);
        }
    }

    private int readAgain(BlockKey key, long offset, ByteBuffer target, Abort abort) throws IOException {
        try {
            return read(key, offset, target, abort);
        } catch (NoSuchBlockException twice) {
            throw new IOException("%s: inconsistent answers: HEAD finds %s, but GET returns 404"
                    .formatted(place.name(), key), twice);
        }
    }

    private int read(BlockKey key, long offset, ByteBuffer target, Abort abort) throws IOException {
        try {
            return requests.get(place.object(key), offset, target, abort);
        } catch (IOException | RuntimeException failed) {
            if (failed instanceof S3Exception answer && answer.statusCode() == 416) {
                return 0;
            }
            throw failures.of("get", key, failed);
        }
    }

    private void requirePresent(BlockKey key) throws IOException {
        try {
            requests.head(place.object(key));
        } catch (IOException | RuntimeException failed) {
            throw failures.of("look for", key, failed);
        }
    }

    @Override
    public void put(BlockKey key, ByteBuffer data) throws IOException {
        try {
            if (data.remaining() > multipartBytes) {
                new Upload(sdk.client(), requests, place, multipartBytes,
                        options.checksum() == S3Options.Checksum.CRC32C).put(place.object(key), data);
            } else {
                requests.put(place.object(key), data);
            }
        } catch (IOException | RuntimeException failed) {
            throw failures.of("put", key.text(), failed);
        }
    }

    @Override
    public boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException {
        return options.conditionalPut() ? putWhereNothingIs(key, data) || holds(key, data) : putAndLook(key, data);
    }

    /**
     * For servers without conditional puts: if nothing is there, puts, waits, and looks whose bytes are there. Of
     * several writers that do so, the last to put wins, and the others find that, unless more than {@link #SETTLE} lies
     * between a writer's look and its put.
     */
    private boolean putAndLook(BlockKey key, ByteBuffer data) throws IOException {
        try {
            requirePresent(key);
        } catch (NoSuchBlockException free) {
            put(key, data);
            Pause.REAL.sleep(SETTLE);
        }
        return holds(key, data);
    }

    /**
     * Finds out what the server can do, with two small objects below {@code prefix}, which are removed.
     *
     * @throws IOException if the server does not answer, or refuses whatever it is asked
     */
    public List<Ability> abilities(String prefix, Set<Ability.Kind> kinds) throws IOException {
        try {
            requests.requireServer();
            return new ServerAbilities(place, sdk, requests, options).ask(prefix, kinds);
        } catch (IOException | RuntimeException failed) {
            throw failures.of("put", prefix + "/object-0", failed);
        }
    }

    private boolean putWhereNothingIs(BlockKey key, ByteBuffer data) throws IOException {
        try {
            return requests.putIfAbsent(place.object(key), data);
        } catch (IOException | RuntimeException failed) {
            throw failures.of("put", key.text(), failed);
        }
    }

    /** Differing bytes count only if they are read twice: a flipped bit would make our own object look different. */
    private boolean holds(BlockKey key, ByteBuffer data) throws IOException {
        try {
            var found = content(key, data.remaining());
            if (found.equals(data)) {
                return true;
            }
            if (found.equals(content(key, data.remaining()))) {
                return false;
            }
        } catch (NoSuchBlockException gone) {
            // it is being removed
        }
        throw new IOException("%s: inconsistent answers: two reads of %s differ".formatted(place.name(), key));
    }

    private ByteBuffer content(BlockKey key, int length) throws IOException {
        var found = ByteBuffer.allocate(length + 1);
        get(key, 0, found);
        return found.flip();
    }

    @Override
    public void delete(BlockKey key) throws IOException {
        try {
            requests.delete(place.object(key));
        } catch (IOException | RuntimeException failed) {
            IOException failure = failures.of("delete", key, failed);
            if (!(failure instanceof NoSuchBlockException)) {
                throw failure;
            }
        }
    }

    @Override
    public void deleteAll(List<BlockKey> keys) throws IOException {
        for (int from = 0; from < keys.size(); from += DELETE_MAX) {
            deleteTogether(keys.subList(from, Math.min(from + DELETE_MAX, keys.size())));
        }
    }

    private void deleteTogether(List<BlockKey> keys) throws IOException {
        var objects = keys.stream().map(key -> ObjectIdentifier.builder().key(place.object(key)).build()).toList();
        try {
            var answer = sdk.client().deleteObjects(request -> request.bucket(place.bucket())
                    .delete(all -> all.objects(objects)));
            var left = answer.errors().stream().filter(each -> !"NoSuchKey".equals(each.code())).toList();
            if (answer.deleted().size() + answer.errors().size() - left.size() < objects.size()) {
                throw new IOException(
                        "%s: deleting %d blocks failed for some of them%s".formatted(place.name(), keys.size(),
                        left.isEmpty() ? "" : ": %s %s".formatted(left.getFirst().key(), left.getFirst().code())));
            }
        } catch (S3Exception without) {
            if (without.statusCode() != NOT_IMPLEMENTED && without.statusCode() != NOT_ALLOWED) {
                throw failures.of("delete", keys.size() + " blocks", without);
            }
            for (var key : keys) {   // the server does not support bulk deletion
                delete(key);
            }
        } catch (RuntimeException failed) {
            throw failures.of("delete", keys.size() + " blocks", failed);
        }
    }

    /** Requests the listing page by page, the first page at once. */
    @Override
    public Stream<Listed> list(String prefix) throws IOException {
        var first = page(prefix, null);
        return Stream.iterate(Optional.of(first), Optional::isPresent, page -> next(prefix, page.get()))
                .flatMap(page -> page.get().contents().stream())
                .flatMap(object -> listed(object).stream());
    }

    private Optional<ListObjectsV2Response> next(String prefix, ListObjectsV2Response page) {
        if (!page.isTruncated()) {
            return Optional.empty();
        }
        try {
            return Optional.of(page(prefix, page.nextContinuationToken()));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private ListObjectsV2Response page(String prefix, @Nullable String token) throws IOException {
        var request = ListObjectsV2Request.builder()
                .bucket(place.bucket()).prefix(place.prefix() + prefix).continuationToken(token).build();
        ListObjectsV2Response page;
        try {
            page = sdk.client().listObjectsV2(request);
        } catch (RuntimeException failed) {
            throw failures.of("list", place.prefix() + prefix, failed);
        }
        if (page.isTruncated() == null) {       // a truncated response looks like an empty listing
            throw new IOException("%s: listing failed: truncated response".formatted(place.name()));
        }
        return page;
    }

    private Optional<Listed> listed(S3Object object) {
        return place.key(object.key()).map(key -> new Listed(key, object.size(), object.lastModified()));
    }

    @Override
    public List<UnfinishedPut> unfinished(String prefix) throws IOException {
        try {
            return new UnfinishedUploads(sdk.client(), place).list(prefix);
        } catch (RuntimeException failed) {
            throw failures.of("list uploads to", place.prefix() + prefix, failed);
        }
    }

    @Override
    public void discard(UnfinishedPut left) throws IOException {
        try {
            new UnfinishedUploads(sdk.client(), place).abort(left);
        } catch (S3Exception failed) {
            throw failures.of("abort the upload of", left.name(), failed);
        }
    }

    @Override
    public void close() {
        requests.close();
        sdk.close();
    }
}
