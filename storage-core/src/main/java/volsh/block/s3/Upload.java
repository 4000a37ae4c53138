package volsh.block.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.CompletedPart;

/**
 * Sends a large object in parts, one after the other, each with a CRC32C for the server to verify. A failed upload is
 * aborted, so that no invisible parts cost money. No block of a volume is that large (16 MiB plus what its frames add),
 * so this is for other objects.
 */
record Upload(S3Client client, WireRequests requests, BucketPrefix place, long multipartBytes, boolean crc32c) {
    static final long MULTIPART_BYTES = 17L << 20;

    void put(String object, ByteBuffer data) throws IOException {
        String id = client.createMultipartUpload(request -> request.bucket(place.bucket()).key(object)
                .checksumAlgorithm(crc32c ? ChecksumAlgorithm.CRC32_C : null)).uploadId();
        try {
            var parts = new ArrayList<CompletedPart>();
            for (int at = data.position(); at < data.limit(); at += (int) multipartBytes) {
                var part = data.duplicate().position(at).limit((int) Math.min(at + multipartBytes, data.limit()));
                parts.add(putPart(object, id, parts.size() + 1, part));
            }
            complete(object, id, parts);
        } catch (IOException | RuntimeException failed) {
            abort(object, id, failed);
            throw failed;
        }
    }

    private CompletedPart putPart(String object, String id, int number, ByteBuffer part) throws IOException {
        String tag = requests.putPart(object, id, number, part);
        return CompletedPart.builder().partNumber(number).eTag(tag)
                .checksumCRC32C(crc32c ? PutChecksum.crc32c(part) : null).build();
    }

    private void complete(String object, String id, List<CompletedPart> parts) throws IOException {
        String tag = client.completeMultipartUpload(request -> request.bucket(place.bucket()).key(object).uploadId(id)
                .multipartUpload(all -> all.parts(parts))).eTag();
        if (tag == null) {      // every stored object has an ETag
            throw new IOException("the server closed the connection in the middle of a response");
        }
    }

    private void abort(String object, String id, Exception reason) {
        try {
            client.abortMultipartUpload(request -> request.bucket(place.bucket()).key(object).uploadId(id));
        } catch (RuntimeException left) {
            reason.addSuppressed(left);
        }
    }

    static String checksum(ByteBuffer data) {
        return PutChecksum.crc32c(data);
    }
}
