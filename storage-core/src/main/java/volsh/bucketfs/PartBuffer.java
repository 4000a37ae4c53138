package volsh.bucketfs;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import volsh.bucketfs.WriteMemory.Piece;

/**
 * The bytes of a part of a file that is being written, outside of the heap; grows as it is filled. Not thread-safe;
 * {@link #bytes} may be read by others while nothing is written.
 */
final class PartBuffer implements AutoCloseable {
    private final long most;
    private final boolean whole;
    private final WriteMemory budget;
    private Piece piece = Piece.NONE;
    private long length;

    /** {@code whole} if it is going to have {@code most} bytes. */
    PartBuffer(long most, boolean whole, WriteMemory budget) {
        this.most = most;
        this.whole = whole;
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
            memory().asSlice(length, offset - length).fill((byte) 0);
        }
        memory().asSlice(offset, source.remaining()).asByteBuffer().put(source);
        length = Math.max(length, end);
    }

    private void grow(long needed) {
        if (needed <= memory().byteSize()) {
            return;
        }
        long size = whole ? most : Math.max(WriteMemory.SMALLEST, memory().byteSize());
        while (size < needed) {
            size *= WriteMemory.GROWTH;
        }
        var larger = budget.take(Math.min(size, most));
        MemorySegment.copy(memory(), 0, larger.memory(), 0, length);
        budget.give(piece);
        piece = larger;
    }

    private MemorySegment memory() {
        return piece.memory();
    }

    /** Makes it as long as this, with zeros. */
    void extend(long end) {
        if (end > length) {
            grow(end);
            memory().asSlice(length, end - length).fill((byte) 0);
            length = end;
        }
    }

    void truncate(long size) {
        length = Math.min(length, size);
    }

    /** All bytes. */
    ByteBuffer bytes() {
        return memory().asSlice(0, length).asByteBuffer();
    }

    @Override
    public void close() {
        budget.give(piece);
        piece = Piece.NONE;
        length = 0;
    }
}
