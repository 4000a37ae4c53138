package volsh.block.s3;

import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectInfo;
import volsh.object.ObjectUpload;

/**
 * Copies an object within its bucket: in one request if it is small; else in parts, because a server may send nothing
 * until it has copied all it was asked to, and refuses to copy more than 5 GiB at once.
 */
record S3Copy(BucketRequests bucket, BucketPrefix place) {
    private static final long PART = 256L << 20;

    ObjectInfo copy(ObjectInfo from, String to, Optional<ObjectHeaders> headers) throws IOException {
        return from.size() <= PART ? whole(from, to, headers) : inParts(from, to, headers);
    }

    private Map<String, String> source(ObjectInfo from) {
        var all = new HashMap<String, String>();
        all.put("x-amz-copy-source", '/' + place.bucket() + '/' + Signature.encoded(place.prefix() + from.key()));
        if (!from.etag().isEmpty()) {
            all.put("x-amz-copy-source-if-match", '"' + from.etag() + '"');
        }
        return all;
    }

    private ObjectInfo whole(ObjectInfo from, String to, Optional<ObjectHeaders> headers) throws IOException {
        var all = source(from);
        headers.ifPresent(given -> {
            all.putAll(BucketRequests.headers(given));
            all.put("x-amz-metadata-directive", "REPLACE");
        });
        var answer = bucket.ask("PUT", Signature.encoded(place.prefix() + to), all, "", "CopyObjectResult", Set.of());
        return info(from, to, answer.text("ETag"));
    }

    private ObjectInfo inParts(ObjectInfo from, String to, Optional<ObjectHeaders> headers) throws IOException {
        String object = place.prefix() + to;
        var kept = headers.orElseGet(() -> ObjectHeaders.of(from.metadata()));
        String id = bucket.begin(object, kept);
        boolean done = false;
        try {
            var body = new StringBuilder(
                    "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
            int number = 1;
            long length = Math.max(PART, Math.ceilDiv(from.size(), (long) ObjectUpload.PARTS_MAX));
            for (long at = 0; at < from.size(); at += length, number++) {
                var all = source(from);
                all.put("x-amz-copy-source-range",
                        "bytes=%d-%d".formatted(at, Math.min(at + length, from.size()) - 1));
                var part = bucket.ask("PUT", BucketRequests.part(object, id, number), all, "", "CopyPartResult",
                        Set.of());
                body.append("<Part><PartNumber>").append(number).append("</PartNumber><ETag>")
                        .append(XmlAnswer.escaped(part.text("ETag"))).append("</ETag></Part>");
            }
            var answer = bucket.ask("POST", Signature.encoded(object) + BucketRequests.query(Map.of("uploadId", id)),
                    Map.of(), body.append("</CompleteMultipartUpload>").toString(),
                    "CompleteMultipartUploadResult", Set.of());
            done = true;
            return info(from, to, answer.text("ETag"));
        } finally {
            if (!done) {
                bucket.abort(object, id);
            }
        }
    }

    private static ObjectInfo info(ObjectInfo from, String to, String etag) {
        return new ObjectInfo(to, from.size(), Instant.EPOCH, BucketRequests.unquoted(etag), Map.of());
    }
}
