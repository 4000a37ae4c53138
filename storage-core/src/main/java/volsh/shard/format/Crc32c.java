package volsh.shard.format;

import java.io.IOException;
import java.util.zip.CRC32C;

/** CRC-32C, and how TFRecord files store it. */
final class Crc32c {
    private static final int MASK = 0xa282ead8;

    private Crc32c() {}

    static int of(byte[] bytes, int from, int length) {
        var sum = new CRC32C();
        sum.update(bytes, from, length);
        return (int) sum.getValue();
    }

    /** The sum of a range of any length. */
    static int of(ShardWindow window, long from, long length) throws IOException {
        var sum = new CRC32C();
        for (long done = 0; done < length;) {
            int now = window.some(from + done, length - done);
            sum.update(window.array(), window.index(from + done), now);
            done += now;
        }
        return (int) sum.getValue();
    }

    /** Rotated and shifted, so that the sum of data that contains sums is as good as others. */
    static int masked(int sum) {
        return (sum >>> 15 | sum << 17) + MASK;
    }
}
