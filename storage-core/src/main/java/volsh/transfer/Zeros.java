package volsh.transfer;

import java.nio.ByteBuffer;

/** Finds what need not be stored: bytes that are all zero. */
final class Zeros {
    private static final ByteBuffer SOME = ByteBuffer.allocateDirect(64 << 10).asReadOnlyBuffer();

    private Zeros() {}

    /** Are the remaining bytes all zero? Data that is not is told from its first bytes, so asking costs nothing. */
    static boolean only(ByteBuffer bytes) {
        for (int at = bytes.position(); at < bytes.limit(); at += SOME.capacity()) {
            int count = Math.min(SOME.capacity(), bytes.limit() - at);
            if (bytes.slice(at, count).mismatch(SOME.slice(0, count)) >= 0) {
                return false;
            }
        }
        return true;
    }
}
