package volsh.block;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;

/** How decorators of stores wait and measure time. A seam, so that tests need not wait. */
public interface Pause {
    /** Really waits. */
    Pause REAL = new Pause() {
        @Override
        public void sleep(Duration time) throws IOException {
            try {
                Thread.sleep(time);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting");
            }
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }
    };

    void sleep(Duration time) throws IOException;

    /** Like {@link System#nanoTime}: only differences are meaningful. */
    long nanoTime();
}
