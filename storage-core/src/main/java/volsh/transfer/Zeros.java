package volsh.transfer;

import java.nio.ByteBuffer;

/** Finds bytes that are all zero and need not be stored. */
final class Zeros {
    private static final ByteBuffer SOME = ByteBuffer.allocateDirect(64 << 10).asReadOnlyBuffer();

    private Zeros() {}

    /**
     * Whether the remaining bytes are all zero. Other data is recognised by its first bytes, so this costs next to
     * nothing.
     */
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
