package volsh.volume;

import java.io.IOException;
import java.time.Duration;
import volsh.meta.Session;
import volsh.meta.Sessions;

/** Sessions of processes of this host that were killed: nobody has to wait until their lease is over. */
final class Killed {
    /** A process that began so much later than the session is another one, with the same number. */
    private static final Duration SLACK = Duration.ofSeconds(30);

    private Killed() {}

    /** Ends them; whether there were any. */
    static boolean end(Sessions sessions) throws IOException {
        boolean any = false;
        for (var session : sessions.list()) {
            if (session.host().equals(Host.name()) && isGone(session)) {
                sessions.end(session.id());
                any = true;
            }
        }
        return any;
    }

    private static boolean isGone(Session session) {
        return ProcessHandle.of(session.pid())
                .flatMap(process -> process.info().startInstant().map(start -> start.isAfter(session.started().plus(SLACK))))
                .orElse(ProcessHandle.of(session.pid()).isEmpty());
    }
}
