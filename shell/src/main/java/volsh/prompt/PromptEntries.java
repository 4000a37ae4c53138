package volsh.prompt;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import volsh.command.Cancellation;
import volsh.command.Session;
import volsh.command.failure.CancelledException;
import volsh.command.failure.CommandFailure;
import volsh.command.line.Exit;
import volsh.command.line.Language.Source;
import volsh.command.line.LineKind;
import volsh.command.line.LineRule;
import volsh.command.line.Program;
import volsh.command.line.Stop;
import volsh.command.run.CommandRunner;
import volsh.unit.Span;

/** What a person's entries do: commands and code as everywhere, and a few words that only a prompt has. */
final class PromptEntries {
    private static final Map<String, String> WORDS = Map.of("quit", "Leave.", "exit", "Leave, with a status.",
            "source", "Run a file here.", "time", "Run a line, and tell how long it took.",
            "watch", "Run a line again and again.", "set", "Set how lines are run.");
    private static final Set<String> OWN = Set.of("quit", "source", "time", "watch");

    private final Program program;
    private final Session session;
    private final LineRule rule;

    PromptEntries(Program program, Session session) {
        this.program = program;
        this.session = session;
        this.rule = program.rule().with(OWN);
    }

    /** The rule of lines that knows the prompt's own words, too. */
    LineRule rule() {
        return rule;
    }

    /** The prompt's own words, with what they do. */
    Map<String, String> words() {
        return WORDS;
    }

    /** An entry that can be run, and stopped. */
    record Entry(Runnable work, Cancellation stop) {
        Void run() throws Exception {
            return Stop.under(stop, () -> {
                work.run();
                return null;
            });
        }
    }

    Entry of(String text) {
        var stop = new Cancellation();
        return new Entry(() -> told(text), stop);
    }

    /** Whatever goes wrong is told, and the prompt goes on. */
    private void told(String text) {
        try {
            run(text);
        } catch (Exit wish) {
            throw wish;
        } catch (Throwable failure) {
            CommandRunner.fail(failure, session);
        }
    }

    private void run(String text) throws Exception {
        switch (rule.classify(text)) {
            case LineKind.Nothing() -> { }
            case LineKind.Command(String line) -> command(line);
            case LineKind.SystemLine(String command) -> program.lines().run("!" + command);
            case LineKind.Code(String code) -> show(program.language().entry(new Source("prompt", code)));
            case LineKind.Unknown(String _) -> throw program.unknown(text);
        }
    }

    private void show(Object value) throws IOException {
        if (value != null) {
            program.language().set("_", value);
            CommandRunner.print(value, session);
        }
    }

    private void command(String line) throws Exception {
        String word = line.split("\\s+", 2)[0];
        String rest = line.length() > word.length() ? line.substring(word.length()).strip() : "";
        switch (word) {
            case "quit" -> throw new Exit(0);
            case "source" -> source(rest);
            case "time" -> time(rest);
            case "watch" -> watch(rest);
            default -> program.lines().run(line);
        }
    }

    private void source(String file) throws Exception {
        if (file.isEmpty()) {
            throw CommandFailure.usage("source takes a file of lines or of code");
        }
        Source source = new Source(Path.of(file).getFileName().toString(), Files.readString(Path.of(file)));
        if (file.endsWith(".volsh")) {
            program.run(source);
        } else {
            program.language().entry(source);
        }
    }

    private void time(String line) throws Exception {
        long start = System.nanoTime();
        run(line);
        session.say("took " + new Span(Duration.ofMillis((System.nanoTime() - start) / 1_000_000)));
    }

    /** {@code watch 2s LINE}: again and again on a clear screen, until Ctrl-C. */
    private void watch(String rest) throws Exception {
        String[] words = rest.split("\\s+", 2);
        if (words.length < 2) {
            throw CommandFailure.usage("watch takes a time and a line, such as: watch 2s mounts list");
        }
        Duration pause = Span.of(words[0]).duration();
        Cancellation stop = Stop.current(session.cancellation());
        try (var _ = stop.interrupting()) {
            while (!stop.requested()) {
                session.messages().line("\u001b[H\u001b[2J" + "every " + words[0] + ": " + words[1]);
                run(words[1]);
                Thread.sleep(pause);
            }
        } catch (InterruptedException | CancelledException enough) {
            session.messages().line("");
        }
    }
}
