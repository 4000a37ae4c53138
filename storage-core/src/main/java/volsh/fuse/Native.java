package volsh.fuse;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** The system calls that a mount needs. A failed call returns its negative error number. */
public final class Native {
    public static final int O_RDWR = 2;
    public static final int O_NOFOLLOW = 0x20000;
    public static final int O_CLOEXEC = 0x80000;
    public static final long MS_RDONLY = 1;
    public static final long MS_NOSUID = 2;
    public static final long MS_NODEV = 4;
    public static final long MS_NOEXEC = 8;
    public static final long MS_NOATIME = 1024;
    public static final int MNT_DETACH = 2;
    /** An otherwise unused signal; see {@link #wakeable}. */
    private static final int WAKE = 43;
    private static final long SIGACTION_BYTES = 152;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x22;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO_VALUE = STATE.varHandle(PathElement.groupElement("errno"));

    private static final MethodHandle OPEN = call("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT),
            Linker.Option.firstVariadicArg(2));
    private static final MethodHandle READV = call("readv",
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle WRITEV = call("writev",
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle POLL = call("poll",
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final MethodHandle CLOSE = call("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle MOUNT =
            call("mount", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));
    private static final MethodHandle DUP2 = call("dup2", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle SYNCFS = call("syncfs", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle MMAP =
            call("mmap", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle MUNMAP = call("munmap", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle GETTID = call("gettid", FunctionDescriptor.of(JAVA_INT));
    private static final MethodHandle TGKILL = call("tgkill",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle SIGACTION = call("sigaction",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    private static final MethodHandle UMOUNT = call("umount2", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));

    /** Bound only by mounts that use it. */
    private static final class Ioctl {
        static final MethodHandle CALL = call("ioctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
                Linker.Option.firstVariadicArg(2));
    }

    private final MemorySegment state;

    /** Calls made through one object must come from one thread at a time; {@code arena} outlives it. */
    public Native(Arena arena) {
        this.state = arena.allocate(STATE);
    }

    @SuppressWarnings("restricted")   // the one place where native code is bound
    static MethodHandle call(String name, FunctionDescriptor shape, Linker.Option... options) {
        var all = new Linker.Option[options.length + 1];
        all[0] = ERRNO;
        System.arraycopy(options, 0, all, 1, options.length);
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), shape, all);
    }

    /** Where a call stores its error number: its first argument. */
    static MemorySegment state(Arena arena) {
        return arena.allocate(STATE);
    }

    static int errno(MemorySegment state) {
        return (int) ERRNO_VALUE.get(state, 0L);
    }

    private int errno() {
        return errno(state);
    }

    private long result(long value) {
        return value < 0 ? -errno() : value;
    }

    public int open(String path, int flags) {
        try (var arena = Arena.ofConfined()) {
            return (int) result((int) OPEN.invokeExact(state, arena.allocateFrom(path), flags));
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    public long readv(int descriptor, MemorySegment vectors, int count) {
        try {
            return result((long) READV.invokeExact(state, descriptor, vectors, count));
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    public long writev(int descriptor, MemorySegment vectors, int count) {
        try {
            return result((long) WRITEV.invokeExact(state, descriptor, vectors, count));
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** How many of these descriptors, each a struct pollfd, are ready now. */
    public int poll(MemorySegment descriptors, long count) {
        try {
            return (int) result((int) POLL.invokeExact(state, descriptors, count, 0));
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** A request to the driver of a file; returns what it returns. */
    public int ioctl(int descriptor, long request, MemorySegment argument) {
        try {
            return (int) result((int) Ioctl.CALL.invokeExact(state, descriptor, request, argument));
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    public int close(int descriptor) {
        try {
            return (int) result((int) CLOSE.invokeExact(state, descriptor));
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Mounts; returns 0 or the negative error number. */
    public int mount(String source, String target, String type, long flags, String options) {
        try (var arena = Arena.ofConfined()) {
            return (int) result((int) MOUNT.invokeExact(
                    state, arena.allocateFrom(source), arena.allocateFrom(target), arena.allocateFrom(type), flags,
                    arena.allocateFrom(options)));
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Unmounts; returns 0 or the negative error number. */
    public int unmount(String target, int flags) {
        try (var arena = Arena.ofConfined()) {
            return (int) result((int) UMOUNT.invokeExact(state, arena.allocateFrom(target), flags));
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Makes {@code descriptor} a duplicate of {@code other}; what it referred to before is closed. */
    public int replace(int descriptor, int other) {
        try {
            return (int) result((int) DUP2.invokeExact(state, other, descriptor));
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Writes out all changes of the file system that the descriptor belongs to. */
    public int syncfs(int descriptor) {
        try {
            return (int) result((int) SYNCFS.invokeExact(state, descriptor));
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Page-aligned memory that takes no space until it is touched, and is released with the arena. */
    @SuppressWarnings("restricted")   // the size is the requested one
    public MemorySegment memory(Arena arena, long size) {
        try {
            var mapped = (MemorySegment) MMAP.invokeExact(
                    state, MemorySegment.NULL, size, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0L);
            if (mapped.address() == -1) {
                throw new OutOfMemoryError("not enough memory for a mount: error " + errno());
            }
            return mapped.reinterpret(size, arena, Native::unmap);
        } catch (RuntimeException | Error failed) {
            throw failed;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static void unmap(MemorySegment mapped) {
        try (var arena = Arena.ofConfined()) {
            int ignored = (int) MUNMAP.invokeExact(arena.allocate(STATE), mapped, mapped.byteSize());
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The kernel's number of this thread, for {@link #wake}. */
    public int thread() {
        try {
            return (int) GETTID.invokeExact(state);
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /**
     * Prepares for {@link #wake}: the signal gets a handler that does nothing, so that its only effect is to end a
     * blocking system call. The handler is a function of the C library that reads an int and returns: no Java runs in
     * it.
     */
    public void wakeable() {
        try (var arena = Arena.ofConfined()) {
            var action = arena.allocate(SIGACTION_BYTES, 8);
            action.set(ADDRESS, 0, LINKER.defaultLookup().findOrThrow("abs"));
            if ((int) SIGACTION.invokeExact(state, WAKE, action, MemorySegment.NULL) != 0) {
                throw new IllegalStateException("cannot install a signal handler to wake threads: error " + errno());
            }
        } catch (RuntimeException | Error failed) {
            throw failed;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Ends the blocking system call of a thread of this process. */
    public void wake(int thread) {
        try {
            int ignored = (int) TGKILL.invokeExact(state, (int) ProcessHandle.current().pid(), thread, WAKE);
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
