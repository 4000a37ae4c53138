package volsh.mount;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The clock by which the kernel itself dates files. It has a resolution of a few milliseconds: when the kernel dates
 * the writes it gathers and volsh the rest, times from two clocks could go back.
 */
final class KernelClock implements InstantSource {
    private static final int REALTIME_COARSE = 5;
    private static final MethodHandle CLOCK_GETTIME = clockGettime();

    @SuppressWarnings("restricted")   // the call fills the sixteen bytes it is given
    private static MethodHandle clockGettime() {
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("clock_gettime"),
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS),
                Linker.Option.critical(false));
    }

    @Override
    public Instant instant() {
        try (var arena = Arena.ofConfined()) {
            var time = arena.allocate(16, 8);
            int failed = (int) CLOCK_GETTIME.invokeExact(REALTIME_COARSE, time);
            if (failed != 0) {
                throw new IllegalStateException("clock_gettime failed");
            }
            return Instant.ofEpochSecond(time.get(JAVA_LONG, 0), time.get(JAVA_LONG, 8));
        } catch (RuntimeException | Error failed) {
            throw failed;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
