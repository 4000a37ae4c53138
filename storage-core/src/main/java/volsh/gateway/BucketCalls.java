package volsh.gateway;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The calls about a bucket: listings, deletion of many objects, and what clients ask before they begin. */
final class BucketCalls {
    private static final int KEYS_MAX = 1000;
    private static final int XML_MAX = 2 << 20;

    private final Buckets buckets;

    BucketCalls(Buckets buckets) {
        this.buckets = buckets;
    }

    void listBuckets(S3Exchange exchange) throws IOException {
        var xml = new XmlText().root("ListAllMyBucketsResult");
        owner(xml, "Owner", exchange).open("Buckets");
        for (var bucket : buckets.visible(exchange.accessKey())) {
            xml.open("Bucket").element("Name", bucket.name()).element("CreationDate", bucket.created())
                    .close("Bucket");
        }
        exchange.send(200, xml.close("Buckets").close("ListAllMyBucketsResult"));
    }

    private static XmlText owner(XmlText xml, String element, S3Exchange exchange) {
        return xml.open(element).element("ID", exchange.accessKey().id()).element("DisplayName",
                exchange.accessKey().id()).close(element);
    }

    void list(Bucket bucket, S3Exchange exchange) throws IOException {
        var request = exchange.request();
        boolean second = request.parameter("list-type").orElse("").equals("2");
        String prefix = request.parameter("prefix").orElse("");
        buckets.requireKey(exchange.accessKey(), prefix);
        String delimiter = request.parameter("delimiter").orElse("");
        int most = request.number("max-keys", KEYS_MAX, KEYS_MAX);
        String after = second ? token(request).orElse(request.parameter("start-after").orElse(""))
                : request.parameter("marker").orElse("");
        boolean url = request.parameter("encoding-type").orElse("").equals("url");
        var page = most == 0 ? List.<ObjectListing.Found>of()
                : new ObjectListing(bucket, prefix, delimiter, after, most).run();
        boolean more = page.size() > most;
        var shown = more ? page.subList(0, most) : page;
        var xml = new XmlText().root("ListBucketResult").element("Name", bucket.name())
                .element("Prefix", encoded(prefix, url)).element("MaxKeys", most).element("IsTruncated", more);
        if (!delimiter.isEmpty()) {
            xml.element("Delimiter", encoded(delimiter, url));
        }
        if (url) {
            xml.element("EncodingType", "url");
        }
        if (second) {
            xml.element("KeyCount", shown.size());
            request.parameter("continuation-token").ifPresent(token -> xml.element("ContinuationToken", token));
            request.parameter("start-after").ifPresent(start -> xml.element("StartAfter", encoded(start, url)));
        } else {
            xml.element("Marker", encoded(after, url));
        }
        if (more) {
            String last = shown.getLast().key();
            xml.element(second ? "NextContinuationToken" : "NextMarker", second
                    ? Base64.getUrlEncoder().withoutPadding().encodeToString(KeyOrder.bytes(last))
                    : encoded(KeyOrder.text(last).orElseThrow(), url));
        }
        var facts = bucket.facts(shown.stream().map(ObjectListing.Found::file).filter(Objects::nonNull).toList());
        for (var each : shown) {
            add(xml, each, facts, url, exchange);
        }
        exchange.send(200, xml.close("ListBucketResult"));
    }

    private static void add(XmlText xml, ObjectListing.Found each, Map<Long, ObjectFacts> facts, boolean url,
            S3Exchange exchange) {
        String key = encoded(KeyOrder.text(each.key()).orElseThrow(), url);
        var file = each.file();
        if (file == null) {
            xml.open("CommonPrefixes").element("Prefix", key).close("CommonPrefixes");
            return;
        }
        xml.open("Contents").element("Key", key);
        ObjectCalls.row(xml, file, Objects.requireNonNull(facts.get(file.ino())));
        if (!exchange.request().parameter("list-type").orElse("").equals("2")
                || exchange.request().parameter("fetch-owner").orElse("").equals("true")) {
            owner(xml, "Owner", exchange);
        }
        xml.element("StorageClass", "STANDARD").close("Contents");
    }

    private static Optional<String> token(S3Request request) throws S3Refusal {
        var token = request.parameter("continuation-token");
        if (token.isEmpty()) {
            return token;
        }
        try {
            return Optional.of(new String(Base64.getUrlDecoder().decode(token.get()), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException notOurs) {
            throw S3Refusal.invalid("the continuation token is not one of this gateway");
        }
    }

    private static String encoded(String key, boolean url) {
        return url ? SignatureCheck.encoded(key, true) : key;
    }

    void deleteMany(Bucket bucket, S3Exchange exchange) throws IOException {
        var asked = XmlRequest.of(exchange.body().small(XML_MAX), "Object", KEYS_MAX);
        boolean quiet = asked.others().getOrDefault("Quiet", "").equals("true");
        var xml = new XmlText().root("DeleteResult");
        for (var each : asked.items()) {
            String key = each.getOrDefault("Key", "");
            try {
                buckets.requireKey(exchange.accessKey(), key);
                bucket.delete(ObjectKey.of(key));
                if (!quiet) {
                    xml.open("Deleted").element("Key", key).close("Deleted");
                }
            } catch (IOException failed) {
                var refusal = VolumeFailures.refusal(failed);
                xml.open("Error").element("Key", key).element("Code", refusal.code()).element("Message",
                        String.valueOf(refusal.getMessage())).close("Error");
            }
        }
        bucket.vfs().syncNames();
        exchange.send(200, xml.close("DeleteResult"));
    }

    static void location(S3Exchange exchange) throws IOException {
        exchange.send(200, new XmlText().element("LocationConstraint", ""));
    }

    static void versioning(S3Exchange exchange) throws IOException {
        exchange.send(200, new XmlText().root("VersioningConfiguration").close("VersioningConfiguration"));
    }
}
