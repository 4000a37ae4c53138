package volsh.chunk;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;

/** A piece of off-heap memory, page-aligned, on loan from its {@link Slabs}. Close it once to give it back. */
final class Slab implements AutoCloseable {
    private static final int PAGE = 4096;
    private static final int HUGE_PAGE = 2 << 20;
    /**
     * Commands that move files have the C library ask for huge pages, and the launcher says so here. A slab that begins with one is all in
     * them, and the disk takes it in a few pieces instead of a thousand: a tenth of the time for 1 GiB. It costs up to a huge page
     * of memory each, which is little for a few slabs and too much for a mount's.
     */
    private static final boolean IN_HUGE_PAGES = Boolean.getBoolean("volsh.hugePages");

    private final Slabs home;
    private final Arena arena = Arena.ofShared();
    private final ByteBuffer memory;

    Slab(Slabs home, int capacity) {
        this.home = home;
        this.memory = arena.allocate(capacity, IN_HUGE_PAGES && capacity >= HUGE_PAGE ? HUGE_PAGE : PAGE).asByteBuffer();
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
