package volsh.vfs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.HashMap;
import java.util.Map;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fuse.Errno;

/** The C library's file calls. A call that fails throws what its error number means. */
final class SystemCalls {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));
    private static final int EOVERFLOW = 75;
    private static final Map<Integer, FsError> ERRORS = errors();

    static final MethodHandle OPENAT = call("openat", 3, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
    static final MethodHandle CLOSE = call("close", JAVA_INT, JAVA_INT);
    static final MethodHandle PREAD = call("pread", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
    static final MethodHandle PWRITE = call("pwrite", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
    static final MethodHandle FSYNC = call("fsync", JAVA_INT, JAVA_INT);
    static final MethodHandle FTRUNCATE = call("ftruncate", JAVA_INT, JAVA_INT, JAVA_LONG);
    static final MethodHandle TRUNCATE = call("truncate", JAVA_INT, ADDRESS, JAVA_LONG);
    static final MethodHandle FALLOCATE = call("fallocate", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
    static final MethodHandle LSEEK = call("lseek", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT);
    static final MethodHandle COPY_FILE_RANGE =
            call("copy_file_range", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
    static final MethodHandle MKDIRAT = call("mkdirat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    static final MethodHandle MKNODAT = call("mknodat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG);
    static final MethodHandle UNLINKAT = call("unlinkat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    static final MethodHandle LINKAT = call("linkat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT);
    static final MethodHandle SYMLINKAT = call("symlinkat", JAVA_INT, ADDRESS, JAVA_INT, ADDRESS);
    static final MethodHandle READLINKAT = call("readlinkat", JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
    static final MethodHandle RENAMEAT2 = call("renameat2", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT);
    static final MethodHandle STATX = call("statx", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS);
    static final MethodHandle FCHMODAT = call("fchmodat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
    static final MethodHandle FCHMOD = call("fchmod", JAVA_INT, JAVA_INT, JAVA_INT);
    static final MethodHandle FCHOWNAT = call("fchownat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT);
    static final MethodHandle UTIMENSAT = call("utimensat", JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
    static final MethodHandle FUTIMENS = call("futimens", JAVA_INT, JAVA_INT, ADDRESS);
    static final MethodHandle GETXATTR = call("getxattr", JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG);
    static final MethodHandle SETXATTR = call("setxattr", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT);
    static final MethodHandle LISTXATTR = call("listxattr", JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG);
    static final MethodHandle REMOVEXATTR = call("removexattr", JAVA_INT, ADDRESS, ADDRESS);
    static final MethodHandle GETDENTS = call("getdents64", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
    static final MethodHandle UMASK = call("umask", JAVA_INT, JAVA_INT);

    private SystemCalls() {}

    private static MethodHandle call(String name, MemoryLayout result, MemoryLayout... arguments) {
        return bind(name, FunctionDescriptor.of(result, arguments), Linker.Option.captureCallState("errno"));
    }

    /** One whose arguments from {@code fixed} on are variadic. */
    private static MethodHandle call(String name, int fixed, MemoryLayout result, MemoryLayout... arguments) {
        return bind(name, FunctionDescriptor.of(result, arguments), Linker.Option.captureCallState("errno"),
                Linker.Option.firstVariadicArg(fixed));
    }

    @SuppressWarnings("restricted")   // the shapes are those of the manual
    private static MethodHandle bind(String name, FunctionDescriptor shape, Linker.Option... options) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), shape, options);
    }

    private static Map<Integer, FsError> errors() {
        var errors = new HashMap<Integer, FsError>();
        for (var error : FsError.values()) {
            errors.put(Errno.of(error), error);
        }
        errors.put(EOVERFLOW, FsError.INVALID);   // the kernel's word for offsets that no file has
        return Map.copyOf(errors);
    }

    /** One call with memory for its arguments; {@code state} is where its error number goes. */
    interface Call {
        long on(MemorySegment state, Arena arena) throws Throwable;
    }

    /** Makes the call; -1 means that it failed. */
    static long run(Call call) throws FsException {
        try (var arena = Arena.ofConfined()) {
            var state = arena.allocate(STATE);
            long result = call.on(state, arena);
            if (result == -1) {
                throw failure((int) ERRNO.get(state, 0L));
            }
            return result;
        } catch (FsException | RuntimeException | Error failed) {
            throw failed;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static FsException failure(int errno) {
        var error = ERRORS.get(errno);
        if (error == null) {
            throw new IllegalStateException("error number " + errno + ", which no refusal of ours has");
        }
        return new FsException(error);
    }

    static MemorySegment bytes(Arena arena, byte[] bytes) {
        var copy = arena.allocate(bytes.length + 1L);
        MemorySegment.copy(bytes, 0, copy, java.lang.foreign.ValueLayout.JAVA_BYTE, 0, bytes.length);
        return copy;
    }
}
