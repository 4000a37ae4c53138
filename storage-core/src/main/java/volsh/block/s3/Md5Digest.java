package volsh.block.s3;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

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

    /** In base 64, as the header Content-MD5. */
    static String md5(byte[] bytes) {
        return Base64.getEncoder().encodeToString(md5().digest(bytes));
    }
}
