package volsh.mount;

import java.io.IOException;
import volsh.fuse.OperationStats;
import volsh.fuse.RequestRecording;

/** Records the requests of a mount for a client of its socket. Costs nothing while there is none. */
final class TraceRequests {
    private final OperationStats stats;
    private final Transport transport;
    // of the current or last recording: a client that was away for long cannot take or stop another's
    private long number;

    TraceRequests(OperationStats stats, Transport transport) {
        this.stats = stats;
        this.transport = transport;
    }

    /** Starts a recording and returns its number. */
    synchronized long start(int capacity) throws IOException {
        if (transport != Transport.KERNEL) {
            throw new IOException(
                    "a mount through libfuse (--transport jnr) cannot be recorded: mount it with --transport kernel");
        }
        var running = stats.recording();
        if (running != null && !running.isForgotten()) {
            throw new IOException("this mount is already being recorded");
        }
        stats.record(new RequestRecording(capacity));
        return ++number;
    }

    synchronized Mounts.Recorded take(long wanted) throws IOException {
        return taken(required(wanted));
    }

    synchronized Mounts.Recorded stop(long wanted) throws IOException {
        var last = required(wanted);
        stats.record(null);
        return taken(last);
    }

    private RequestRecording required(long wanted) throws IOException {
        var running = stats.recording();
        if (running == null || wanted != number) {
            throw new IOException("this recording of the mount has timed out: nothing was read from it for too long");
        }
        return running;
    }

    private static Mounts.Recorded taken(RequestRecording from) {
        var some = from.take();   // first: later drops are then reported
        return new Mounts.Recorded(some, from.dropped());
    }
}
