package volsh.gateway;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Optional;

/** The calls about uploads in parts. */
final class UploadCalls {
    private static final int XML_MAX = 4 << 20;

    private final ObjectCalls objects;
    private final InstantSource clock;

    UploadCalls(ObjectCalls objects, InstantSource clock) {
        this.objects = objects;
        this.clock = clock;
    }

    private static MultipartUploads.Upload upload(Bucket bucket, S3Request request) throws IOException {
        return new MultipartUploads(bucket).find(request.parameter("uploadId").orElse(""),
                ObjectKey.of(request.key()));
    }

    void begin(Bucket bucket, S3Exchange exchange) throws IOException {
        var key = ObjectKey.of(exchange.request().key());
        if (key.directory()) {
            throw S3Refusal.invalid("a key that ends with a slash is a directory, which has no parts");
        }
        String id = new MultipartUploads(bucket).begin(key, ObjectFacts.headers(exchange.request()), clock.instant());
        exchange.send(200, new XmlText().root("InitiateMultipartUploadResult").element("Bucket", bucket.name())
                .element("Key", key.text()).element("UploadId", id).close("InitiateMultipartUploadResult"));
    }

    void putPart(Bucket bucket, S3Exchange exchange) throws IOException {
        var request = exchange.request();
        int number = number(request);
        var upload = upload(bucket, request);
        var uploads = new MultipartUploads(bucket);
        if (request.header("x-amz-copy-source").isPresent()) {
            var source = objects.source(exchange);
            exchange.body().small(0);
            var range = ByteRange.of(request.header("x-amz-copy-source-range"), source.file().size())
                    .orElse(new ByteRange(0, source.file().size()));
            String tag = uploads.put(upload, number, file -> {
                ObjectCalls.copyRange(source, range, bucket, file);
                return md5(file, range.length());
            });
            exchange.send(200, ObjectCalls.result("CopyPartResult", tag, Instant.now()));
            return;
        }
        var body = exchange.body();
        String tag = uploads.put(upload, number, file -> SigningDigests.hex(body.writeTo(file)));
        exchange.header("ETag", ObjectCalls.quoted(tag));
        exchange.send(200);
    }

    /** The MD5 of a part that was copied: the tag of the whole is made of those of its parts. */
    private static String md5(volsh.vfs.OpenFile file, long size) throws IOException {
        var md5 = SigningDigests.of("MD5");
        byte[] part = new byte[256 << 10];
        for (long done = 0; done < size; ) {
            int count = file.read(done, java.nio.ByteBuffer.wrap(part));
            if (count <= 0) {
                break;
            }
            md5.update(part, 0, count);
            done += count;
        }
        return SigningDigests.hex(md5.digest());
    }

    private static int number(S3Request request) throws S3Refusal {
        int number = request.number("partNumber", 0, Integer.MAX_VALUE);
        if (number < 1 || number > MultipartUploads.PARTS_MAX) {
            throw S3Refusal.invalid("a part number is from 1 to %d".formatted(MultipartUploads.PARTS_MAX));
        }
        return number;
    }

    void complete(Bucket bucket, S3Exchange exchange) throws IOException {
        var request = exchange.request();
        var asked = XmlRequest.of(exchange.body().small(XML_MAX), "Part", MultipartUploads.PARTS_MAX);
        var named = new ArrayList<MultipartUploads.Named>();
        for (var each : asked.items()) {
            try {
                named.add(new MultipartUploads.Named(Integer.parseInt(each.getOrDefault("PartNumber", "").strip()),
                        each.getOrDefault("ETag", "").strip().replace("\"", "")));
            } catch (NumberFormatException notANumber) {
                throw new S3Refusal(400, "MalformedXML", "a part has no number");
            }
        }
        var key = ObjectKey.of(request.key());
        ObjectCalls.requireMatch(bucket, key, request);
        var facts = new MultipartUploads(bucket).complete(upload(bucket, request), named,
                ObjectCalls.onlyNew(request));
        exchange.send(200, new XmlText().root("CompleteMultipartUploadResult").element("Location",
                request.path()).element("Bucket", bucket.name()).element("Key", key.text()).element("ETag",
                        ObjectCalls.quoted(facts.tag())).close("CompleteMultipartUploadResult"));
    }

    void abort(Bucket bucket, S3Exchange exchange) throws IOException {
        new MultipartUploads(bucket).abort(upload(bucket, exchange.request()));
        exchange.send(204);
    }

    void listParts(Bucket bucket, S3Exchange exchange) throws IOException {
        var request = exchange.request();
        int most = request.number("max-parts", 1000, 1000);
        int after = request.number("part-number-marker", 0, Integer.MAX_VALUE);
        var all = new MultipartUploads(bucket).parts(upload(bucket, request)).stream()
                .filter(part -> part.number() > after).toList();
        var shown = all.subList(0, Math.min(most, all.size()));
        var xml = new XmlText().root("ListPartsResult").element("Bucket", bucket.name()).element("Key", request.key())
                .element("UploadId", request.parameter("uploadId").orElse("")).element("PartNumberMarker", after)
                .element("MaxParts", most).element("IsTruncated", all.size() > shown.size());
        if (all.size() > shown.size() && !shown.isEmpty()) {
            xml.element("NextPartNumberMarker", shown.getLast().number());
        }
        for (var part : shown) {
            xml.open("Part").element("PartNumber", part.number())
                    .element("LastModified", ObjectCalls.changed(part.file()))
                    .element("ETag", ObjectCalls.quoted(part.tag())).element("Size", part.file().size()).close("Part");
        }
        exchange.send(200, xml.close("ListPartsResult"));
    }

    /** All of them, in one page: a bucket has few. */
    void list(Bucket bucket, S3Exchange exchange) throws IOException {
        String prefix = Optional.ofNullable(exchange.request().query().get("prefix")).orElse("");
        var xml = new XmlText().root("ListMultipartUploadsResult").element("Bucket", bucket.name())
                .element("Prefix", prefix).element("IsTruncated", false);
        for (var upload : new MultipartUploads(bucket).list()) {
            if (upload.key().startsWith(prefix)) {
                xml.open("Upload").element("Key", upload.key()).element("UploadId", upload.id())
                        .element("StorageClass", "STANDARD").element("Initiated", upload.begun()).close("Upload");
            }
        }
        exchange.send(200, xml.close("ListMultipartUploadsResult"));
    }
}
