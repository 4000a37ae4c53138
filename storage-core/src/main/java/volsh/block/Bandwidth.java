package volsh.block;

import java.io.IOException;
import java.time.Duration;
import volsh.unit.Rate;

/** A link of limited speed: bytes pass one after the other, and sending returns when the last has passed. */
public final class Bandwidth {
    private final Rate rate;
    private final Pause pause;
    private long freeAt;

    public Bandwidth(Rate rate, Pause pause) {
        this.rate = rate;
        this.pause = pause;
        this.freeAt = pause.nanoTime();
    }

    public void send(long bytes) throws IOException {
        long wait = reserve(bytes);
        if (wait > 0) {
            pause.sleep(Duration.ofNanos(wait));
        }
    }

    /** Reserves the link for these bytes; returns the nanoseconds until they have passed. */
    private synchronized long reserve(long bytes) {
        long now = pause.nanoTime();
        long begin = freeAt - now > 0 ? freeAt : now;
        freeAt = begin + (long) (bytes * 1e9 / rate.bytesPerSecond());
        return freeAt - now;
    }
}
