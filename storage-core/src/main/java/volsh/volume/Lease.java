package volsh.volume;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import volsh.meta.Session;
import volsh.meta.Sessions;
import volsh.meta.Ticks;

/** Keeps a session alive: renews its lease in the background and says which past states nobody here needs any more. */
final class Lease implements AutoCloseable {
    private static final Duration EVERY = Sessions.LEASE.dividedBy(4);
    /** A file opened in this second may have been looked up in the one before. */
    private static final long MARGIN_SECONDS = 2;

    private final Sessions sessions;
    private final Ticks ticks;
    private final Session session;
    private final LongSupplier oldestOpen;
    private final ScheduledExecutorService timer;

    Lease(Sessions sessions, Ticks ticks, Session session, LongSupplier oldestOpen) {
        this.sessions = sessions;
        this.ticks = ticks;
        this.session = session;
        this.oldestOpen = oldestOpen;
        this.timer = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().name("lease").daemon().factory());
        var _ = timer.scheduleWithFixedDelay(this::renewQuietly, EVERY.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void renewQuietly() {
        try {
            renew();
        } catch (IOException | RuntimeException missed) {
            // The next turn tries again; if the lease passes meanwhile, every change is refused as stale, which tells.
        }
    }

    /** Renews now. Whatever died before the oldest open file was opened may go. */
    void renew() throws IOException {
        sessions.renew(session, Math.min(ticks.now(), oldestOpen.getAsLong()) - MARGIN_SECONDS);
    }

    /** Renews for the last time: nothing is open and nothing will be. */
    void renewForGood() throws IOException {
        sessions.renew(session, Long.MAX_VALUE);
    }

    @Override
    public void close() throws IOException {
        timer.shutdownNow();
        sessions.end(session.id());
    }
}
