package volsh.block.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import volsh.object.ObjectInfo;
import volsh.object.ObjectUpload;
import volsh.object.PutCondition;
import volsh.object.UnfinishedUpload;

/** An upload in parts, each with a CRC32C that the server verifies. */
final class S3Upload implements ObjectUpload {
    private static final int NOT_FOUND = 404;

    private final BucketRequests bucket;
    private final ObjectFailures failures;
    private final String key;
    private final String object;
    private final String id;
    private final Map<Integer, Part> parts = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();
    private volatile boolean completed;

    /** {@code checksum} is empty where a listing of parts does not tell it. */
    record Part(String etag, String checksum, long size) {
        Part withChecksum(String known) {
            return checksum.isEmpty() ? new Part(etag, known, size) : this;
        }
    }

    S3Upload(BucketRequests bucket, ObjectFailures failures, String key, String object, String id) {
        this.bucket = bucket;
        this.failures = failures;
        this.key = key;
        this.object = object;
        this.id = id;
    }

    /** One that an earlier process has begun, with the parts that the server has; empty if it is gone. */
    static Optional<ObjectUpload> resumed(
            BucketRequests bucket, ObjectFailures failures, UnfinishedUpload left, String object,
            Map<Integer, String> checksums) throws IOException {
        var upload = new S3Upload(bucket, failures, left.key(), object, left.id());
        try {
            bucket.parts(object, left.id()).forEach((number, part) -> upload.parts.put(number,
                    part.withChecksum(checksums.getOrDefault(number, ""))));
            upload.parts.values().removeIf(part -> bucket.crc32c() && part.checksum.isEmpty());
        } catch (AwsServiceException answer) {
            if (answer.statusCode() == NOT_FOUND) {
                return Optional.empty();
            }
            throw answer;
        }
        upload.bytes.set(upload.parts.values().stream().mapToLong(Part::size).sum());
        return Optional.of(upload);
    }

    static String expected(PutCondition condition) {
        return condition instanceof PutCondition.Matches(var etag) ? etag : "";
    }

    static Map<String, String> condition(PutCondition condition) {
        return switch (condition) {
            case PutCondition.Always() -> Map.of();
            case PutCondition.Absent() -> Map.of("if-none-match", "*");
            case PutCondition.Matches(var etag) -> Map.of("if-match", '"' + etag + '"');
        };
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public boolean has(int number, long length) {
        var part = parts.get(number);
        return part != null && part.size == length;
    }

    @Override
    public void part(int number, ByteBuffer data) throws IOException {
        try {
            String tag = bucket.requests().putPart(object, id, number, data);
            var before = parts.put(number, new Part(BucketRequests.unquoted(tag), Upload.checksum(data),
                    data.remaining()));
            bytes.addAndGet(data.remaining() - (before == null ? 0 : before.size));
        } catch (IOException | RuntimeException failed) {
            throw failures.of("put part %d of".formatted(number), key, "", failed);
        }
    }

    @Override
    public ObjectInfo complete(int count, PutCondition condition) throws IOException {
        var ordered = new TreeMap<>(parts).headMap(count, true);
        if (ordered.size() != count) {
            throw new IllegalStateException("%d of %d parts were sent".formatted(ordered.size(), count));
        }
        var body = new StringBuilder(
                "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
        ordered.forEach((number, part) -> body.append("<Part><PartNumber>").append(number)
                .append("</PartNumber><ETag>\"").append(XmlAnswer.escaped(part.etag)).append("\"</ETag>")
                .append(bucket.crc32c() ? "<ChecksumCRC32C>" + part.checksum + "</ChecksumCRC32C>" : "")
                .append("</Part>"));
        try {
            var answer = bucket.ask("POST", Signature.encoded(object) + BucketRequests.query(Map.of("uploadId", id)),
                    condition(condition), body.append("</CompleteMultipartUpload>").toString(),
                    "CompleteMultipartUploadResult", Set.of());
            completed = true;
            return new ObjectInfo(key, bytes.get(), Instant.EPOCH, BucketRequests.unquoted(answer.text("ETag")),
                    Map.of());
        } catch (AwsServiceException answer) {
            var found = answer.statusCode() == NOT_FOUND ? earlier(ordered.values()) : null;
            if (found == null) {
                throw failures.of("complete the upload of", key, expected(condition), answer);
            }
            return found;
        } catch (IOException | RuntimeException failed) {
            throw failures.of("complete the upload of", key, expected(condition), failed);
        }
    }

    /** What an earlier attempt has completed, though its response was lost: its ETag follows from those of parts. */
    private @Nullable ObjectInfo earlier(Iterable<Part> all) throws IOException {
        MessageDigest md5 = Md5Digest.md5();
        int count = 0;
        for (var part : all) {
            if (!part.etag.matches("[0-9a-fA-F]{32}")) {
                return null;
            }
            md5.update(HexFormat.of().parseHex(part.etag));
            count++;
        }
        String expected = HexFormat.of().formatHex(md5.digest()) + '-' + count;
        try {
            String found = bucket.requests().ask("HEAD", Signature.encoded(object), Map.of(),
                    ByteBuffer.allocate(0), (head, line) -> head.header("etag").orElse(""));
            completed = BucketRequests.unquoted(found).equalsIgnoreCase(expected);
        } catch (AwsServiceException none) {
            return null;
        }
        return completed ? new ObjectInfo(key, bytes.get(), Instant.EPOCH, expected, Map.of()) : null;
    }

    @Override
    public void close() throws IOException {
        if (completed) {
            return;
        }
        completed = true;
        try {
            bucket.abort(object, id);
        } catch (IOException | RuntimeException failed) {
            throw failures.of("abort the upload of", key, "", failed);
        }
    }
}
