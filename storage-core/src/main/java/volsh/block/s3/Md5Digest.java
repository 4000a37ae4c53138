package volsh.block.s3;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** MD5, which the protocol asks for. */
final class Md5Digest {
    private Md5Digest() {}

    static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("MD5 is not available", missing);
        }
    }
}
