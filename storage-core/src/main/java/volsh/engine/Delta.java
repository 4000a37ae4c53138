package volsh.engine;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A change of a counter row that commutes with every other: sums are added, maxima only grow. The row holds one byte
 * with the number of sums, then the sums and the maxima as big-endian longs. An absent row counts as all zeros; all
 * deltas of one row have the same shape.
 */
public record Delta(long[] sums, long[] maxima) {
    public Delta {
        if (sums.length > 15 || maxima.length > 15) {
            throw new IllegalArgumentException("a counter row has at most 15 sums and 15 maxima");
        }
    }

    /** Adds to a row that is a single counter. */
    public static Delta of(long sum) {
        return new Delta(new long[] {sum}, new long[0]);
    }

    /** Parses a counter row; zeros without slots for null. */
    public static Delta parse(byte[] row) {
        var in = ByteBuffer.wrap(row);
        int sumCount = in.get();
        if (sumCount < 0 || sumCount > 15 || (row.length - 1) % 8 != 0 || (row.length - 1) / 8 < sumCount) {
            throw new IllegalArgumentException("invalid counter row of %d sums: %d bytes"
                    .formatted(sumCount, row.length));
        }
        long[] sums = new long[sumCount];
        long[] maxima = new long[(row.length - 1) / 8 - sumCount];
        for (int i = 0; i < sums.length; i++) {
            sums[i] = in.getLong();
        }
        for (int i = 0; i < maxima.length; i++) {
            maxima[i] = in.getLong();
        }
        return new Delta(sums, maxima);
    }

    /** The two changes as one. */
    public Delta plus(Delta other) {
        if (other.sums.length != sums.length || other.maxima.length != maxima.length) {
            throw new IllegalArgumentException("counter deltas of different shapes");
        }
        long[] sum = sums.clone();
        long[] max = maxima.clone();
        for (int i = 0; i < sum.length; i++) {
            sum[i] += other.sums[i];
        }
        for (int i = 0; i < max.length; i++) {
            max[i] = Math.max(max[i], other.maxima[i]);
        }
        return new Delta(sum, max);
    }

    /** The row after this change. {@code row} is null when absent. */
    public byte[] applyTo(byte @Nullable [] row) {
        return (row == null ? this : parse(row).plus(this)).row();
    }

    /** This delta as the content of a row. */
    public byte[] row() {
        var out = ByteBuffer.allocate(1 + 8 * (sums.length + maxima.length)).put((byte) sums.length);
        for (long sum : sums) {
            out.putLong(sum);
        }
        for (long max : maxima) {
            out.putLong(max);
        }
        return out.array();
    }
}
