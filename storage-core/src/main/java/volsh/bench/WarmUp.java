package volsh.bench;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import volsh.unit.ByteSize;

/**
 * A moment before the clock starts, in which classes are loaded and code is compiled. It reads a small file of its own:
 * what will be measured stays cold, also in the caches of a mount, which cannot be dropped from here.
 */
final class WarmUp {
    private static final long IO_MAX = 64 << 10;
    private static final int LOOKS = 25;
    private static final long LOOK_MILLIS = 20;
    private static final int QUIET = 3;

    private WarmUp() {}

    static void reads(Terms terms, Playground place) throws IOException {
        var each = new ByteSize(Math.min(IO_MAX, terms.io().bytes()));
        var brief = terms.warmingUp().of(new ByteSize(each.bytes() * terms.threads()), each);
        try (var aside = place.aside()) {
            Path file = aside.filled("warm-up", brief.size().bytes(), brief);
            // the file system aside may not support direct I/O
            RandomRead.pass("warm-up", place.isGiven() ? brief.direct(false) : brief, file);
        }
        settle();
    }

    /** Waits briefly until the compilers are idle: on few processors they would disturb short measurements. */
    static void settle() throws IOException {
        var compilers = ManagementFactory.getCompilationMXBean();
        if (Brevity.WANTED || compilers == null || !compilers.isCompilationTimeMonitoringSupported()) {
            return;
        }
        long before = compilers.getTotalCompilationTime();
        for (int look = 0, quiet = 0; look < LOOKS && quiet < QUIET; look++) {
            try {
                Thread.sleep(LOOK_MILLIS);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("stopped");
            }
            long now = compilers.getTotalCompilationTime();
            quiet = now == before ? quiet + 1 : 0;
            before = now;
        }
    }
}
