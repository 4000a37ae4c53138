package volsh.block.s3;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;
import volsh.block.UnfinishedPut;

/** Multipart uploads that were neither completed nor aborted: their parts cost money, but are not listed as objects. */
record UnfinishedUploads(S3Client client, BucketPrefix place) {
    private static final String ID = "?uploadId=";
    /** Statuses of servers that do not support the request, and of accounts that may not use it. */
    private static final List<Integer> NOTHING_TO_TELL = List.of(403, 405, 501);

    /** Those whose keys start with {@code prefix}, with their start times. */
    List<UnfinishedPut> list(String prefix) {
        var found = new ArrayList<UnfinishedPut>();
        ListMultipartUploadsResponse page = null;
        do {
            try {
                page = page(prefix, page);
            } catch (S3Exception answer) {
                if (NOTHING_TO_TELL.contains(answer.statusCode())) {
                    return found;
                }
                throw answer;
            }
            for (var upload : page.uploads()) {
                if (upload.key().startsWith(place.prefix() + prefix) && place.key(upload.key()).isPresent()) {
                    found.add(new UnfinishedPut(place.key(upload.key()).get().text() + ID + upload.uploadId(), 0,
                            upload.initiated(), UnfinishedPut.Writer.UNKNOWN));
                }
            }
        } while (Boolean.TRUE.equals(page.isTruncated()));
        return found;
    }

    private ListMultipartUploadsResponse page(String prefix, @Nullable ListMultipartUploadsResponse before) {
        return client.listMultipartUploads(request -> request.bucket(place.bucket()).prefix(place.prefix() + prefix)
                .keyMarker(before == null ? null : before.nextKeyMarker())
                .uploadIdMarker(before == null ? null : before.nextUploadIdMarker()));
    }

    /** An upload that is already gone is not an error. */
    void abort(UnfinishedPut left) {
        int end = left.name().indexOf(ID);
        if (end < 0) {
            throw new IllegalArgumentException("invalid name of an unfinished upload: " + left.name());
        }
        try {
            client.abortMultipartUpload(request ->
                    request.bucket(place.bucket()).key(place.prefix() + left.name().substring(0, end))
                    .uploadId(left.name().substring(end + ID.length())));
        } catch (S3Exception answer) {
            if (answer.statusCode() != 404) {
                throw answer;
            }
        }
    }
}
