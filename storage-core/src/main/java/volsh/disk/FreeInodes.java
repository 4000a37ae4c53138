package volsh.disk;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.OptionalLong;

/** The number of free inodes of a file system: without any it is full. Java's own file stores do not say. */
public final class FreeInodes {
    private static final int STATVFS_BYTES = 112;
    private static final int FILES = 40;
    private static final int FILES_AVAILABLE = 56;

    private static final MethodHandle STATVFS = statvfs();

    private FreeInodes() {}

    @SuppressWarnings("restricted")   // the one place here where native code is bound
    private static MethodHandle statvfs() {
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow("statvfs"),
                FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
    }

    /** Of the file system of this file; empty if it has no limit, or cannot be queried. */
    public static OptionalLong of(Path file) {
        try (var arena = Arena.ofConfined()) {
            var answer = arena.allocate(STATVFS_BYTES, Long.BYTES);
            int failed = (int) STATVFS.invokeExact(arena.allocateFrom(file.toString()), answer);
            return failed != 0 || answer.get(JAVA_LONG, FILES) == 0 ? OptionalLong.empty()
                    : OptionalLong.of(answer.get(JAVA_LONG, FILES_AVAILABLE));
        } catch (RuntimeException | Error failed) {
            throw failed;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Whether no more files can be created there. */
    public static boolean isExhausted(Path file) {
        var free = of(file);
        return free.isPresent() && free.getAsLong() == 0;
    }
}
