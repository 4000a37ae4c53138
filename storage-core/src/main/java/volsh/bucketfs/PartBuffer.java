package volsh.bucketfs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The bytes of a part of a file that is being written, outside of the heap; grows as it is filled. Not thread-safe;
 * {@link #bytes} may be read by others while nothing is written.
 */
final class PartBuffer implements AutoCloseable {
    private static final long SMALLEST = 64 << 10;

    private final long most;
    private final WriteMemory budget;
    private Arena arena = Arena.ofShared();
    private MemorySegment memory = MemorySegment.NULL;
    private long length;

    PartBuffer(long most, WriteMemory budget) {
        this.most = most;
        this.budget = budget;
    }

    int length() {
        return (int) length;
    }

    /** Takes as many bytes as fit from the offset on; a gap before it is filled with zeros. */
    void write(long offset, ByteBuffer source) {
        long end = offset + source.remaining();
        grow(end);
        if (offset > length) {
            memory.asSlice(length, offset - length).fill((byte) 0);
        }
        memory.asSlice(offset, source.remaining()).asByteBuffer().put(source);
        length = Math.max(length, end);
    }

    private void grow(long needed) {
        if (needed <= memory.byteSize()) {
            return;
        }
        long size = Math.max(SMALLEST, memory.byteSize());
        while (size < needed) {
            size *= 4;
        }
        size = Math.min(size, most);
        var larger = Arena.ofShared();
        var fresh = larger.allocate(size, 8);
        budget.took(size - memory.byteSize());
        MemorySegment.copy(memory, 0, fresh, 0, length);
        arena.close();
        arena = larger;
        memory = fresh;
    }

    /** Makes it as long as this, with zeros. */
    void extend(long end) {
        if (end > length) {
            grow(end);
            memory.asSlice(length, end - length).fill((byte) 0);
            length = end;
        }
    }

    void truncate(long size) {
        length = Math.min(length, size);
    }

    /** All bytes. */
    ByteBuffer bytes() {
        return memory.asSlice(0, length).asByteBuffer();
    }

    @Override
    public void close() {
        budget.gave(memory.byteSize());
        arena.close();
        memory = MemorySegment.NULL;
        length = 0;
    }
}
