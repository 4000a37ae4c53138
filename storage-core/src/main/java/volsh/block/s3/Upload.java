package volsh.block.s3;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.zip.CRC32C;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Sends objects, each with a CRC32C for the server to compare. Large ones go in parts, one after the other; an upload
 * in parts that fails is aborted, so that nothing invisible is paid for. No block of a volume is that large (16 MiB, and
 * what its frames add), so this is for what others may put.
 */
record Upload(S3Client client, Place place, long multipartBytes) {
    static final long MULTIPART_BYTES = 17L << 20;
    private static final String TYPE = "application/octet-stream";

    void put(String object, ByteBuffer data) {
        if (data.remaining() > multipartBytes) {
            putInParts(object, data);
        } else {
            requireAnswer(client.putObject(request -> request.bucket(place.bucket()).key(object)
                    .checksumCRC32C(checksum(data)), body(data)).eTag());
        }
    }

    /** Whether there was nothing under this name. */
    boolean putIfAbsent(String object, ByteBuffer data) {
        try {
            requireAnswer(client.putObject(request -> request.bucket(place.bucket()).key(object)
                    .checksumCRC32C(checksum(data)).ifNoneMatch("*"), body(data)).eTag());
            return true;
        } catch (S3Exception answer) {
            if (answer.statusCode() == 412) {
                return false;
            }
            throw answer;
        }
    }

    private void putInParts(String object, ByteBuffer data) {
        String id = client.createMultipartUpload(request -> request.bucket(place.bucket()).key(object)
                .checksumAlgorithm(ChecksumAlgorithm.CRC32_C)).uploadId();
        try {
            var parts = new ArrayList<CompletedPart>();
            for (int at = data.position(); at < data.limit(); at += (int) multipartBytes) {
                var part = data.duplicate().position(at).limit((int) Math.min(at + multipartBytes, data.limit()));
                parts.add(putPart(object, id, parts.size() + 1, part));
            }
            complete(object, id, parts);
        } catch (RuntimeException failed) {
            abort(object, id, failed);
            throw failed;
        }
    }

    private CompletedPart putPart(String object, String id, int number, ByteBuffer part) {
        String checksum = checksum(part);
        String tag = client.uploadPart(request -> request.bucket(place.bucket()).key(object).uploadId(id)
                .partNumber(number).checksumCRC32C(checksum), body(part)).eTag();
        return CompletedPart.builder().partNumber(number).eTag(tag).checksumCRC32C(checksum).build();
    }

    private void complete(String object, String id, List<CompletedPart> parts) {
        requireAnswer(client.completeMultipartUpload(request -> request.bucket(place.bucket()).key(object).uploadId(id)
                .multipartUpload(all -> all.parts(parts))).eTag());
    }

    private void abort(String object, String id, RuntimeException reason) {
        try {
            client.abortMultipartUpload(request -> request.bucket(place.bucket()).key(object).uploadId(id));
        } catch (RuntimeException left) {
            reason.addSuppressed(left);
        }
    }

    /** Every stored object has a tag; an answer without one was cut off. */
    private static void requireAnswer(String tag) {
        if (tag == null) {
            throw SdkClientException.create("the answer broke off");
        }
    }

    private static RequestBody body(ByteBuffer data) {
        return RequestBody.fromContentProvider(() -> new BufferStream(data), data.remaining(), TYPE);
    }

    static String checksum(ByteBuffer data) {
        var crc = new CRC32C();
        crc.update(data.duplicate());
        return Base64.getEncoder().encodeToString(ByteBuffer.allocate(4).putInt((int) crc.getValue()).array());
    }
}
