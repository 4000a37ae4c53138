package volsh.dataset.shards;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import volsh.dataset.DatasetDirectory.OpenShard;

/**
 * An open shard that is read about in order, each byte once: what its reader has just asked for is still here for a
 * checksum. For one thread.
 */
final class SummedShard implements OpenShard {
    private static final int BUFFER = 512 << 10;

    private final OpenShard file;
    private final Arena arena = Arena.ofShared();   // a volume fills the buffer with several threads
    private final ByteBuffer buffer;
    private final CRC32C whole = new CRC32C();
    private long start;
    private long summed;

    SummedShard(OpenShard file) throws IOException {
        this.file = file;
        this.buffer = arena.allocate(Math.clamp(file.size(), 1, BUFFER)).asByteBuffer().limit(0);
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    public int read(long offset, ByteBuffer target) throws IOException {
        int count = Math.min(target.remaining(), load(offset));
        target.put(buffer.slice((int) (offset - start), count));
        return count;
    }

    /** Makes bytes available from the offset on. @return how many; 0 at the end of the file */
    private int load(long offset) throws IOException {
        if (offset < start || offset >= start + buffer.limit()) {
            start = offset;
            buffer.clear();
            int count = 0;
            try {
                count = Math.max(0, file.read(offset, buffer));
            } finally {
                buffer.position(0).limit(count);
            }
        }
        return (int) (start + buffer.limit() - offset);
    }

    /** The CRC-32C of a range, as far as the file reaches. */
    int sum(long offset, long length) throws IOException {
        var sum = new CRC32C();
        add(sum, offset, length);
        return (int) sum.getValue();
    }

    /** Adds the bytes that come before {@code end}, and after those that were added before, to the sum of the file. */
    void passed(long end) throws IOException {
        if (end > summed) {
            add(whole, summed, end - summed);
            summed = end;
        }
    }

    /** The CRC-32C of the whole file. */
    int whole() throws IOException {
        passed(size());
        return (int) whole.getValue();
    }

    private void add(CRC32C sum, long offset, long length) throws IOException {
        for (long left = length; left > 0; ) {
            int count = (int) Math.min(left, load(offset + length - left));
            if (count == 0) {
                break;
            }
            sum.update(buffer.slice((int) (offset + length - left - start), count));
            left -= count;
        }
    }

    @Override
    public void close() throws IOException {
        if (arena.scope().isAlive()) {
            arena.close();
            file.close();
        }
    }
}
