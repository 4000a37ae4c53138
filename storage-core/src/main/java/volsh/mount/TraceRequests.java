package volsh.mount;

import java.io.IOException;
import volsh.fuse.OperationStats;
import volsh.fuse.RequestRecording;

/** Recording what is asked of a mount, for one who listens at its socket. Costs nothing while nobody does. */
final class TraceRequests {
    private final OperationStats stats;
    private final Transport transport;
    private long number;   // of the recording that runs, or ran last: who was away for long does not take or stop another's

    TraceRequests(OperationStats stats, Transport transport) {
        this.stats = stats;
        this.transport = transport;
    }

    /** The number of the new recording. */
    synchronized long start(int capacity) throws IOException {
        if (transport != Transport.KERNEL) {
            throw new IOException("a mount through libfuse (--transport jnr) cannot be recorded: mount it with --transport kernel");
        }
        var running = stats.recording();
        if (running != null && !running.isForgotten()) {
            throw new IOException("somebody records this mount already");
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
            throw new IOException("this recording of the mount is over: nothing was taken from it for too long");
        }
        return running;
    }

    private static Mounts.Recorded taken(RequestRecording from) {
        var some = from.take();   // first: what is dropped meanwhile is said
        return new Mounts.Recorded(some, from.dropped());
    }
}
