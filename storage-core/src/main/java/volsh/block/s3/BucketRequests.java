package volsh.block.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import volsh.object.KeyOrdering;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectInfo;
import volsh.object.ObjectPage;
import volsh.object.ObjectQuery;
import volsh.object.UnfinishedUpload;

/** Requests about a bucket and its uploads, with bodies and responses in XML. Keys include the prefix of the place. */
record BucketRequests(WireRequests requests, BucketPrefix place, boolean crc32c) {
    static final String METADATA = "x-amz-meta-";
    private static final String TYPE = "application/octet-stream";
    private static final int ANSWER_MAX = 32 << 20;
    private static final int EMPTY_PAGES_MAX = 10_000;
    private static final int DELETE_MAX = 1000;
    private static final Set<Integer> UNSUPPORTED = Set.of(405, 501);
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

    static Map<String, String> headers(ObjectHeaders headers) {
        var all = new HashMap<String, String>();
        all.put("content-type", headers.type().isEmpty() ? TYPE : headers.type());
        headers.metadata().forEach((name, value) -> all.put(METADATA + name, value));
        return all;
    }

    static String unquoted(String etag) {
        return etag.length() > 1 && etag.startsWith("\"") && etag.endsWith("\"")
                ? etag.substring(1, etag.length() - 1) : etag;
    }

    /** A query, in the order of names. */
    static String query(Map<String, String> parameters) {
        var text = new StringBuilder();
        new TreeMap<>(parameters).forEach((name, value) -> text.append(text.isEmpty() ? '?' : '&').append(name)
                .append('=').append(Signature.encoded(value).replace("/", "%2F")));
        return text.toString();
    }

