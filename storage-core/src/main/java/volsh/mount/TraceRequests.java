package volsh.mount;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import volsh.fuse.Asked;
import volsh.fuse.OperationStats;
import volsh.fuse.Recording;

/** Recording what is asked of a mount, for one who listens at its socket. Costs nothing while nobody does. */
final class TraceRequests {
    static final String PREFIX = "trace-";

    private final OperationStats stats;
    private final Transport transport;
    private long number;   // of the recording that runs, or ran last: who was away for long does not take or stop another's

    TraceRequests(OperationStats stats, Transport transport) {
        this.stats = stats;
        this.transport = transport;
    }

    /** The first line of what was taken is the number of requests that did not fit so far. */
    synchronized List<String> answer(String request) throws IOException {
        var phrase = Phrase.parse(request.substring(PREFIX.length()));
        return switch (phrase.verb()) {
            case "start" -> start(Integer.parseInt(phrase.words().getFirst()));
            case "take" -> take(required(phrase));
            case "stop" -> {
                var last = required(phrase);
                stats.record(null);
                yield take(last);
            }
            default -> throw new IOException("unknown request: " + request);
        };
    }

    private List<String> start(int capacity) throws IOException {
        if (transport != Transport.KERNEL) {
            throw new IOException("a mount through libfuse (--transport jnr) cannot be recorded: mount it with --transport kernel");
        }
        var running = stats.recording();
        if (running != null && !running.isForgotten()) {
            throw new IOException("somebody records this mount already");
        }
        stats.record(new Recording(capacity));
        return List.of(Long.toString(++number));
    }

    private Recording required(Phrase phrase) throws IOException {
        var running = stats.recording();
        if (running == null || !phrase.words().equals(List.of(Long.toString(number)))) {
            throw new IOException("this recording of the mount is over: nothing was taken from it for too long");
        }
        return running;
    }

    private static List<String> take(Recording from) {
        var lines = new ArrayList<String>();
        var some = from.take();
        lines.add(Long.toString(from.dropped()));
        some.stream().map(Asked::line).forEach(lines::add);
        return lines;
    }
}
