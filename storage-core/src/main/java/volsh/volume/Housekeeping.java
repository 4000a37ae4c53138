package volsh.volume;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Gives back what was deleted while a volume stays open, a little at a time. */
final class Housekeeping implements AutoCloseable {
    private static final Duration EVERY = Duration.ofSeconds(20);
    private static final Duration AT_MOST = Duration.ofSeconds(5);

    private final Reclaimer reclaimer;
    private final Silent silent;
    private final ScheduledExecutorService timer;

    Housekeeping(Reclaimer reclaimer, Silent silent) {
        this.silent = silent;
        this.reclaimer = reclaimer;
        this.timer = Executors.newSingleThreadScheduledExecutor(
                task -> Thread.ofPlatform().name("housekeeping").daemon().unstarted(task));
        var _ = timer.scheduleWithFixedDelay(this::run, EVERY.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void run() {
        try {
            silent.look();
        } catch (IOException | RuntimeException later) {
            Log.LOG.log(Level.WARNING, "silent sessions could not be looked at now; it is tried again", later);
        }
        runFor(AT_MOST);
    }

    /** Works until nothing is left or the time is over. Trouble is logged: what is left waits for the next run. */
    void runFor(Duration longest) {
        try {
            reclaimer.run(System.nanoTime() + longest.toNanos());
        } catch (IOException | RuntimeException later) {
            Log.LOG.log(Level.WARNING, "deleted data could not be given back now; it is tried again", later);
        }
    }

    /** Works until nothing is left or it is stopped; says what was given back. */
    Reclaimer.Reclaimed runNow(BooleanSupplier stopped) throws IOException {
        long blocks = 0;
        long bytes = 0;
        while (!stopped.getAsBoolean()) {
            var some = reclaimer.run(System.nanoTime() + AT_MOST.toNanos());
            blocks += some.blocks();
            bytes += some.bytes();
            if (!some.more()) {
                break;
            }
        }
        return new Reclaimer.Reclaimed(blocks, bytes, false);
    }

    /** Stops the timer; a run under way is finished first. */
    @Override
    public void close() {
        timer.shutdown();
        timer.close();
    }
}
