package volsh.script;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;
import volsh.command.Cancellation;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.line.Exit;
import volsh.command.line.Lines;
import volsh.command.line.Program;
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
    private final Deque<Deferred> deferred = new ConcurrentLinkedDeque<>(List.of(new Deferred()));
    private List<String> arguments = List.of();
    private final Places places = new Places();
    private final CollectedFailures collected = new CollectedFailures();
    private Map<String, @Nullable Object> options = Map.of();

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

    /** Where the user wrote what is run. */
    Places places() {
        return places;
    }

    /** The failures of {@code each(onError: 'collect')}. */
    CollectedFailures collected() {
        return collected;
    }

    /** Explains failures; {@code declared} are the names of the script's own variables. */
    Explanation explanation(Collection<?> declared) {
        var names = new HashSet<>(Program.WORDS);
        declared.forEach(name -> names.add(name.toString()));
        names.addAll(vocabulary.names());
        return new Explanation(places, names);
    }

    /** Warns of a deferred block that failed after something else had failed. */
    void warnOfDeferred(Throwable failure) {
        if (!(failure instanceof Exit)) {
            CommandFailure explained = explanation(List.of()).of(failure);
            warn("a deferred block failed: " + explained.getMessage(), explained.problem().details());
        }
    }

    void warn(String message, List<String> details) {
        var text = new StringBuilder(message);
        details.forEach(line -> text.append("\n  ").append(line));
        session.warn(text.toString());
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

    Map<String, @Nullable Object> options() {
        return options;
    }

    void options(Map<String, @Nullable Object> parsed) {
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
