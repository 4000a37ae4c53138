package volsh.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Numbers of two or four bytes, taken apart: first all their lowest bytes, then all their second ones, and so on. The bytes of sign and
 * exponent, which are much alike in weights, then lie together, and those of the mantissa, which are noise, do not get in their way.
 *
 * <p>Byte {@code i} of what is taken apart goes to plane {@code i mod width}; it does not matter where in it a number begins.
 */
final class Planes {
    private static final int SAMPLE = 16 << 10;
    private static final int VALUES = 256;
    private static final int WIDEST = 4;
    /** A wider one must save this much more, and the first one as much over none. */
    private static final double WORTH = 0.98;

    private final int[][] counts = new int[WIDEST][VALUES];

    static boolean isWidth(int width) {
        return width == 2 || width == WIDEST;
    }

    /** How many of so many bytes a plane has. */
    static int length(int bytes, int width, int plane) {
        return (bytes - plane + width - 1) / width;
    }

    /** Of how many bytes the numbers in here are, as the frequencies of a sample tell; 1 if taking them apart saves nothing. */
    int width(ByteBuffer raw) {
        count(raw);
        double best = WORTH * bits(1);
        int width = 1;
        for (int each = 2; each <= WIDEST; each *= 2) {
            double bits = bits(each);
            if (bits < best) {
                best = WORTH * bits;
                width = each;
            }
        }
        return width;
    }

    private void count(ByteBuffer raw) {
        for (int[] each : counts) {
            java.util.Arrays.fill(each, 0);
        }
        int from = Math.max(0, raw.limit() - SAMPLE) / 2 & -WIDEST;
        for (int i = from, end = Math.min(raw.limit(), from + SAMPLE); i < end; i++) {
            counts[i & WIDEST - 1][raw.get(i) & 0xff]++;
        }
    }

    /** The least bits that the sample takes when each plane has a code of its own. */
    private double bits(int width) {
        double bits = 0;
        for (int plane = 0; plane < width; plane++) {
            long total = 0;
            for (int value = 0; value < VALUES; value++) {
                long count = 0;
                for (int i = plane; i < WIDEST; i += width) {
                    count += counts[i][value];
                }
                total += count;
                bits -= nLogN(count);
            }
            bits += nLogN(total);
        }
        return bits;
    }

    private static double nLogN(long n) {
        return n == 0 ? 0 : n * Math.log(n);
    }

    /** Takes all of {@code raw} apart: the planes, one behind the other, from 0 of {@code planes}. */
    static void split(ByteBuffer raw, int width, ByteBuffer planes) {
        var from = raw.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        var to = planes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        int length = raw.limit();
        for (int plane = 0, at = 0; plane < width; at += length(length, width, plane++)) {
            int done = width == 2 ? everySecond(from, length, plane, to, at) : everyFourth(from, length, plane, to, at);
            for (int i = done; i * width + plane < length; i++) {
                to.put(at + i, from.get(i * width + plane));
            }
        }
    }

    private static int everySecond(ByteBuffer from, int length, int plane, ByteBuffer to, int at) {
        int done = 0;
        for (int i = 0; i + Long.BYTES <= length; i += Long.BYTES, done += 4) {
            long bytes = from.getLong(i) >>> 8 * plane & 0x00ff00ff00ff00ffL;
            bytes = (bytes | bytes >>> 8) & 0x0000ffff0000ffffL;
            to.putInt(at + done, (int) (bytes | bytes >>> 16));
        }
        return done;
    }

    private static int everyFourth(ByteBuffer from, int length, int plane, ByteBuffer to, int at) {
        int done = 0;
        for (int i = 0; i + 2 * Long.BYTES <= length; i += 2 * Long.BYTES, done += 4) {
            long low = from.getLong(i) >>> 8 * plane & 0x000000ff000000ffL;
            long high = from.getLong(i + Long.BYTES) >>> 8 * plane & 0x000000ff000000ffL;
            to.putInt(at + done, (int) (low | low >>> 24) & 0xffff | (int) (high | high >>> 24) << 16);
        }
        return done;
    }

    /** The opposite: {@code length} bytes at {@code at} of {@code target}. */
    static void join(ByteBuffer planes, int width, ByteBuffer target, int at, int length) {
        var from = planes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        var to = target.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        int done = width == 2 ? joinTwo(from, to, at, length) : joinFour(from, to, at, length);
        for (int plane = 0, start = 0; plane < width; start += length(length, width, plane++)) {
            for (int i = done; i * width + plane < length; i++) {
                to.put(at + i * width + plane, from.get(start + i));
            }
        }
    }

    private static int joinTwo(ByteBuffer from, ByteBuffer to, int at, int length) {
        int second = length(length, 2, 0);
        int done = 0;
        for (; 2 * done + Long.BYTES <= length; done += 4) {
            to.putLong(at + 2 * done, spread(from.getInt(done)) | spread(from.getInt(second + done)) << 8);
        }
        return done;
    }

    /** Four bytes with a zero behind each. */
    private static long spread(int four) {
        long bytes = Integer.toUnsignedLong(four);
        bytes = (bytes | bytes << 16) & 0x0000ffff0000ffffL;
        return (bytes | bytes << 8) & 0x00ff00ff00ff00ffL;
    }

    private static int joinFour(ByteBuffer from, ByteBuffer to, int at, int length) {
        int second = length(length, WIDEST, 0);
        int third = second + length(length, WIDEST, 1);
        int fourth = third + length(length, WIDEST, 2);
        int done = 0;
        for (; 4 * done + 2 * Long.BYTES <= length; done += 4) {
            long even = spread(from.getInt(done)) | spread(from.getInt(second + done)) << 8;     // bytes 0 and 1 of four numbers
            long odd = spread(from.getInt(third + done)) | spread(from.getInt(fourth + done)) << 8;
            to.putLong(at + 4 * done, pairs((int) even) | pairs((int) odd) << 16);
            to.putLong(at + 4 * done + Long.BYTES, pairs((int) (even >>> 32)) | pairs((int) (odd >>> 32)) << 16);
        }
        return done;
    }

    /** Two pairs of bytes with two zeros behind each. */
    private static long pairs(int two) {
        long bytes = Integer.toUnsignedLong(two);
        return (bytes | bytes << 16) & 0x0000ffff0000ffffL;
    }
}
