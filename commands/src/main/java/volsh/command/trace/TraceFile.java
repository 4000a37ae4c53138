package volsh.command.trace;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.trace.Trace;

/** A trace that somebody named. */
public final class TraceFile {
    private TraceFile() {}

    /** Warns of one that is not whole. */
    public static Trace read(Path file, Session session) throws IOException {
        try {
            var trace = Trace.read(file);
            if (!trace.whole()) {
                session.warn("the recording of %s was cut off: what is there is used".formatted(file));
            }
            if (trace.dropped() > 0) {
                session.warn("%d requests came too fast to be recorded: numbers are low by so many".formatted(trace.dropped()));
            }
            return trace;
        } catch (NoSuchFileException none) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "TRC-0001", "there is no file %s".formatted(file))
                    .hint("mounts that can be recorded: volsh mounts list").hint("volsh trace record --help");
        } catch (IOException nonsense) {
            throw CommandFailure.of(ExitCode.USAGE, "TRC-0002", nonsense.getMessage())
                    .hint("volsh trace record --help").causedBy(nonsense);
        }
    }
}
