package volsh.volume;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import volsh.meta.Session;
import volsh.meta.Sessions;

/** Sessions of processes of this host that were killed: nobody has to wait until their lease is over. */
final class Killed {
    /** A process that began so much later than the session is another one, with the same number. */
    private static final Duration SLACK = Duration.ofSeconds(30);

    private static final Duration SILENCE = Sessions.LEASE.dividedBy(4).plusSeconds(5);

    private Killed() {}

    /** Ends them; whether there were any. */
    static boolean end(Sessions sessions) throws IOException {
        boolean any = false;
        for (var session : sessions.list()) {
            if (isKilled(session)) {
                sessions.end(session.id());
                any = true;
            }
        }
        return any;
    }

    /** Was it killed, and was nothing heard of it for longer than its turn? One in a container of its own cannot be seen, but is heard. */
    static boolean isSilent(Session session, Instant now) {
        return session.lease().minus(Sessions.LEASE).plus(SILENCE).isBefore(now) && isKilled(session);
    }

    /** Was this session's process, one of this host, killed? */
    private static boolean isKilled(Session session) {
        return session.host().equals(Host.name()) && isGone(session);
    }

    private static boolean isGone(Session session) {
        return ProcessHandle.of(session.pid())
                .flatMap(process -> process.info().startInstant().map(start -> start.isAfter(session.started().plus(SLACK))))
                .orElse(ProcessHandle.of(session.pid()).isEmpty());
    }
}
