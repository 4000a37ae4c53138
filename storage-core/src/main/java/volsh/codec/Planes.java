package volsh.codec;

import java.nio.ByteBuffer;

/**
 * Splits numbers of two or four bytes into planes: first all their lowest bytes, then all their second ones, and so on.
 * The bytes of sign and exponent, which are much alike in weights, then lie together, apart from those of the mantissa,
 * which are noise.
 *
 * <p>Loops over arrays: fast also where only the first compiler of the JVM runs, as in commands. For one thread.
 *
 * <p>Byte {@code i} goes to plane {@code i mod width}; it does not matter where in the input a number begins.
 */
final class Planes {
    private static final int SAMPLE = 16 << 10;
    private static final int VALUES = 256;
    private static final int WIDEST = 4;
    /** A larger width must save this much more, and the first one this much over none. */
    private static final double WORTH = 0.98;

    private final int[][] counts = new int[WIDEST][VALUES];
    private byte[] whole = {};
    private byte[] apart = {};

    static boolean isWidth(int width) {
        return width == 2 || width == WIDEST;
    }

    /** How many of {@code bytes} bytes are in a plane. */
    static int length(int bytes, int width, int plane) {
        return (bytes - plane + width - 1) / width;
    }

    /**
     * The size of the numbers in {@code raw}, estimated from the byte frequencies of a sample; 1 if splitting saves
     * nothing.
     */
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
        int length = Math.min(raw.limit(), SAMPLE);
        room(length);
        raw.get((raw.limit() - length) / 2 & -WIDEST, whole, 0, length);
        for (int i = 0; i < length; i++) {
            counts[i & WIDEST - 1][whole[i] & 0xff]++;
        }
    }

    /** The entropy of the sample in bits, with a code of its own for each plane. */
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
        return n == 0 ? 0 : (double) n * Math.log((double) n);
    }

    /** Splits all of {@code raw}: the planes, one behind the other, from 0 of {@code planes}. */
    void split(ByteBuffer raw, int width, ByteBuffer planes) {
        int length = raw.limit();
        room(length);
        raw.get(0, whole, 0, length);
        if (width == 2) {
            splitTwo(length);
        } else {
            splitFour(length);
        }
        planes.put(0, apart, 0, length);
    }

    /** Each loop splits a number at a time; bytes behind the last whole number are the ends of the first planes. */
    private void splitTwo(int length) {
        byte[] from = whole;
        byte[] to = apart;
        int second = length(length, 2, 0);
        int numbers = length / 2;
        for (int i = 0; i < numbers; i++) {
            to[i] = from[2 * i];
            to[second + i] = from[2 * i + 1];
        }
        if (length % 2 == 1) {
            to[numbers] = from[length - 1];
        }
    }

    private void splitFour(int length) {
        byte[] from = whole;
        byte[] to = apart;
        int second = length(length, WIDEST, 0);
        int third = second + length(length, WIDEST, 1);
        int fourth = third + length(length, WIDEST, 2);
        int numbers = length / WIDEST;
        for (int i = 0, at = 0; i < numbers; i++, at += WIDEST) {
            to[i] = from[at];
            to[second + i] = from[at + 1];
            to[third + i] = from[at + 2];
            to[fourth + i] = from[at + 3];
        }
        for (int i = numbers * WIDEST, plane = 0, start = 0; i < length;
                i++, start += length(length, WIDEST, plane++)) {
            to[start + numbers] = from[i];
        }
    }

    /** Joins planes to {@code length} bytes at {@code at} of {@code target}. */
    void join(ByteBuffer planes, int width, ByteBuffer target, int at, int length) {
        room(length);
        planes.get(0, apart, 0, length);
        if (width == 2) {
            joinTwo(length);
        } else {
            joinFour(length);
        }
        target.put(at, whole, 0, length);
    }

    private void joinTwo(int length) {
        byte[] from = apart;
        byte[] to = whole;
        int second = length(length, 2, 0);
        int numbers = length / 2;
        for (int i = 0; i < numbers; i++) {
            to[2 * i] = from[i];
            to[2 * i + 1] = from[second + i];
        }
        if (length % 2 == 1) {
            to[length - 1] = from[numbers];
        }
    }

    private void joinFour(int length) {
        byte[] from = apart;
        byte[] to = whole;
        int second = length(length, WIDEST, 0);
        int third = second + length(length, WIDEST, 1);
        int fourth = third + length(length, WIDEST, 2);
        int numbers = length / WIDEST;
        for (int i = 0, at = 0; i < numbers; i++, at += WIDEST) {
            to[at] = from[i];
            to[at + 1] = from[second + i];
            to[at + 2] = from[third + i];
            to[at + 3] = from[fourth + i];
        }
        for (int i = numbers * WIDEST, plane = 0, start = 0; i < length;
                i++, start += length(length, WIDEST, plane++)) {
            to[i] = from[start + numbers];
        }
    }

    private void room(int length) {
        if (whole.length < length) {
            whole = new byte[Math.max(length, BlockCodec.FRAME_LENGTH)];
            apart = new byte[whole.length];
        }
    }
}
