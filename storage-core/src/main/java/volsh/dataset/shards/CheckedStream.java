package volsh.dataset.shards;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.zip.CRC32C;
import volsh.shard.SamplePosition;

/**
 * Counts the bytes of a shard as they are written, with a checksum of all of them and one of each sample. Writers
 * buffer: a sample is announced before its last bytes pass, and never after those of the next.
 */
final class CheckedStream extends OutputStream {
    private final OutputStream target;
    private final CRC32C all = new CRC32C();
    private final CRC32C part = new CRC32C();
    private final Deque<Range> open = new ArrayDeque<>();      // announced, and not all written
    private final IndexText index = new IndexText();
    private final boolean indexed;
    private int samples;
    private long count;

    private record Range(long offset, long end) {}

    /** @param indexed whether {@link #index} is wanted */
    CheckedStream(OutputStream target, boolean indexed) {
        this.target = target;
        this.indexed = indexed;
    }

    /** A sample that was given to the writer, which lies behind the one before. */
    void sample(SamplePosition position) {
        samples++;
        if (indexed) {
            index.add(position);
            open.add(new Range(position.offset(), position.offset() + position.length()));
            endSamples();
        }
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        target.write(bytes, offset, length);
        all.update(bytes, offset, length);
        if (!indexed) {
            count += length;
            return;
        }
        for (int at = offset, left = length; left > 0; ) {
            int step = open.isEmpty() ? left : (int) Math.min(left, open.peek().end() - count);
            part.update(bytes, at, step);
            count += step;
            at += step;
            left -= step;
            endSamples();
        }
    }

    private void endSamples() {
        while (!open.isEmpty() && open.peek().end() <= count) {
            var ended = open.remove();
            index.addSum(ended.offset(), ended.end() - ended.offset(), Optional.of((int) part.getValue()));
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
        return samples;
    }

    String crc32c() {
        return "%08x".formatted((int) all.getValue());
    }

    /** The index of the finished shard, for formats that write samples one behind the other from the beginning. */
    IndexText index() {
        open.forEach(range -> index.addSum(range.offset(), range.end() - range.offset(), Optional.empty()));
        open.clear();
        return index;
    }
}
