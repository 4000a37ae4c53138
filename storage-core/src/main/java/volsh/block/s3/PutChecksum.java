package volsh.block.s3;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Map;
import java.util.zip.CRC32C;
import volsh.block.S3Options;

/** The checksum that goes with every put, for the server to verify. */
final class PutChecksum {
    private PutChecksum() {}

    static Map<String, String> header(S3Options.Checksum kind, ByteBuffer data) {
        return switch (kind) {
            case CRC32C -> Map.of("x-amz-checksum-crc32c", crc32c(data));
            case MD5 -> Map.of("content-md5", md5(data));
        };
    }

    static String crc32c(ByteBuffer data) {
        var crc = new CRC32C();
        crc.update(data.duplicate());
        return Base64.getEncoder().encodeToString(ByteBuffer.allocate(4).putInt((int) crc.getValue()).array());
    }

    static String md5(ByteBuffer data) {
        try {
            var md5 = MessageDigest.getInstance("MD5");
            md5.update(data.duplicate());
            return Base64.getEncoder().encodeToString(md5.digest());
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("MD5 is not available", missing);
        }
    }
}
