package volsh.engine.postgres;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import volsh.engine.MetaKey;

/** A row as read; {@code version} changes with every write. If {@code isDamaged}, its checksum does not match. */
record Found(MetaKey key, byte[] value, long version, boolean isDamaged) {
    /** As computed by {@code 3.sql}: the first bytes of SHA-256, because the server has no shorter checksum. */
    private static final int CHECKSUM_BYTES = 4;

    /** Parses a value followed by its checksum. */
    static Found sealed(MetaKey key, byte[] sealed, long version) {
        int length = Math.max(0, sealed.length - CHECKSUM_BYTES);
        var digest = sha256();
        digest.update(key.bytes());
        digest.update(sealed, 0, length);
        boolean same = Arrays.equals(digest.digest(), 0, CHECKSUM_BYTES, sealed, length, sealed.length);
        return new Found(key, Arrays.copyOf(sealed, length), version, !same);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