    XmlAnswer ask(
            String method, String path, Map<String, String> headers, String body, String root, Set<String> items)
            throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        var all = new HashMap<>(headers);
        if (!method.equals("GET")) {
            all.put("content-length", Integer.toString(bytes.length));
        }
        if (bytes.length > 0) {
            all.put("content-type", "application/xml");
        }
        return requests.ask(method, path, all, bytes.length == 0 ? NOTHING : ByteBuffer.wrap(bytes), (head, line) -> {
            String text = AnswerText.read(head, line, ANSWER_MAX);
            if (text.contains("<Error>") && !text.contains('<' + root)) {
                throw AnswerText.refusal(new AnswerHead(500, head.headers()), text);    // after a status of 200
            }
            return XmlAnswer.of(text, root, items);
        });
    }

    ObjectPage list(ObjectQuery query) throws IOException {
        var parameters = new HashMap<>(Map.of("list-type", "2", "encoding-type", "url",
                "max-keys", Integer.toString(query.limit()), "prefix", place.prefix() + query.prefix()));
        if (query.grouped()) {
            parameters.put("delimiter", "/");
        }
        if (!query.after().isEmpty()) {
            // a common prefix is behind all keys in it: the next one cannot begin within it
            String last = place.prefix() + query.after();
            parameters.put("start-after", query.grouped() && last.endsWith("/") ? last + Character.toString(0x10ffff)
                    : last);
        }
        for (int pages = 0; ; pages++) {
            var answer = ask("GET", query(parameters), Map.of(), "", "ListBucketResult",
                    Set.of("Contents", "CommonPrefixes"));
            var page = page(answer, query);
            boolean more = "true".equals(answer.text("IsTruncated"));   // missing from a listing that was cut short
            boolean isEmpty = page.objects().isEmpty() && page.prefixes().isEmpty();
            String token = more && isEmpty ? answer.text("NextContinuationToken") : "";
            if (token.isEmpty() || pages == EMPTY_PAGES_MAX) {
                return more ? new ObjectPage(page.objects(), page.prefixes(), Optional.of(last(page.objects(),
                        page.prefixes()))) : page;
            }
            parameters.remove("start-after");    // what there is, is hidden, such as parts of uploads
            parameters.put("continuation-token", token);
        }
    }

    private ObjectPage page(XmlAnswer answer, ObjectQuery query) throws IOException {
        var objects = new ArrayList<ObjectInfo>();
        for (var each : answer.entries("Contents")) {
            String key = answer.key(XmlAnswer.text(each, "Key"));
            if (isBelow(key, query)) {
                objects.add(new ObjectInfo(relative(key), size(each), time(each, "LastModified"),
                        unquoted(each.getOrDefault("ETag", "")), Map.of()));
            }
        }
        var prefixes = new ArrayList<String>();
        for (var each : answer.entries("CommonPrefixes")) {
            String key = answer.key(XmlAnswer.text(each, "Prefix"));
            if (isBelow(key, query)) {
                prefixes.add(relative(key));
            }
        }
        return new ObjectPage(objects, prefixes, Optional.empty());
    }

    private boolean isBelow(String key, ObjectQuery query) {
        return key.startsWith(place.prefix() + query.prefix())
                && (query.after().isEmpty() || !key.equals(place.prefix() + query.after()));
    }

    private String relative(String key) {
        return key.substring(place.prefix().length());
    }

    private static String last(List<ObjectInfo> objects, List<String> prefixes) throws IOException {
        if (objects.isEmpty() && prefixes.isEmpty()) {
            throw new IOException("invalid response: an empty page of a listing that goes on");
        }
        String object = objects.isEmpty() ? "" : objects.getLast().key();
        String prefix = prefixes.isEmpty() ? "" : prefixes.getLast();
        return KeyOrdering.BYTES.compare(object, prefix) > 0 ? object : prefix;
    }

    private static long size(Map<String, String> entry) throws IOException {
        String text = XmlAnswer.text(entry, "Size");
        if (!text.matches("\\d{1,18}")) {
            throw new IOException("invalid response: a size of " + text);
        }
        return Long.parseLong(text);
    }

    private static Instant time(Map<String, String> entry, String name) {
        try {
            return Instant.parse(entry.getOrDefault(name, ""));
        } catch (DateTimeException unknown) {
            return Instant.EPOCH;
        }
    }

    /** Begins an upload in parts; returns its id. */
    String begin(String object, ObjectHeaders headers) throws IOException {
        var all = new HashMap<>(headers(headers));
        if (crc32c) {
            all.put("x-amz-checksum-algorithm", "CRC32C");
        }
        return ask("POST", Signature.encoded(object) + "?uploads=", all, "", "InitiateMultipartUploadResult", Set.of())
                .text("UploadId");
    }

    static String part(String object, String upload, int number) {
        return Signature.encoded(object)
                + query(Map.of("partNumber", Integer.toString(number), "uploadId", upload));
    }

    /** The parts of an upload that the server has, by their numbers. */
    Map<Integer, S3Upload.Part> parts(String object, String upload) throws IOException {
        var found = new HashMap<Integer, S3Upload.Part>();
        var parameters = new HashMap<>(Map.of("uploadId", upload));
        while (true) {
            var answer = ask("GET", Signature.encoded(object) + query(parameters), Map.of(), "", "ListPartsResult",
                    Set.of("Part"));
            for (var each : answer.entries("Part")) {
                found.put(number(each, "PartNumber"), new S3Upload.Part(unquoted(XmlAnswer.text(each, "ETag")),
                        each.getOrDefault("ChecksumCRC32C", ""), size(each)));
            }
            if (!answer.isTrue("IsTruncated")) {
                return found;
            }
            parameters.put("part-number-marker", answer.text("NextPartNumberMarker"));
        }
    }

    private static int number(Map<String, String> entry, String name) throws IOException {
        String text = XmlAnswer.text(entry, name);
        if (!text.matches("\\d{1,5}")) {
            throw new IOException("invalid response: %s %s".formatted(name, text));
        }
        return Integer.parseInt(text);
    }

    /** An upload that is already gone is not an error. */
    void abort(String object, String upload) throws IOException {
        try {
            requests.ask("DELETE", Signature.encoded(object) + query(Map.of("uploadId", upload)), Map.of(), NOTHING,
                    AnswerText::read);
        } catch (AwsServiceException answer) {
            if (answer.statusCode() != 404) {
                throw answer;
            }
        }
    }

    List<UnfinishedUpload> unfinished(String prefix) throws IOException {
        var found = new ArrayList<UnfinishedUpload>();
        var parameters = new HashMap<>(Map.of("uploads", "", "encoding-type", "url",
                "prefix", place.prefix() + prefix));
        while (true) {
            var answer = ask("GET", query(parameters), Map.of(), "", "ListMultipartUploadsResult", Set.of("Upload"));
            for (var each : answer.entries("Upload")) {
                String key = answer.key(XmlAnswer.text(each, "Key"));
                if (key.startsWith(place.prefix() + prefix)) {
                    found.add(new UnfinishedUpload(relative(key), XmlAnswer.text(each, "UploadId"),
                            time(each, "Initiated")));
                }
            }
            if (!answer.isTrue("IsTruncated")) {
                return found;
            }
            parameters.put("key-marker", answer.key(answer.text("NextKeyMarker")));
            parameters.put("upload-id-marker", answer.text("NextUploadIdMarker"));
        }
    }

    void delete(List<String> objects) throws IOException {
        var together = new ArrayList<String>();
        for (String object : objects) {
            if (XmlAnswer.canHold(object) && objects.size() > 1) {
                together.add(object);
            } else {
                deleteOne(object);
            }
        }
        for (int from = 0; from < together.size(); from += DELETE_MAX) {
            deleteTogether(together.subList(from, Math.min(from + DELETE_MAX, together.size())));
        }
    }

    private void deleteTogether(List<String> objects) throws IOException {
        var body = new StringBuilder("<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>");
        objects.forEach(object -> body.append("<Object><Key>").append(XmlAnswer.escaped(object))
                .append("</Key></Object>"));
        String text = body.append("</Delete>").toString();
        var checksum = Map.of("content-md5",
                PutChecksum.md5(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))));
        XmlAnswer answer;
        try {
            answer = ask("POST", "?delete=", checksum, text, "DeleteResult", Set.of("Deleted", "Error"));
        } catch (AwsServiceException without) {
            if (!UNSUPPORTED.contains(without.statusCode())) {
                throw without;
            }
            for (String object : objects) {
                deleteOne(object);
            }
            return;
        }
        for (var error : answer.entries("Error")) {
            if (!"NoSuchKey".equals(error.get("Code"))) {
                throw new IOException("%s: failed to delete %s: %s".formatted(place.name(), error.get("Key"),
                        error.get("Code")));
            }
        }
    }

    private void deleteOne(String object) throws IOException {
        try {
            requests.delete(object);
        } catch (AwsServiceException answer) {
            if (answer.statusCode() != 404 || answer.awsErrorDetails() != null
                    && "NoSuchBucket".equals(answer.awsErrorDetails().errorCode())) {
                throw answer;
            }
        }
    }
}
