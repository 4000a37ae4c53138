package volsh.assembly;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import volsh.catalog.Log;
import volsh.ship.AttachedElsewhereException;
import volsh.ship.Shipping;

/** Ships the metadata changes of a volume while it is open for writing, and the rest when it is closed. */
public final class MetadataShipping implements AutoCloseable {
    /** How long a change waits at most while the store answers. */
    public static final Duration EVERY = Duration.ofSeconds(10);

    private final String volume;
    private final Shipping shipping;
    private final BackgroundTasks tasks;
    private final ScheduledExecutorService timer;

    public MetadataShipping(String volume, Shipping shipping, Duration every, BackgroundTasks tasks) {
        this.tasks = tasks;
        this.volume = volume;
        this.shipping = shipping;
        this.timer = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().name("shipping").daemon()
                .factory());
        var _ = timer.scheduleWithFixedDelay(this::tend, every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void tend() {
        try {
            shipping.tend();
            tasks.succeeded(BackgroundTasks.Task.SHIP);
        } catch (AttachedElsewhereException over) {
            Log.LOG.log(Level.ERROR, "volume '%s': %s".formatted(volume, over.getMessage()));
            timer.shutdown();
        } catch (IOException | RuntimeException later) {
            tasks.failed(BackgroundTasks.Task.SHIP, later);
        }
    }

    /** Stops the timer; a run under way is finished first. */
    public void stop() {
        timer.shutdown();
        timer.close();
    }

    /**
     * Ships what is left. A store that is away is no failure: everything is safe here, and the next writer ships it.
     *
     * @throws AttachedElsewhereException if what is left will never be shipped
     */
    @Override
    public void close() throws IOException {
        stop();
        try {
            shipping.ship();
            shipping.leave();
        } catch (AttachedElsewhereException over) {
            throw over;
        } catch (IOException later) {
            Log.LOG.log(Level.WARNING, "the last changes of volume '%s' are not in its store yet: %s"
                    .formatted(volume, later.getMessage()));
        }
    }
}
