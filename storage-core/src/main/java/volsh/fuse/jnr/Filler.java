package volsh.fuse.jnr;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;
import jnr.ffi.Struct;
import ru.serce.jnrfuse.struct.FileStat;
import volsh.fs.FileKind;
import volsh.fs.Name;

/** libfuse's function that adds an entry to the page of a directory being read. */
final class Filler implements AutoCloseable {
    private static final MethodHandle FILL = fill();
    private static final Runtime RUNTIME = Runtime.getSystemRuntime();
    private static final MemorySegment ENDLESS = endless();

    private final MemorySegment function;
    private final MemorySegment page;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment name = arena.allocate(Name.LENGTH_MAX + 1);
    private final MemorySegment stat = arena.allocate(Struct.size(new FileStat(RUNTIME)), 8);
    private final FileStat entry = FileStat.of(Pointer.wrap(RUNTIME, stat.address()));

    Filler(long function, long page) {
        this.function = MemorySegment.ofAddress(function);
        this.page = MemorySegment.ofAddress(page);
    }

    @SuppressWarnings("restricted")   // the shape is that of fuse_fill_dir_t
    private static MethodHandle fill() {
        return Linker.nativeLinker()
                .downcallHandle(FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG));
    }

    /** A name that fits into no page: those of libfuse 2 are at most 128 KiB. */
    private static MemorySegment endless() {
        var text = Arena.global().allocate(256 << 10);
        text.asSlice(0, text.byteSize() - 1).fill((byte) 'x');
        return text;
    }

    /** Adds an entry with the cookie that continues after it; false, with nothing added, if it does not fit. */
    boolean add(byte[] text, long ino, FileKind kind, long cookie) {
        MemorySegment.copy(text, 0, name, JAVA_BYTE, 0, text.length);
        name.set(JAVA_BYTE, text.length, (byte) 0);
        entry.st_ino.set(ino);
        entry.st_mode.set(kind.code() << 12);
        return fill(name, cookie) == 0;
    }

    /** Ends the listing. libfuse takes an empty page for a complete listing, reused after {@code seekdir}. */
    void end() {
        fill(ENDLESS, 1);
    }

    private int fill(MemorySegment text, long cookie) {
        try {
            return (int) FILL.invokeExact(function, page, text, stat, cookie);
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
