package volsh.cache;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Page-aligned memory, mapped in one piece. It takes no memory until it is touched, and the thread that touches a page
 * first pays for that; memory from an arena would be cleared at once, while other threads wait.
 */
public final class Region {
    private static final int HUGE_PAGE = 2 << 20;
    private static final int IN_HUGE_PAGES = 14;
    private static final int READ_WRITE = 3;
    private static final int PRIVATE_ANONYMOUS = 0x22;
    private static final int NO_RESERVE = 0x4000;
    private static final int NO_FILE = -1;

    private static final MethodHandle MMAP =
            call("mmap", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle MADVISE = call("madvise",
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final MethodHandle MUNMAP = call("munmap", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));

    private Region() {}

    @SuppressWarnings("restricted")   // the only native code of this package
    private static MethodHandle call(String name, FunctionDescriptor shape) {
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), shape);
    }

    /** {@code size} bytes, unmapped with the arena. @throws OutOfMemoryError if the kernel refuses */
    @SuppressWarnings("restricted")   // the size is the one that was asked for
    static MemorySegment map(Arena arena, long size) {
        try {
            var mapped = (MemorySegment) MMAP.invokeExact(
                    MemorySegment.NULL, size, READ_WRITE, PRIVATE_ANONYMOUS | NO_RESERVE, NO_FILE, 0L);
            if (mapped.address() == -1) {
                throw new OutOfMemoryError("not enough memory for a cache of %d bytes".formatted(size));
            }
            return mapped.reinterpret(size, arena, Region::unmap);
        } catch (RuntimeException | Error failed) {
            throw failed;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /**
     * {@code size} bytes that begin at a huge page and lie in huge pages as far as the kernel has some, except for the
     * rest behind the last whole one: a disk fills them in a few pieces instead of one per page. Takes up to one huge
     * page more of address space, but no more memory.
     */
    public static MemorySegment huge(Arena arena, long size) {
        var mapped = map(arena, size + HUGE_PAGE);
        var region = mapped.asSlice(-mapped.address() & HUGE_PAGE - 1, size);
        try {
            int ignored = (int) MADVISE.invokeExact(region, size / HUGE_PAGE * HUGE_PAGE, IN_HUGE_PAGES);   // may fail
            return region;
        } catch (RuntimeException | Error failed) {
            throw failed;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static void unmap(MemorySegment mapped) {
        try {
            int ignored = (int) MUNMAP.invokeExact(mapped, mapped.byteSize());
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
