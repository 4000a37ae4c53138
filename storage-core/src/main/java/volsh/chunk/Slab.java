package volsh.chunk;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import volsh.cache.Region;

/** A piece of off-heap memory, page-aligned, lent by its {@link Slabs}. Close it once to return it. */
final class Slab implements AutoCloseable {
    private static final int PAGE = 4096;
    private static final int HUGE_PAGE = 2 << 20;
    /**
     * How slabs get huge pages, which a disk fills in a few pieces instead of one per page: this saves a tenth of the
     * time of a command that moves a large file. Commands let the C library ask for them ({@code malloc}), which wastes
     * up to one huge page on each of a few slabs. Mounts have many slabs and ask the kernel ({@code mapped}), which
     * would delay a command by 15 ms. The launcher chooses.
     */
    private static final String HUGE_PAGES = System.getProperty("volsh.hugePages", "");

    private final Slabs home;
    private final Arena arena = Arena.ofShared();
    private final ByteBuffer memory;

    Slab(Slabs home, int capacity) {
        this.home = home;
        this.memory = allocate(arena, capacity).asByteBuffer();
    }

    private static MemorySegment allocate(Arena arena, int capacity) {
        return switch (capacity < HUGE_PAGE ? "" : HUGE_PAGES) {
            case "malloc" -> arena.allocate(capacity, HUGE_PAGE);
            case "mapped" -> Region.huge(arena, capacity);
            default -> arena.allocate(capacity, PAGE);
        };
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
