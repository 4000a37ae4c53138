package volsh.plan;

import java.util.ArrayList;
import java.util.List;
import volsh.unit.ByteSize;

/** How large the files of a dataset are: a histogram by powers of two. */
public final class SampleSizes {
    private static final int BINS = 64;

    private final long[] counts = new long[BINS];
    private final long[] sums = new long[BINS];
    private long largest;

    /** Files of {@code from} to less than {@code to} bytes. */
    public record Bin(ByteSize from, ByteSize to, long files, ByteSize bytes) {}

    public void add(long size) {
        int bin = bin(size);
        counts[bin]++;
        sums[bin] += size;
        largest = Math.max(largest, size);
    }

    private static int bin(long size) {
        return size == 0 ? 0 : BINS - Long.numberOfLeadingZeros(size);
    }

    public long files() {
        long files = 0;
        for (long count : counts) {
            files += count;
        }
        return files;
    }

    public long bytes() {
        long bytes = 0;
        for (long sum : sums) {
            bytes += sum;
        }
        return bytes;
    }

    /** The mean size; 0 without files. */
    public long mean() {
        return files() == 0 ? 0 : bytes() / files();
    }

    public long largest() {
        return largest;
    }

    /** How many files are smaller than this power of two; and their bytes. */
    public Bin upTo(long size) {
        long files = 0;
        long bytes = 0;
        for (int i = 0; i < bin(size); i++) {
            files += counts[i];
            bytes += sums[i];
        }
        return new Bin(new ByteSize(0), new ByteSize(size), files, new ByteSize(bytes));
    }

    /** The ranges that have files, smallest first. */
    public List<Bin> bins() {
        var bins = new ArrayList<Bin>();
        for (int i = 0; i < BINS - 1; i++) {
            if (counts[i] > 0) {
                bins.add(new Bin(new ByteSize(i == 0 ? 0 : 1L << i - 1), new ByteSize(1L << i), counts[i],
                        new ByteSize(sums[i])));
            }
        }
        return bins;
    }
}
