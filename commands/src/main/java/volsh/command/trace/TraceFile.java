package volsh.command.trace;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.trace.Trace;

/** Reads the trace that the user named. */
public final class TraceFile {
    private TraceFile() {}

    /** Reads it, and warns if it is incomplete. */
    public static Trace read(Path file, Session session) throws IOException {
        try {
            var trace = Trace.read(file);
            if (!trace.whole()) {
                session.warn("trace %s is truncated; using the part that exists".formatted(file));
            }
            if (trace.dropped() > 0) {
                session.warn("%d requests came too fast to be recorded; counts do not include them"
                        .formatted(trace.dropped()));
            }
            return trace;
        } catch (NoSuchFileException none) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "TRC-0001", "%s: no such file".formatted(file))
                    .hint("to list the mounts to record: volsh mounts list").hint("volsh trace record --help");
        } catch (IOException nonsense) {
            throw CommandFailure.of(ExitCode.USAGE, "TRC-0002", nonsense.getMessage())
                    .hint("volsh trace record --help").causedBy(nonsense);
        }
    }
}
