package volsh.care;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import volsh.meta.FileLocks;
import volsh.meta.Session;
import volsh.meta.Sessions;

/**
 * Ends sessions that do not renew their leases: what they kept can then be reclaimed, and their locks are free. A
 * session whose lease has expired is only noted the first time; a machine that slept wakes up with all its leases
 * expired, and renews them before the next look.
 */
public final class StaleSessions {
    private final Sessions sessions;
    private final FileLocks locks;
    private final InstantSource clock;
    private final Predicate<Session> gone;
    private Map<Long, Instant> noted = Map.of();

    /** {@code gone} knows sessions whose process was killed: they are ended at the first look. */
    public StaleSessions(Sessions sessions, FileLocks locks, InstantSource clock, Predicate<Session> gone) {
        this.gone = gone;
        this.sessions = sessions;
        this.locks = locks;
        this.clock = clock;
    }

    /** Looks at all; ends those that were silent with the same lease the last time. */
    void look() throws IOException {
        var now = new HashMap<Long, Instant>();
        boolean ended = false;
        for (var session : sessions.list()) {
            boolean killed = gone.test(session);
            if (!killed && !session.lease().isBefore(clock.instant())) {
                continue;
            }
            if (killed || session.lease().equals(noted.get(session.id()))) {
                ended |= sessions.endIfSilent(session);
            } else {
                now.put(session.id(), session.lease());
            }
        }
        noted = now;
        if (ended) {
            locks.sweep();
        }
    }
}
