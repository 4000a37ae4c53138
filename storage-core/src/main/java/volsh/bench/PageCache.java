package volsh.bench;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The kernel's page cache. */
public final class PageCache {
    private static final Path SWITCH = Path.of("/proc/sys/vm/drop_caches");

    private PageCache() {}

    /** Drops all clean pages, names and inodes. @return whether that was allowed; only root may */
    public static boolean drop() {
        if (Brevity.WANTED) {
            return false;
        }
        try {
            Files.writeString(SWITCH, "3", StandardOpenOption.WRITE);
            return true;
        } catch (IOException notAllowed) {
            return false;
        }
    }

    /**
     * Drops the clean pages of this file. Needs no privilege and does not affect other files: after a {@link #drop} the
     * whole machine reads its programs again, which disturbs the next measurement.
     *
     * @return whether the kernel followed the advice
     */
    public static boolean forget(Path file) {
        try (var arena = Arena.ofConfined()) {
            int descriptor = (int) Calls.OPEN.invokeExact(arena.allocateFrom(file.toString()),
                    Calls.READ_ONLY_CLOSE_ON_EXEC);
            if (descriptor < 0) {
                return false;
            }
            int refused = (int) Calls.ADVISE.invokeExact(descriptor, 0L, 0L, Calls.NOT_NEEDED);
            int ignored = (int) Calls.CLOSE.invokeExact(descriptor);
            return refused == 0;
        } catch (RuntimeException | Error failed) {
            throw failed;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Linked when first used. */
    @SuppressWarnings("restricted") // the signatures are those of the C library
    private static final class Calls {
        static final int READ_ONLY_CLOSE_ON_EXEC = 0x80000;
        static final int NOT_NEEDED = 4;
        static final MethodHandle OPEN = call("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT),
                Linker.Option.firstVariadicArg(2));
        static final MethodHandle ADVISE = call("posix_fadvise",
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
        static final MethodHandle CLOSE = call("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

        private Calls() {}

        private static MethodHandle call(String name, FunctionDescriptor shape, Linker.Option... options) {
            return Linker.nativeLinker().downcallHandle(Linker.nativeLinker().defaultLookup().findOrThrow(name), shape,
                    options);
        }
    }
}
