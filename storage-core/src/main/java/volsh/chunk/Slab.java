package volsh.chunk;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;

/** A piece of off-heap memory, page-aligned, on loan from its {@link Slabs}. Close it once to give it back. */
final class Slab implements AutoCloseable {
    private static final int PAGE = 4096;

    private final Slabs home;
    private final Arena arena = Arena.ofShared();
    private final ByteBuffer memory;

    Slab(Slabs home, int capacity) {
        this.home = home;
        this.memory = arena.allocate(capacity, PAGE).asByteBuffer();
    }

    int capacity() {
        return memory.capacity();
    }

    /** A fresh view of {@code [from, to)}. */
    ByteBuffer view(int from, int to) {
        return memory.slice(from, to - from);
    }

    /** A fresh view of the first {@code length} bytes. */
    ByteBuffer view(int length) {
        return view(0, length);
    }

    @Override
    public void close() {
        home.giveBack(this);
    }

    /** Frees the memory for good. */
    void free() {
        arena.close();
    }
}
