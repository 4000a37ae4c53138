package volsh.gateway;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.jspecify.annotations.Nullable;

/**
 * The digests of a body as it arrives, and whether they are those that the client sent: its signed SHA-256, {@code
 * Content-MD5}, and the checksums of newer clients, in headers or trailers.
 */
final class BodyChecks {
    private static final String CHECKSUM = "x-amz-checksum-";
    private static final int SHA256_LETTERS = 64;
    private static final List<String> ALGORITHMS = List.of("crc32", "crc32c", "crc64nvme", "sha1", "sha256");

    private final S3Request request;
    private final String payload;
    private final MessageDigest md5 = SigningDigests.of("MD5");
    private final @Nullable MessageDigest sha256;
    private final Map<String, Digest> checksums = new LinkedHashMap<>();
    private long size;

    /** A checksum of any kind. */
    private interface Digest {
        void update(byte[] bytes, int length);

        byte[] value();
    }

    BodyChecks(S3Request request, String payload) {
        this.request = request;
        this.payload = payload;
        this.sha256 = isDigest() ? SigningDigests.of("SHA-256") : null;
        String trailer = request.header("x-amz-trailer").orElse("");
        for (String algorithm : ALGORITHMS) {
            if (request.header(CHECKSUM + algorithm).isPresent() || trailer.strip().equalsIgnoreCase(
                    CHECKSUM + algorithm)) {
                checksums.put(algorithm, digest(algorithm));
            }
        }
    }

    private boolean isDigest() {
        return payload.length() == SHA256_LETTERS && payload.chars().allMatch(
                letter -> letter >= '0' && letter <= '9' || letter >= 'a' && letter <= 'f');
    }

    private static Digest digest(String algorithm) {
        return switch (algorithm) {
            case "crc32" -> of(new CRC32(), Integer.BYTES);
            case "crc32c" -> of(new CRC32C(), Integer.BYTES);
            case "crc64nvme" -> of(new Crc64Nvme(), Long.BYTES);
            default -> of(SigningDigests.of(algorithm.equals("sha1") ? "SHA-1" : "SHA-256"));
        };
    }

    private static Digest of(Checksum sum, int bytes) {
        return new Digest() {
            @Override
            public void update(byte[] part, int length) {
                sum.update(part, 0, length);
            }

            @Override
            public byte[] value() {
                return bytes == Integer.BYTES ? ByteBuffer.allocate(bytes).putInt((int) sum.getValue()).array()
                        : ByteBuffer.allocate(bytes).putLong(sum.getValue()).array();
            }
        };
    }

    private static Digest of(MessageDigest digest) {
        return new Digest() {
            @Override
            public void update(byte[] part, int length) {
                digest.update(part, 0, length);
            }

            @Override
            public byte[] value() {
                return digest.digest();
            }
        };
    }

    void update(byte[] bytes, int length) {
        md5.update(bytes, 0, length);
        if (sha256 != null) {
            sha256.update(bytes, 0, length);
        }
        checksums.values().forEach(each -> each.update(bytes, length));
        size += length;
    }

    long size() {
        return size;
    }

    /** The MD5 of the body, once: after this nothing is added. */
    byte[] finish(Map<String, String> trailers) throws S3Refusal {
        if (sha256 != null && !SigningDigests.hex(sha256.digest()).equals(payload)) {
            throw new S3Refusal(400, "XAmzContentSHA256Mismatch", "the body is not the one that was signed");
        }
        byte[] sum = md5.digest();
        requireSame("Content-MD5", request.header("Content-MD5"), sum);
        for (var each : checksums.entrySet()) {
            String name = CHECKSUM + each.getKey();
            requireSame(name, request.header(name).or(() -> Optional.ofNullable(trailers.get(name))),
                    each.getValue().value());
        }
        return sum;
    }

    private static void requireSame(String name, Optional<String> sent, byte[] computed) throws S3Refusal {
        if (sent.isPresent() && !sent.get().equals(Base64.getEncoder().encodeToString(computed))) {
            throw new S3Refusal(400, "BadDigest", "%s does not match the body that arrived".formatted(name));
        }
    }
}
