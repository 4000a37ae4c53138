package volsh.gateway;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/** The chain of signatures of a body that comes in chunks: each is signed together with the one before it. */
final class ChunkSignatures {
    private static final String NOTHING = SigningDigests.hex(SigningDigests.sha256(""));

    private final byte[] key;
    private final String time;
    private final String scope;
    private String previous;

    ChunkSignatures(byte[] key, String time, String scope, String first) {
        this.key = key.clone();
        this.time = time;
        this.scope = scope;
        this.previous = first;
    }

    void checkChunk(String signature, byte[] sha256) throws S3Refusal {
        check(signature, String.join("\n", "AWS4-HMAC-SHA256-PAYLOAD", time, scope, previous, NOTHING,
                SigningDigests.hex(sha256)));
    }

    void checkTrailer(String signature, String trailer) throws S3Refusal {
        check(signature, String.join("\n", "AWS4-HMAC-SHA256-TRAILER", time, scope, previous,
                SigningDigests.hex(SigningDigests.sha256(trailer))));
    }

    private void check(String signature, String text) throws S3Refusal {
        String right = SigningDigests.hex(SigningDigests.hmac(key, text));
        if (!MessageDigest.isEqual(right.getBytes(StandardCharsets.US_ASCII),
                signature.getBytes(StandardCharsets.UTF_8))) {
            throw new S3Refusal(403, "SignatureDoesNotMatch", "the signature of a part of the body does not match");
        }
        previous = right;
    }
}
