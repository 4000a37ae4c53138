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
 * Page-aligned memory, asked of the kernel in one piece. It takes no room until it is touched, and whoever touches it first
 * pays for that: memory from an arena would be cleared at once, while others wait.
 */
final class Region {
    private static final int READ_WRITE = 3;
    private static final int PRIVATE_ANONYMOUS = 0x22;
    private static final int NO_RESERVE = 0x4000;
    private static final int NO_FILE = -1;

    private static final MethodHandle MMAP =
            call("mmap", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle MUNMAP = call("munmap", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));

    private Region() {}

    @SuppressWarnings("restricted")   // the one place here where native code is bound
    private static MethodHandle call(String name, FunctionDescriptor shape) {
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), shape);
    }

    /** {@code size} bytes, given back with the arena. @throws OutOfMemoryError */
    @SuppressWarnings("restricted")   // the size is the one we ask for
    static MemorySegment map(Arena arena, long size) {
        try {
            var mapped = (MemorySegment) MMAP.invokeExact(
                    MemorySegment.NULL, size, READ_WRITE, PRIVATE_ANONYMOUS | NO_RESERVE, NO_FILE, 0L);
            if (mapped.address() == -1) {
                throw new OutOfMemoryError("no memory for a cache of %d bytes".formatted(size));
            }
            return mapped.reinterpret(size, arena, Region::unmap);
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
