package volsh.dataset.shards;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import volsh.shard.SamplePosition;

/**
 * Counts the bytes of a shard as they are written, with a checksum of all of them and one of each sample. Writers buffer:
 * a sample is announced before its last bytes pass, and never after those of the next.
 */
final class CheckedStream extends OutputStream {
    private final OutputStream target;
    private final CRC32C all = new CRC32C();
    private final CRC32C part = new CRC32C();
    private final Deque<Long> ends = new ArrayDeque<>();
    private final List<SamplePosition> positions = new ArrayList<>();
    private final List<Integer> sums = new ArrayList<>();
    private long count;

    CheckedStream(OutputStream target) {
        this.target = target;
    }

    /** A sample that was given to the writer, which lies behind the one before. */
    void sample(SamplePosition position) {
        positions.add(position);
        ends.add(position.offset() + position.length());
        endSamples();
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        target.write(bytes, offset, length);
        all.update(bytes, offset, length);
        for (int at = offset, left = length; left > 0; ) {
            int step = ends.isEmpty() ? left : (int) Math.min(left, ends.peek() - count);
            part.update(bytes, at, step);
            count += step;
            at += step;
            left -= step;
            endSamples();
        }
    }

    private void endSamples() {
        while (!ends.isEmpty() && ends.peek() <= count) {
            ends.remove();
            sums.add((int) part.getValue());
            part.reset();
        }
    }

    @Override
    public void flush() throws IOException {
        target.flush();
    }

    long count() {
        return count;
    }

    int samples() {
        return positions.size();
    }

    String crc32c() {
        return "%08x".formatted((int) all.getValue());
    }

    /** The index of the finished shard, for formats that write samples one behind the other from the beginning. */
    ShardIndex index() {
        var entries = new ArrayList<ShardIndex.Entry>();
        for (int i = 0; i < positions.size(); i++) {
            entries.add(new ShardIndex.Entry(positions.get(i),
                    i < sums.size() ? Optional.of(sums.get(i)) : Optional.empty()));
        }
        return new ShardIndex(entries);
    }
}
