package volsh.block;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Waiting takes no time, but is remembered, and the clock believes it. */
final class FakePause implements Pause {
    final List<Duration> slept = new ArrayList<>();
    private long nanos;

    @Override
    public synchronized void sleep(Duration time) {
        slept.add(time);
        nanos += time.toNanos();
    }

    @Override
    public synchronized long nanoTime() {
        return nanos;
    }
}
