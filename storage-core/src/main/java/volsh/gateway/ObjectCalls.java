package volsh.gateway;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import volsh.fs.Attributes;
import volsh.vfs.OpenFile;

/** The calls about one object: get, head, put, copy, delete. */
final class ObjectCalls {
    static final DateTimeFormatter HTTP_TIME = DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'",
            java.util.Locale.ENGLISH).withZone(ZoneOffset.UTC);
    private static final int PART = 256 << 10;

    private final Buckets buckets;
    private final GatewayCounts counts;

    ObjectCalls(Buckets buckets, GatewayCounts counts) {
        this.buckets = buckets;
        this.counts = counts;
    }

    static Instant changed(Attributes file) {
        return Instant.ofEpochSecond(Math.floorDiv(file.mtime(), 1_000_000_000L));
    }

    static String quoted(String tag) {
        return '"' + tag + '"';
    }

    void get(Bucket bucket, S3Exchange exchange) throws IOException {
        var key = ObjectKey.of(exchange.request().key());
        var object = bucket.get(key);
        var file = object.file();
        var facts = object.facts();
        exchange.header("ETag", quoted(facts.tag()));
        exchange.header("Last-Modified", HTTP_TIME.format(changed(file)));
        exchange.header("Accept-Ranges", "bytes");
        if (Conditions.of(exchange.request()).isUnchanged(facts.tag(), changed(file))) {
            exchange.send(304);
            return;
        }
        exchange.header("Content-Type", "binary/octet-stream");
        exchange.headers(facts.headers());
        overrides(exchange);
        long size = file.isDirectory() ? 0 : file.size();
        var range = ByteRange.of(exchange.request().header("Range"), size);
        range.ifPresent(part -> exchange.header("Content-Range", "bytes %d-%d/%d".formatted(part.from(),
                part.from() + part.length() - 1, size)));
        var part = range.orElse(new ByteRange(0, size));
        int status = range.isPresent() ? 206 : 200;
        if (exchange.request().method().equals("HEAD") || part.length() == 0) {
            exchange.header("Content-Length", Long.toString(part.length()));
            exchange.send(status);
            return;
        }
        if (object.bytes().isPresent()) {
            send(exchange, status, object.bytes().get(), part);
            return;
        }
        try (var open = bucket.vfs().open(file.ino())) {
            send(exchange, status, open, part);
        }
    }

    private void send(S3Exchange exchange, int status, byte[] bytes, ByteRange range) throws IOException {
        int from = Math.toIntExact(range.from());
        int length = Math.toIntExact(range.length());
        if (from + length > bytes.length) {
            throw new IOException("the object has fewer bytes than its size says");
        }
        try (var out = exchange.sending(status, length)) {
            out.write(bytes, from, length);
        } catch (IOException left) {
            throw clientLeft();
        }
        counts.sent(length);
    }

    private static S3Refusal clientLeft() {
        return new S3Refusal(400, "ClientLeft", "the client left before the end of the object");
    }

    /** What the query says of the answer's headers, as presigned URLs for browsers do. */
    private static void overrides(S3Exchange exchange) {
        for (String name : new String[] {"Content-Type", "Content-Disposition", "Content-Encoding",
                "Content-Language", "Cache-Control", "Expires"}) {
            exchange.request().parameter("response-" + name.toLowerCase(java.util.Locale.ROOT))
                    .filter(value -> value.chars().allMatch(letter -> letter >= ' ' && letter < 127))
                    .ifPresent(value -> exchange.header(name, value));
        }
    }

    /**
     * Sends a range. The first bytes are read before anything is sent, so that damage is an error; later damage breaks
     * the connection off before the length that was announced.
     */
    private void send(S3Exchange exchange, int status, OpenFile open, ByteRange range) throws IOException {
        byte[] part = new byte[(int) Math.min(PART, range.length())];
        int count = read(open, range.from(), part, range.length());
        var out = exchange.sending(status, range.length());
        for (long done = 0; done < range.length(); ) {
            if (count <= 0) {
                throw new IOException("the object became shorter while it was read");
            }
            write(out, part, count);
            counts.sent(count);
            done += count;
            count = done < range.length() ? read(open, range.from() + done, part, range.length() - done) : 0;
        }
        out.close();
    }

    private static void write(OutputStream out, byte[] part, int count) throws S3Refusal {
        try {
            out.write(part, 0, count);
        } catch (IOException left) {
            throw clientLeft();
        }
    }

    private static int read(OpenFile open, long offset, byte[] part, long most) throws IOException {
        return open.read(offset, ByteBuffer.wrap(part, 0, (int) Math.min(part.length, most)));
    }

    void put(Bucket bucket, S3Exchange exchange) throws IOException {
        var request = exchange.request();
        var key = ObjectKey.of(request.key());
        boolean onlyNew = onlyNew(request);
        requireMatch(bucket, key, request);
        var body = exchange.body();
        var facts = key.directory() || body.length() > bucket.smallMax()
                ? bucket.put(key, ObjectFacts.headers(request), onlyNew,
                        file -> SigningDigests.hex(body.writeTo(file)))
                : putSmall(bucket, key, onlyNew, request, body);
        if (key.directory()) {
            body.small(0);
        }
        exchange.header("ETag", quoted(facts.tag()));
        exchange.send(200);
    }

    private static ObjectFacts putSmall(Bucket bucket, ObjectKey key, boolean onlyNew, S3Request request,
            ObjectBody body) throws IOException {
        var headers = ObjectFacts.headers(request);
        byte[] bytes = new byte[(int) body.length()];
        return bucket.putSmall(key, headers, onlyNew, SigningDigests.hex(body.readTo(bytes)), bytes);
    }

    static boolean onlyNew(S3Request request) throws S3Refusal {
        var condition = request.header("If-None-Match");
        if (condition.isPresent() && !condition.get().strip().equals("*")) {
            throw S3Refusal.notImplemented("If-None-Match with an entity tag on a write");
        }
        return condition.isPresent();
    }

    static void requireMatch(Bucket bucket, ObjectKey key, S3Request request) throws IOException {
        if (request.header("If-Match").isPresent()) {
            var object = bucket.get(key);
            new Conditions(request.header("If-Match"), Optional.empty(), Optional.empty(), Optional.empty())
                    .isUnchanged(object.facts().tag(), changed(object.file()));
        }
    }

    /** Copies an object, within a volume without copying its blocks. */
    void copy(Bucket bucket, S3Exchange exchange) throws IOException {
        var request = exchange.request();
        var key = ObjectKey.of(request.key());
        var source = source(exchange);
        boolean replaces = request.header("x-amz-metadata-directive").orElse("COPY").equalsIgnoreCase("REPLACE");
        if (!replaces && source.bucket().name().equals(bucket.name()) && source.key().text().equals(key.text())) {
            throw new S3Refusal(400, "InvalidRequest", "a copy onto itself must replace the metadata");
        }
        exchange.body().small(0);
        var facts = bucket.put(key, replaces ? ObjectFacts.headers(request) : source.facts().headers(),
                onlyNew(request), file -> {
            copyRange(source, new ByteRange(0, source.file().size()), bucket, file);
            return source.facts().tag();
        });
        exchange.send(200, result("CopyObjectResult", facts.tag(), Instant.now()));
    }

    /** Where a copy comes from. */
    record Source(Bucket bucket, ObjectKey key, Attributes file, ObjectFacts facts) {}

    Source source(S3Exchange exchange) throws IOException {
        String text = S3Request.decoded(exchange.request().header("x-amz-copy-source").orElse("")
                .replaceFirst("\\?versionId=.*", ""), false);
        String path = text.startsWith("/") ? text.substring(1) : text;
        int slash = path.indexOf('/');
        if (slash <= 0) {
            throw S3Refusal.invalid("x-amz-copy-source must be BUCKET/KEY");
        }
        var key = ObjectKey.of(path.substring(slash + 1));
        var bucket = buckets.open(path.substring(0, slash), exchange);
        buckets.requireKey(exchange.accessKey(), key.text());
        var object = bucket.get(key);
        var file = object.file();
        var facts = object.facts();
        if (Conditions.ofSource(exchange.request()).isUnchanged(facts.tag(), changed(file))) {
            throw new S3Refusal(412, "PreconditionFailed", "the source is unchanged");
        }
        return new Source(bucket, key, file, facts);
    }

    static void copyRange(Source source, ByteRange range, Bucket bucket, OpenFile target) throws IOException {
        if (source.file().isDirectory()) {
            return;
        }
        try (var open = source.bucket().vfs().open(source.file().ino())) {
            long done = 0;
            byte[] part = new byte[PART];
            while (done < range.length()) {
                long more = source.bucket() == bucket
                        ? open.copyTo(range.from() + done, target, done, range.length() - done)
                        : copyPart(open, range.from() + done, target, done, part, range.length() - done);
                if (more <= 0) {
                    throw new S3Refusal(409, "OperationAborted", "the source became shorter while it was copied");
                }
                done += more;
            }
        }
    }

    private static int copyPart(OpenFile open, long from, OpenFile target, long to, byte[] part, long most)
            throws IOException {
        int count = read(open, from, part, most);
        var bytes = ByteBuffer.wrap(part, 0, Math.max(0, count));
        while (bytes.hasRemaining()) {
            target.write(to + bytes.position(), bytes);
        }
        return count;
    }

    static XmlText result(String element, String tag, Instant changed) {
        return new XmlText().root(element).element("LastModified", changed).element("ETag", quoted(tag))
                .close(element);
    }

    void delete(Bucket bucket, S3Exchange exchange) throws IOException {
        bucket.delete(ObjectKey.of(exchange.request().key()));
        bucket.vfs().syncNames();
        exchange.send(204);
    }

    /** A directory or file in a listing. */
    static void row(XmlText xml, Attributes file, ObjectFacts facts) {
        xml.element("LastModified", changed(file)).element("ETag", quoted(facts.tag())).element("Size",
                file.isDirectory() ? 0L : file.size());
    }
}
