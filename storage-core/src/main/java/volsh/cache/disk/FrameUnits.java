package volsh.cache.disk;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The units of a frame that have checksums of their own: 4 KiB each, except for the first, which has the remainder. An
 * uncompressed frame has a header before its raw bytes, so a page of a file is one unit, and not the halves of two.
 */
final class FrameUnits {
    static final int LENGTH = 4096;

    private FrameUnits() {}

    static int count(int frameLength) {
        return (frameLength + LENGTH - 1) / LENGTH;
    }

    static int sumsLength(int frameLength) {
        return Integer.BYTES * count(frameLength);
    }

    /** The unit that holds a byte. */
    static int at(int frameLength, int offset) {
        return count(frameLength) - 1 - (frameLength - 1 - offset) / LENGTH;
    }

    /** Where a unit begins; for the one behind the last, where the frame ends. */
    static int start(int frameLength, int unit) {
        return Math.max(0, frameLength - (count(frameLength) - unit) * LENGTH);
    }

    static void putSums(ByteBuffer frame, ByteBuffer target) {
        var crc = new CRC32C();
        var view = frame.slice();
        for (int unit = 0, units = count(view.capacity()); unit < units; unit++) {
            target.putInt(sum(crc, view, start(view.capacity(), unit), start(view.capacity(), unit + 1)));
        }
    }

    /** Whether these bytes are the units from {@code first} on. */
    static boolean areRight(int frameLength, int[] sums, int first, ByteBuffer bytes) {
        var crc = new CRC32C();
        var view = bytes.slice();
        int base = start(frameLength, first);
        for (int unit = first, from = base; from - base < view.capacity(); unit++) {
            int to = start(frameLength, unit + 1);
            if (sum(crc, view, from - base, to - base) != sums[unit]) {
                return false;
            }
            from = to;
        }
        return true;
    }

    private static int sum(CRC32C crc, ByteBuffer view, int from, int to) {
        crc.reset();
        crc.update(view.limit(to).position(from));
        return (int) crc.getValue();
    }
}
