package volsh.shard.format;

import java.io.IOException;
import java.nio.ByteBuffer;
import volsh.fs.ByteSource;
import volsh.shard.DamagedShardException;
import volsh.shard.SamplePosition;

/**
 * A part of a shard in memory, which moves along with its reader. Who reads in order costs the source one read for each
 * mebibyte, however small the samples; who jumps costs a small read for each jump. Offsets count from the beginning of
 * the shard.
 */
final class ShardWindow {
    static final int SIZE = 1 << 20;
    /** What is read at once after a jump. */
    private static final int JUMP = 64 << 10;
    /** Samples up to this size are read at once when their position is known. */
    private static final int SAMPLE_MAX = 64 << 20;

    private final ByteSource source;
    private final long end;
    private final byte[] buffer;
    private long start;
    private int count;

    private ShardWindow(ByteSource source, long start, long end, int capacity) {
        this.source = source;
        this.start = start;
        this.end = end;
        this.buffer = new byte[capacity];
    }

    static ShardWindow whole(ByteSource source) throws IOException {
        long size = source.size();
        return new ShardWindow(source, 0, size, (int) Math.min(SIZE, size));
    }

    /** A window over one sample: one read fills it, unless the sample is huge. */
    static ShardWindow of(ByteSource source, SamplePosition position) throws IOException {
        if (position.offset() < 0 || position.length() < 0 || position.offset() > source.size() - position.length()) {
            throw new DamagedShardException(position.offset(), "the index has %d bytes here, the whole shard %d"
                    .formatted(position.length(), source.size()));
        }
        int capacity = (int) (position.length() <= SAMPLE_MAX ? position.length() : SIZE);
        return new ShardWindow(source, position.offset(), position.offset() + position.length(), capacity);
    }

    /** Where the bytes end that may be asked for. */
    long end() {
        return end;
    }

    byte[] array() {
        return buffer;
    }

    /** Makes bytes available in {@link #array}. @return the index of the first */
    int load(long offset, int length) throws IOException {
        return load(offset, length, offset);
    }

    /**
     * The same, and does not forget the bytes from {@code keep} on if they are here and there is room for both.
     *
     * @throws DamagedShardException if the shard ends before
     */
    int load(long offset, int length, long keep) throws IOException {
        if (length > end - offset) {
            throw new DamagedShardException(offset, "truncated: %d bytes are missing"
                    .formatted(length - (end - offset)));
        }
        if (offset < start || offset + length > start + count) {
            move(offset, length, Math.clamp(keep, 0, offset));
        }
        return (int) (offset - start);
    }

    private void move(long offset, int length, long keep) throws IOException {
        boolean adjoins = keep >= start && keep <= start + count && offset + length - keep <= buffer.length;
        if (adjoins) {
            int gone = (int) (keep - start);
            System.arraycopy(buffer, gone, buffer, 0, count - gone);
            start = keep;
            count -= gone;
        } else {
            start = offset;
            count = 0;
        }
        int wanted = adjoins ? buffer.length : Math.min(Math.max(length, JUMP), buffer.length);
        fill((int) Math.min(wanted, end - start), (int) (offset + length - start));
    }

    private void fill(int wanted, int needed) throws IOException {
        var target = ByteBuffer.wrap(buffer, count, wanted - count);
        while (count < needed) {
            int now = source.read(start + count, target);
            if (now <= 0) {
                throw new DamagedShardException(start + count, "the file became shorter while it was read");
            }
            count += now;
        }
    }

    /** At least one and at most {@code most} bytes from the offset on, of which some may be here. @return how many */
    int some(long offset, long most) throws IOException {
        if (offset < start || offset >= start + count) {
            boolean continues = offset == start + count;
            start = offset;
            count = 0;
            fill((int) Math.min(buffer.length, continues ? end - offset : Math.min(most, end - offset)), 1);
        }
        return (int) Math.min(most, start + count - offset);
    }

    /** The index of an offset that is here. */
    int index(long offset) {
        return (int) (offset - start);
    }

    /** Reads past what is here into the target, for ranges larger than the window. @return how many bytes */
    int read(long offset, byte[] target, int from, int length) throws IOException {
        int here = offset >= start && offset < start + count ? (int) Math.min(length, start + count - offset) : 0;
        if (here > 0) {
            System.arraycopy(buffer, (int) (offset - start), target, from, here);
            return here;
        }
        if (length >= buffer.length) {
            return source.read(offset, ByteBuffer.wrap(target, from, length));
        }
        return -1;
    }
}
