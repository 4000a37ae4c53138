package volsh.block.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.model.S3Exception;
import volsh.block.S3Options;
import volsh.block.StoreUrl;
import volsh.object.ObjectChangedException;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectInfo;
import volsh.object.ObjectPage;
import volsh.object.ObjectQuery;
import volsh.object.ObjectSink;
import volsh.object.ObjectStore;
import volsh.object.ObjectUpload;
import volsh.object.PutCondition;
import volsh.object.UnfinishedUpload;

/**
 * A bucket, or what is below a prefix of it, over our own HTTP client: the SDK's client, whose construction costs a
 * second of CPU, is never built. One call is one attempt.
 *
 * <p>Every put carries a CRC32C that the server verifies. A get that expects a state sends If-Match and compares the
 * ETag of the response, too, as some servers ignore conditions; it returns exactly the requested range, or fails.
 */
public final class S3Objects implements ObjectStore {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();
    private static final Set<Integer> WITHOUT_A_REASON = Set.of(301, 400, 403);
    private static final int RANGE_NOT_SATISFIABLE = 416;

    private final BucketPrefix place;
    private final WireRequests requests;
    private final ObjectFailures failures;
    private final BucketRequests bucket;
    private final S3Options.Checksum checksum;

    private S3Objects(StoreUrl url, Map<String, String> environment) throws IOException {
        this.place = BucketPrefix.of(url);
        this.failures = new ObjectFailures(place);
        var options = url.s3Options();
        var endpoint = Endpoint.of(place, options, environment);
        this.requests = new WireRequests(endpoint, place, options, TrustedCertificates.of(environment),
                HttpProxy.to(endpoint.server(), environment));
        this.checksum = options.checksum();
        this.bucket = new BucketRequests(requests, place, checksum == S3Options.Checksum.CRC32C);
    }

    /** Opens the bucket of an {@code s3://} URL. Sends no request yet. */
    public static S3Objects open(StoreUrl url) throws IOException {
        return new S3Objects(url, System.getenv());
    }

    private interface Request<R> {
        R send() throws IOException;
    }

    private <R> R translated(String what, String key, String expected, Request<R> request) throws IOException {
        try {
            return request.send();
        } catch (IOException | RuntimeException failed) {
            throw failures.of(what, key, expected, failed);
        }
    }

    @Override
    public ObjectPage list(ObjectQuery query) throws IOException {
        return translated("list", query.prefix(), "", () -> bucket.list(query));
    }

    @Override
    public ObjectInfo head(String key) throws IOException {
        return translated(ObjectFailures.LOOK_FOR, key, "", () -> {
            try {
                return requests.ask("HEAD", path(key), Map.of(), NOTHING, (head, line) -> info(key, head));
            } catch (S3Exception answer) {
                if (WITHOUT_A_REASON.contains(answer.statusCode())) {
                    bucket.list(new ObjectQuery(key, false, "", 1));    // the response to a GET has a reason
                }
                throw answer;
            }
        });
    }

    private String path(String key) {
        return Signature.encoded(place.prefix() + key);
    }

    private static ObjectInfo info(String key, AnswerHead head) throws IOException {
        var length = head.length();
        if (length.isEmpty()) {
            throw new IOException("invalid HTTP response: no Content-Length");
        }
        return new ObjectInfo(key, length.getAsLong(), AnswerTimes.modified(head), etag(head), metadata(head));
    }

    private static String etag(AnswerHead head) {
        return head.header("etag").map(BucketRequests::unquoted).orElse("");
    }

    private static Map<String, String> metadata(AnswerHead head) {
        var found = new HashMap<String, String>();
        head.headers().forEach((name, value) -> {
            if (name.startsWith(BucketRequests.METADATA)) {
                found.put(name.substring(BucketRequests.METADATA.length()), value);
            }
        });
        return found;
    }

