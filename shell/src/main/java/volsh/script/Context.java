package volsh.script;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import volsh.command.Cancellation;
import volsh.command.Session;
import volsh.command.line.Lines;
import volsh.command.line.Stop;
import volsh.command.run.Caller;
import volsh.job.JobProcess;

/** The state of a running script: its session, the commands, and its deferred blocks. */
final class Context {
    private final Caller caller;
    private final Lines lines;
    private final Session session;
    private final Cancellation cancellation;
    private final Vocabulary vocabulary;
    private final Deque<Deferred> deferred = new ArrayDeque<>(List.of(new Deferred()));
    private List<String> arguments = List.of();
    private Map<String, Object> options = Map.of();

    Context(Caller caller, Lines lines, Session session, Cancellation cancellation) {
        this.caller = caller;
        this.lines = lines;
        this.session = session;
        this.cancellation = cancellation;
        this.vocabulary = new Vocabulary(caller, this::flush);
    }

    Caller caller() {
        return caller;
    }

    Lines lines() {
        return lines;
    }

    Session session() {
        return session;
    }

    Vocabulary vocabulary() {
        return vocabulary;
    }

    /** The cancellation of the calling thread. */
    Cancellation cancellation() {
        return Stop.current(cancellation);
    }

    /** The target of {@code defer}: the end of the script, or of the enclosing block. */
    Deque<Deferred> deferred() {
        return deferred;
    }

    List<String> arguments() {
        return arguments;
    }

    void arguments(List<String> words) {
        arguments = List.copyOf(words);
    }

    Map<String, Object> options() {
        return options;
    }

    void options(Map<String, Object> parsed) {
        options = parsed;
    }

    /** Writes the script's output. A closed pipe ends the script. */
    void write(String text) {
        try {
            session.out().write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Flushes each line, so that terminals and job logs show it at once. */
    void flushForPeople() {
        if (session.terminal().output() || session.environment().containsKey(JobProcess.VARIABLE)) {
            flush();
        }
    }

    void flush() {
        try {
            session.out().flush();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
