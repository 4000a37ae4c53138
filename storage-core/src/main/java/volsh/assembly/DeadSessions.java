package volsh.assembly;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import volsh.catalog.Host;
import volsh.meta.Session;
import volsh.meta.Sessions;
import volsh.proc.ProcessMark;

/**
 * Sessions of processes that were killed on this host: they end without waiting for their leases. A session names its
 * process, the boot and the machine ({@link ProcessMark}), so this works for a volume that machines share, too. A
 * session of an older volsh names only a host and a process number, which other machines may have as well.
 *
 * @param shared whether machines share the volume
 */
public record DeadSessions(boolean shared) {
    /** A process that began this much later than the session is another one, with the same number. */
    private static final Duration SLACK = Duration.ofSeconds(30);

    private static final Duration SILENCE = Sessions.LEASE.dividedBy(4).plusSeconds(5);

    /** Ends them; whether there were any. */
    public boolean end(Sessions sessions) throws IOException {
        boolean any = false;
        for (var session : sessions.list()) {
            if (isDead(session)) {
                sessions.end(session.id());
                any = true;
            }
        }
        return any;
    }

    /** Was this session's process, one of this host, killed? */
    public boolean isDead(Session session) {
        return isMarked(session) ? new ProcessMark(session.mark()).state() == ProcessMark.State.GONE
                : !shared && session.host().equals(Host.name()) && isGone(session);
    }

    /**
     * The same for repeated looks: a session of an older volsh must also have missed a renewal, as it may be in a
     * container.
     */
    public boolean isDead(Session session, Instant now) {
        return (isMarked(session) || session.lease().minus(Sessions.LEASE).plus(SILENCE).isBefore(now))
                && isDead(session);
    }

    private static boolean isMarked(Session session) {
        return !session.mark().isEmpty() && session.host().equals(Host.name());
    }

    private static boolean isGone(Session session) {
        return ProcessHandle.of(session.pid())
                .flatMap(process ->
                        process.info().startInstant().map(start -> start.isAfter(session.started().plus(SLACK))))
                .orElse(ProcessHandle.of(session.pid()).isEmpty());
    }
}
