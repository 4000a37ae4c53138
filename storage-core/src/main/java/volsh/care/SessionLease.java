package volsh.care;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import volsh.assembly.OngoingFailure;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.meta.Session;
import volsh.meta.Sessions;
import volsh.meta.Ticks;

/** Keeps a session alive: renews its lease in the background, and tells which past states it needs no more. */
public final class SessionLease implements AutoCloseable {
    private static final Duration EVERY = Sessions.LEASE.dividedBy(4);

    private final Sessions sessions;
    private final Ticks ticks;
    private volatile Session session;
    private volatile @Nullable SessionRevival revival;   // null if it does not come back once it was ended
    private final AtomicBoolean hurried = new AtomicBoolean();
    private volatile LongUnaryOperator needed;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("lease").daemon().factory());
    private volatile @Nullable OngoingFailure failure;   // null if the last renewal succeeded

    /**
     * Takes over an open session, and ends it when this is closed. Until it is started, it needs all that it has seen.
     */
    public SessionLease(Sessions sessions, Ticks ticks, Session session) {
        this.sessions = sessions;
        this.ticks = ticks;
        this.session = session;
        this.needed = running -> session.lowWater();
    }

    /** Renews from now on. {@code oldest} gets the running tick and returns the oldest one that is needed here. */
    public void start(LongUnaryOperator oldest) {
        needed = oldest;
        var _ = timer.scheduleWithFixedDelay(this::renewQuietly, EVERY.toMillis(), EVERY.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    /** The next turn tries again; if the lease passes meanwhile, every change is refused as stale. */
    private void renewQuietly() {
        hurried.set(false);
        try {
            renewOrComeBack();
            failure = null;
        } catch (IOException | RuntimeException missed) {
            failure = OngoingFailure.again(failure, missed, Instant.now());
        }
    }

    private void renewOrComeBack() throws IOException {
        try {
            renew();
        } catch (FsException ended) {
            var means = revival;
            if (ended.error() != FsError.STALE || means == null) {
                throw ended;
            }
            session = means.run(session, needed.applyAsLong(ticks.advance()));
        }
    }

    /** From now on a session that others have ended is replaced, if that can be. */
    public void comeBack(SessionRevival means) {
        revival = means;
    }

    /** A change found that the session was ended: looks at once. */
    public void hurry() {
        if (hurried.compareAndSet(false, true)) {
            try {
                timer.execute(this::renewQuietly);
            } catch (RejectedExecutionException closing) {
                // it is over anyway
            }
        }
    }

    /** Why it could not be renewed the last time, and since when. */
    public Optional<OngoingFailure> failure() {
        return Optional.ofNullable(failure);
    }

    /** Renews now. Whatever died before the oldest open file was opened may go. */
    public void renew() throws IOException {
        sessions.renew(session, needed.applyAsLong(ticks.advance()));
    }

    public Session session() {
        return session;
    }

    /** Renews for the last time: nothing is open and nothing will be. False if the session was fenced. */
    public boolean renewForGood() throws IOException {
        try {
            sessions.renew(session, Long.MAX_VALUE);
            return true;
        } catch (FsException fenced) {
            if (fenced.error() != FsError.STALE) {
                throw fenced;
            }
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        timer.shutdownNow();
        sessions.end(session.id());
    }
}
