package volsh.upkeep;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** Numbers with a value each, added in (unsigned) ascending order and then looked up; kept in an unnamed file. */
public final class NumberTable implements AutoCloseable {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int TUPLE = 2 * Long.BYTES;

    private final FileChannel file;
    private final Arena arena = Arena.ofShared();
    private final ByteBuffer pending = ByteBuffer.allocate(64 << 10);
    private MemorySegment tuples = MemorySegment.NULL;   // until all are added
    private long size;

    public NumberTable(Path directory) throws IOException {
        this.file = ScratchFile.open(directory);
    }

    public void add(long number, long value) throws IOException {
        pending.putLong(number).putLong(value);
        size++;
        if (!pending.hasRemaining()) {
            write();
        }
    }

    private void write() throws IOException {
        pending.flip();
        while (pending.hasRemaining()) {
            file.write(pending);
        }
        pending.clear();
    }

    /** Ends adding; from now on numbers can be looked up. */
    public NumberTable done() throws IOException {
        write();
        tuples = file.map(FileChannel.MapMode.READ_ONLY, 0, size * TUPLE, arena);
        return this;
    }

    int size() {
        return Math.toIntExact(size);
    }

    long number(int index) {
        return tuples.get(LONG, (long) index * TUPLE);
    }

    public long value(int index) {
        return tuples.get(LONG, (long) index * TUPLE + Long.BYTES);
    }

    /** The position of the number; negative if it is missing. */
    public int find(long number) {
        int low = 0;
        int high = size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = Long.compareUnsigned(number(middle), number);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    @Override
    public void close() throws IOException {
        arena.close();
        file.close();
    }
}
