package volsh.dataset;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records of bytes that are only appended: the first in memory, the rest in a mapped file without a name, so that a
 * table of any number of rows needs little memory. A record never crosses a chunk. Reading is thread-safe once
 * everything is written.
 */
final class RecordArena implements AutoCloseable {
    private static final int CHUNK = 4 << 20;
    private static final int IN_MEMORY = 16;
    private static final int ALIGNMENT = 8;

    private final List<ByteBuffer> chunks = new ArrayList<>();
    private final int inMemory;
    private @Nullable FileChannel overflow;
    private int used = CHUNK;

    RecordArena() {
        this(IN_MEMORY);
    }

    /** @param inMemory how many chunks stay in memory */
    RecordArena(int inMemory) {
        this.inMemory = inMemory;
    }

    /** Room for a record; its reference is {@link #last}. Write at once, relative to the buffer's position. */
    ByteBuffer append(int length) throws IOException {
        int rounded = (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        if (rounded > CHUNK) {
            throw new IOException("a record of %d bytes is too long".formatted(length));
        }
        if (used + rounded > CHUNK) {
            chunks.add(chunk());
            used = 0;
        }
        var room = chunks.getLast().slice(used, length);
        last = (int) (((long) (chunks.size() - 1) * CHUNK + used) / ALIGNMENT);
        used += rounded;
        return room;
    }

    private int last;

    /** The reference of the record appended last. */
    int last() {
        return last;
    }

    private ByteBuffer chunk() throws IOException {
        if (chunks.size() < inMemory) {
            return ByteBuffer.allocate(CHUNK);
        }
        if (overflow == null) {
            Path file = Files.createTempFile("volsh-table", null);
            overflow = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE);
            Files.deleteIfExists(file);
        }
        return overflow.map(FileChannel.MapMode.READ_WRITE, (long) (chunks.size() - inMemory) * CHUNK, CHUNK);
    }

    /** The chunk of a record; {@link #position} says where in it the record begins. */
    ByteBuffer chunk(int reference) {
        return chunks.get((int) (Integer.toUnsignedLong(reference) * ALIGNMENT / CHUNK));
    }

    static int position(int reference) {
        return (int) (Integer.toUnsignedLong(reference) * ALIGNMENT % CHUNK);
    }

    @Override
    public void close() throws IOException {
        chunks.clear();
        if (overflow != null) {
            overflow.close();
        }
    }
}
