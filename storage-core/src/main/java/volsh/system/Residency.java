package volsh.system;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import volsh.unit.ByteSize;

/** How much of a file is in the page cache (mincore). Checking loads nothing into memory. */
public record Residency(ByteSize size, ByteSize resident) {
    private static final long PAGE = 4096;
    /** Mapped at a time. */
    private static final long WINDOW = 1L << 30;

    public static Residency of(Path file) throws IOException {
        long resident = 0;
        try (var channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            for (long at = 0; at < size; at += WINDOW) {
                resident += resident(channel, at, Math.min(WINDOW, size - at));
            }
            return new Residency(new ByteSize(size), new ByteSize(Math.min(size, resident)));
        }
    }

    private static long resident(FileChannel channel, long at, long length) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var mapped = channel.map(MapMode.READ_ONLY, at, length, arena);
            long pages = Math.ceilDiv(length, PAGE);
            var states = arena.allocate(pages);
            int result = (int) Holder.MINCORE.invokeExact(mapped, length, states);
            if (result != 0) {
                throw new IOException("the kernel does not report which pages are in memory");
            }
            long found = 0;
            for (long page = 0; page < pages; page++) {
                found += states.get(ValueLayout.JAVA_BYTE, page) & 1;
            }
            return found * PAGE;
        } catch (IOException | RuntimeException | Error failed) {
            throw failed;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Linked when first used. */
    @SuppressWarnings("restricted") // the signature is that of the C library
    private static final class Holder {
        static final MethodHandle MINCORE = Linker.nativeLinker().downcallHandle(
                Linker.nativeLinker().defaultLookup().findOrThrow("mincore"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG,
                        ValueLayout.ADDRESS));

        private Holder() {}
    }
}
