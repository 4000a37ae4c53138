package volsh.catalog;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import volsh.block.Pause;
import volsh.proc.KernelFile;

/**
 * Time by the kernel's uptime, which goes on while the machine sleeps: the clock of a laptop that slept has not jumped.
 */
public final class Uptime implements Pause {
    private static final Path FILE = Path.of("/proc/uptime");

    @Override
    public void sleep(Duration time) throws IOException {
        Pause.REAL.sleep(time);
    }

    @Override
    public long nanoTime() {
        try {
            var line = KernelFile.line(FILE);
            return (long) (Double.parseDouble(line.substring(0, line.indexOf(' '))) * 1e9);
        } catch (IOException | RuntimeException unknown) {
            return Pause.REAL.nanoTime();
        }
    }
}
