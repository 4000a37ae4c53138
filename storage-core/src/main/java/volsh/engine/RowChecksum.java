package volsh.engine;

import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The checksum at the end of a stored row: CRC-32C of its key and its value. A row that was changed, or is under
 * another key, does not match. Engines add it on writing and verify it on reading; above them values are without.
 */
public final class RowChecksum {
    /** The length added to a value. */
    public static final int BYTES = 4;

    private RowChecksum() {}

    /** The value as it is stored. */
    public static byte[] seal(MetaKey key, byte[] value) {
        byte[] sealed = Arrays.copyOf(value, value.length + BYTES);
        int sum = of(key.bytes(), value, value.length);
        for (int i = 0; i < BYTES; i++) {
            sealed[value.length + i] = (byte) (sum >>> 8 * (BYTES - 1 - i));
        }
        return sealed;
    }

    /** Whether the checksum matches. */
    public static boolean isSound(byte[] key, byte[] sealed) {
        int length = sealed.length - BYTES;
        if (length < 0) {
            return false;
        }
        int sum = 0;
        for (int i = 0; i < BYTES; i++) {
            sum = sum << 8 | sealed[length + i] & 0xff;
        }
        return sum == of(key, sealed, length);
    }

    /** The value without its checksum, which was already verified; empty if it is too short. */
    public static byte[] value(byte[] sealed) {
        return Arrays.copyOf(sealed, Math.max(0, sealed.length - BYTES));
    }

    private static int of(byte[] key, byte[] value, int length) {
        var sum = new CRC32C();
        sum.update(key, 0, key.length);
        sum.update(value, 0, length);
        return (int) sum.getValue();
    }
}
