package volsh.mount;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import volsh.catalog.CacheLifetime;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.volume.Volume;
import volsh.warm.TimedEviction;

/**
 * Removes expired data from the cache directories of a mount, and ends expired pins. Changed rules are noticed within
 * {@value #LOOK_SECONDS} seconds; a rule is applied ten times within its period, so data may stay a tenth longer, at
 * most an hour.
 */
final class CacheExpiry implements AutoCloseable {
    static final int LOOK_SECONDS = 5;
    private static final Logger LOG = System.getLogger("volsh.mount");
    private static final Duration BETWEEN_MAX = Duration.ofHours(1);
    private static final int PARTS = 10;
    private static final Duration FAREWELL = Duration.ofSeconds(5);

    private final Volume volume;
    private final InstantSource clock;
    private final TimedEviction expiry;
    private final Map<CacheLifetime, Instant> applied = new HashMap<>();
    private final ScheduledExecutorService timer;

    CacheExpiry(Volume volume, InstantSource clock) {
        this.volume = volume;
        this.clock = clock;
        this.expiry = new TimedEviction(volume.vfs(), volume.caches(), clock);
        this.timer = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().name("expiry").daemon().factory());
        if (!volume.caches().directories().isEmpty()) {
            var _ = timer.scheduleWithFixedDelay(this::turn, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
        }
    }

    void turn() {
        try {
            volume.caches().requests().expirePins();   // also without any reads
            var rules = volume.cacheLifetimes();
            applied.keySet().retainAll(rules);
            for (var rule : rules) {
                if (isDue(rule)) {
                    applied.put(rule, clock.instant());
                    apply(rule);
                }
            }
        } catch (IOException | RuntimeException later) {
            LOG.log(Level.WARNING, "cannot remove expired data from the cache; will retry: " + later.getMessage());
        }
    }

    private boolean isDue(CacheLifetime rule) {
        var between = rule.time().dividedBy(PARTS);
        var before = applied.get(rule);
        return before == null
                || !clock.instant().isBefore(before.plus(between.compareTo(BETWEEN_MAX) > 0 ? BETWEEN_MAX : between));
    }

    private void apply(CacheLifetime rule) throws IOException {
        try {
            expiry.expire(rule.path(), rule.time());
        } catch (FsException gone) {
            if (gone.error() != FsError.NO_ENTRY && gone.error() != FsError.NOT_DIRECTORY) {
                throw gone;
            }
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        try {
            var _ = timer.awaitTermination(FAREWELL.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }
}