    @Override
    public int get(String key, long offset, ByteBuffer target, @Nullable String etag) throws IOException {
        if (offset < 0) {
            throw new IllegalArgumentException("negative offset: " + offset);
        }
        if (!target.hasRemaining()) {
            return 0;
        }
        var range = new RangeReader(offset, target);
        try {
            return requests.ask("GET", path(key), conditions(range.range(), etag), NOTHING, (head, line) -> {
                requireState(key, etag, head);
                return range.read(head, line);
            });
        } catch (IOException | RuntimeException failed) {
            if (failed instanceof S3Exception answer && answer.statusCode() == RANGE_NOT_SATISFIABLE) {
                return 0;
            }
            throw failures.of("get", key, etag == null ? "" : etag, failed);
        }
    }

    private static Map<String, String> conditions(String range, @Nullable String etag) {
        return etag == null || etag.isEmpty() ? Map.of("range", range)
                : Map.of("range", range, "if-match", '"' + etag + '"');
    }

    private void requireState(String key, @Nullable String etag, AnswerHead head) throws IOException {
        if (etag != null && !etag.isEmpty() && !etag(head).isEmpty() && !etag(head).equals(etag)) {
            throw ObjectFailures.unlike(place, key, etag);
        }
    }

    @Override
    public void get(String key, long offset, long length, @Nullable String etag, ObjectSink sink) throws IOException {
        if (length == 0) {
            return;
        }
        var range = new RangeStream(offset, length, sink);
        translated("get", key, etag == null ? "" : etag, () -> {
            try {
                return requests.ask("GET", path(key), conditions(range.range(), etag), NOTHING, (head, line) -> {
                    requireState(key, etag, head);
                    range.requireWithin(head, place.name(), key);
                    return range.read(head, line);
                });
            } catch (S3Exception answer) {
                if (answer.statusCode() == RANGE_NOT_SATISFIABLE) {
                    throw new ObjectChangedException(place.name(), key, offset + length);
                }
                throw answer;
            }
        });
    }

    @Override
    public ObjectInfo put(String key, ByteBuffer data, ObjectHeaders headers, PutCondition condition)
            throws IOException {
        return translated("put", key, S3Upload.expected(condition), () -> {
            var all = new TreeMap<>(BucketRequests.headers(headers));
            all.putAll(S3Upload.condition(condition));
            all.putAll(PutChecksum.header(checksum, data));
            all.put("content-length", Integer.toString(data.remaining()));
            int size = data.remaining();
            return requests.ask("PUT", path(key), all, data, (head, line) -> {
                AnswerText.read(head, line);
                return new ObjectInfo(key, size, AnswerTimes.answered(head), etag(head), headers.metadata());
            });
        });
    }

    @Override
    public ObjectUpload upload(String key, ObjectHeaders headers) throws IOException {
        String id = translated("begin the upload of", key, "", () -> bucket.begin(place.prefix() + key, headers));
        return new S3Upload(bucket, failures, key, place.prefix() + key, id);
    }

    @Override
    public ObjectInfo copy(String from, String to, @Nullable ObjectHeaders headers) throws IOException {
        return translated("copy", from, "",
                () -> new S3Copy(bucket, place).copy(head(from), to, Optional.ofNullable(headers)));
    }

    @Override
    public void delete(List<String> keys) throws IOException {
        translated("delete", keys.size() == 1 ? keys.getFirst() : keys.size() + " objects", "", () -> {
            bucket.delete(keys.stream().map(key -> place.prefix() + key).toList());
            return keys;
        });
    }

    @Override
    public List<UnfinishedUpload> unfinished(String prefix) throws IOException {
        return translated("list uploads to", prefix, "", () -> bucket.unfinished(prefix));
    }

    @Override
    public Optional<ObjectUpload> resume(UnfinishedUpload left, Map<Integer, String> crc32c) throws IOException {
        return translated("list the parts of", left.key(), "", () -> S3Upload.resumed(bucket, failures, left,
                place.prefix() + left.key(), crc32c));
    }

    @Override
    public void discard(UnfinishedUpload left) throws IOException {
        translated("abort the upload of", left.key(), "", () -> {
            bucket.abort(place.prefix() + left.key(), left.id());
            return left;
        });
    }

    @Override
    public String name() {
        return place.name();
    }

    @Override
    public void close() {
        requests.close();
    }
}
