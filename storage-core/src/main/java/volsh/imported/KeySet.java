package volsh.imported;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Keys that were seen, 16 bytes of their SHA-256 each, in a table that is at most three quarters full. */
final class KeySet {
    private static final int FIRST = 1 << 10;

    private final MessageDigest digest;
    private long[] table = new long[2 * FIRST];
    private int count;

    KeySet() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    void add(String key) {
        if (4L * (count + 1) > 3L * (table.length / 2)) {
            grow();
        }
        var sum = sum(key);
        count += put(table, sum.getLong(0), sum.getLong(8)) ? 1 : 0;
    }

    boolean contains(String key) {
        var sum = sum(key);
        int at = find(table, sum.getLong(0), sum.getLong(8));
        return table[at] != 0 || table[at + 1] != 0;
    }

    private ByteBuffer sum(String key) {
        return ByteBuffer.wrap(digest.digest(key.getBytes(StandardCharsets.UTF_8)));
    }

    private void grow() {
        var larger = new long[2 * table.length];
        for (int i = 0; i < table.length; i += 2) {
            if (table[i] != 0 || table[i + 1] != 0) {
                put(larger, table[i], table[i + 1]);
            }
        }
        table = larger;
    }

    private static boolean put(long[] target, long high, long low) {
        int at = find(target, high, low);
        boolean isNew = target[at] == 0 && target[at + 1] == 0;
        target[at] = high;
        target[at + 1] = low;
        return isNew;
    }

    /** Where it is, or the free place where it belongs. */
    private static int find(long[] in, long high, long low) {
        int places = in.length / 2;
        int at = (int) (high & places - 1);
        while ((in[2 * at] != 0 || in[2 * at + 1] != 0) && (in[2 * at] != high || in[2 * at + 1] != low)) {
            at = at + 1 & places - 1;
        }
        return 2 * at;
    }
}
