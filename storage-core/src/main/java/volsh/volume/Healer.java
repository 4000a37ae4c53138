package volsh.volume;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import volsh.assembly.BackgroundTasks;
import volsh.catalog.Log;

/**
 * Heals a volume while it is open: parts of blocks that were not written because a store was down are made once it
 * answers again. Wiped stores are left to volsh heal, as they may have been emptied on purpose.
 */
final class Healer implements AutoCloseable {
    private static final Duration EVERY = Duration.ofSeconds(15);

    private final Volume volume;
    private final BackgroundTasks tasks;
    private final ScheduledExecutorService timer;
    private volatile boolean closed;

    Healer(Volume volume, BackgroundTasks tasks) {
        this.tasks = tasks;
        this.volume = volume;
        this.timer = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().name("healer").daemon().factory());
        var _ = timer.scheduleWithFixedDelay(this::turn, EVERY.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void turn() {
        var watcher = new BlockCare.Watcher() {
            @Override
            public boolean cancelled() {
                return closed;
            }
        };
        try (var care = new BlockCare(volume, watcher)) {
            var report = care.healListed();
            if (report.repaired() > 0) {
                Log.LOG.log(Level.INFO,
                        "volume '%s': healed %d parts of blocks".formatted(volume.spec().name(), report.repaired()));
            }
            tasks.succeeded(BackgroundTasks.Task.HEAL);
        } catch (IOException | RuntimeException later) {
            tasks.failed(BackgroundTasks.Task.HEAL, later);
        }
    }

    /** Stops; a block under way is finished first. */
    @Override
    public void close() {
        closed = true;
        timer.shutdown();
        timer.close();
    }
}
